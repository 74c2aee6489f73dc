package io.aragonite.bench.cold;

import io.aragonite.dataset.TerminalProgress;
import java.io.PrintStream;
import java.util.Locale;

/** Shows on a terminal which statement of which process runs; elsewhere nothing. */
public final class ColdProgress {
  private final PrintStream out;
  private final boolean terminal;
  private String column = "";
  private int statements;
  private int begun;
  private long start;

  /** On standard error. */
  public ColdProgress() {
    this(System.err, TerminalProgress.isTerminal(2));
  }

  ColdProgress(PrintStream out, boolean terminal) {
    this.out = out;
    this.terminal = terminal;
  }

  /** A process, or some that run one statement each, will run so many statements. */
  void started(String column, int statements) {
    this.column = column;
    this.statements = statements;
    this.begun = 0;
    this.start = System.nanoTime();
  }

  /** A statement begins. */
  void began(String query) {
    begun++;
    if (terminal) {
      out.printf(
          Locale.ROOT,
          "\r\033[K%s: %s, %d of %d, after %.0f s",
          column,
          query,
          begun,
          statements,
          (System.nanoTime() - start) / 1e9);
      out.flush();
    }
  }

  /** All ran, or something is to be printed. */
  void clear() {
    if (terminal) {
      out.print("\r\033[K");
      out.flush();
    }
  }
}
