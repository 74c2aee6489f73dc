package io.aragonite.sqltests.bench;

import java.sql.SQLException;
import java.sql.Statement;

/** Cancels a statement that is still running after some time. */
final class Timeout implements AutoCloseable {
  private final Thread timer;

  private Timeout(Thread timer) {
    this.timer = timer;
  }

  /** Starts the clock; closing stops it. 0 seconds mean no limit. */
  static Timeout of(Statement statement, int seconds) {
    return new Timeout(
        Thread.startVirtualThread(() -> {
          try {
            if (seconds > 0) {
              Thread.sleep(seconds * 1000L);
              statement.cancel();
            }
          } catch (InterruptedException | SQLException e) {
            // it has ended in time, or just now
          }
        }));
  }

  @Override
  public void close() {
    timer.interrupt();
  }
}
