package io.aragonite.adapter.shell;

import io.aragonite.adapter.execution.QueryProgress;
import io.aragonite.adapter.options.Units;
import java.io.PrintWriter;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A line on the terminal that says how far a statement is that takes long. It is gone when the
 * first row is there. A thread of its own asks; who works only counts.
 */
final class ProgressDisplay implements AutoCloseable {
  private static final int BAR = 24;
  private static final long REDRAW_MILLIS = 150;

  /** Back to the begin of the line, and clear it. */
  private static final String CLEAR = "\r\u001b[K";

  private final Statement statement;
  private final PrintWriter out;
  private final ShellScreen screen;
  private final long start = System.nanoTime();
  private boolean closed;
  private boolean drawn;
  private double share = -1;

  /**
   * @param patience how long nothing is shown
   */
  ProgressDisplay(Statement statement, PrintWriter out, ShellScreen screen, Duration patience) {
    this.statement = statement;
    this.out = out;
    this.screen = screen;
    if (screen.messages() && !"dumb".equals(System.getenv("TERM"))) {
      Thread.ofPlatform().daemon().name("aragonite-progress").start(() -> show(patience));
    }
  }

  private void show(Duration patience) {
    long wait = Math.max(1, patience.toMillis());
    while (pause(wait)) {
      draw(asked());
      wait = REDRAW_MILLIS;
    }
  }

  /** Waits; false if the display is closed. */
  private synchronized boolean pause(long millis) {
    try {
      long end = System.nanoTime() + millis * 1_000_000;
      for (long left = millis; !closed && left > 0; left = (end - System.nanoTime()) / 1_000_000) {
        wait(left);
      }
    } catch (InterruptedException e) {
      return false;
    }
    return !closed;
  }

  private @Nullable QueryProgress asked() {
    try {
      return statement.isWrapperFor(QueryProgress.class)
          ? statement.unwrap(QueryProgress.class)
          : null;
    } catch (SQLException | RuntimeException e) {
      return null; // it ends, or is another driver's
    }
  }

  private synchronized void draw(@Nullable QueryProgress progress) {
    if (closed) {
      return;
    }
    int width = screen.width().getAsInt();
    // totals grow while a statement runs: what was done would become less
    share = Math.max(share, progress == null ? -1 : progress.share());
    String line = text(progress, share, System.nanoTime() - start);
    out.print(CLEAR + (width > 1 ? DisplayText.shown(line, width - 1) : line));
    out.flush();
    drawn = true;
  }

  /**
   * The line.
   *
   * @param share that is done, negative if nothing is known of it
   */
  static String text(@Nullable QueryProgress progress, double share, long nanos) {
    StringBuilder line = new StringBuilder();
    if (share >= 0) {
      int full = (int) (BAR * share);
      line.append('[').append("#".repeat(full)).append(".".repeat(BAR - full)).append("] ");
      line.append(String.format(Locale.ROOT, "%3.0f %%, ", 100 * share));
    }
    if (progress != null && progress.expectedBytes() > 0) {
      line.append(Units.formatBytes(progress.bytes())).append(" of ");
      line.append(Units.formatBytes(progress.expectedBytes())).append(" read, ");
    } else if (progress != null && progress.expectedParts() > 0) {
      line.append(Units.formatRows(progress.parts())).append(" of ");
      line.append(Units.formatRows(progress.expectedParts())).append(" parts read, ");
    }
    if (progress != null && progress.expectedRows() > 0) {
      line.append(Units.formatRows(progress.rows())).append(" of ");
      line.append(Units.formatRows(progress.expectedRows())).append(" rows, ");
    }
    return line.append(String.format(Locale.ROOT, "%.1f s", nanos / 1e9)).toString();
  }

  @Override
  public synchronized void close() {
    closed = true;
    notifyAll();
    if (drawn) {
      out.print(CLEAR);
      out.flush();
      drawn = false;
    }
  }
}
