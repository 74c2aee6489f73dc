package io.aragonite.dataset;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * Shows progress as a bar on a terminal. Elsewhere it prints one line at the start and one at the
 * end, and only for what is large.
 */
public final class TerminalProgress implements ProgressListener {
  private static final int WIDTH = 30;
  private static final long REDRAW_NANOS = 100_000_000;

  private final PrintStream out;
  private final boolean terminal;
  private String title = "";
  private boolean lines;
  private long rows = 1;
  private long drawn;

  /** Writes to standard error, which is looked at to tell a terminal. */
  public TerminalProgress() {
    this(System.err, isTerminal(2));
  }

  /** Writes to {@code out}; {@code terminal} says whether a bar makes sense there. */
  public TerminalProgress(PrintStream out, boolean terminal) {
    this.out = out;
    this.terminal = terminal;
  }

  @Override
  public void waiting(Path directory) {
    out.println("waiting for another process that makes " + directory);
  }

  @Override
  public void started(Dataset dataset, Path directory, long rows) {
    this.title = dataset.title() + " scale " + dataset.scale();
    this.rows = Math.max(1, rows);
    this.lines = dataset.large();
    this.drawn = System.nanoTime();
    if (!terminal && lines) {
      out.println("making " + title + " in " + directory);
    }
  }

  @Override
  public void progress(String table, long rowsDone) {
    long now = System.nanoTime();
    if (!terminal || now - drawn < REDRAW_NANOS) {
      return;
    }
    drawn = now;
    long share = Math.min(rowsDone, rows); // rows may be a guess
    int full = (int) (WIDTH * share / rows);
    String bar = "#".repeat(full) + ".".repeat(WIDTH - full);
    out.printf(Locale.ROOT, "\r%s [%s] %3d %% %-22s", title, bar, 100 * share / rows, table);
    out.flush();
  }

  @Override
  public void finished(Path directory, long nanos, long bytes) {
    clear();
    if (lines) {
      out.printf(
          Locale.ROOT,
          "%s made in %.1f s: %.2f GB in %s%n",
          title,
          nanos / 1e9,
          bytes / 1e9,
          directory);
    }
  }

  @Override
  public void failed() {
    clear();
  }

  private void clear() {
    if (terminal) {
      out.print("\r\033[K");
      out.flush();
    }
  }

  /**
   * Whether a descriptor of the process is a terminal.
   *
   * @param descriptor 1 for standard output, 2 for standard error
   */
  public static boolean isTerminal(int descriptor) {
    try { // the console tells about standard input and output together only
      String target = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor)).toString();
      return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty");
    } catch (IOException | UnsupportedOperationException e) {
      return System.console() != null && System.console().isTerminal();
    }
  }
}
