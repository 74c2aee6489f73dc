package io.aragonite.client;

import java.sql.BatchUpdateException;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.sql.Statement;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The longest time that a statement may run before its first rows are there, which {@link
 * Statement#setQueryTimeout} sets: it is cancelled then. Avatica's protocol has no such limit.
 */
final class RunLimit implements AutoCloseable {
  private static final String MESSAGE =
      "AR-603 (RESOURCES): The statement took longer than its limit of %d s; raise setQueryTimeout.";
  private static final String STATE = "57014";
  private static final int CODE = 603;

  private static final ScheduledThreadPoolExecutor TIMER = timer();

  private final Statement statement;
  private final int seconds;
  private final @Nullable Future<?> end;
  private volatile boolean over;

  /** Whether the statement has ended: what it runs next has a limit of its own. */
  private boolean ended;

  private RunLimit(Statement statement, int seconds) {
    this.statement = statement;
    this.seconds = seconds;
    this.end = seconds == 0 ? null : TIMER.schedule(this::cancel, seconds, TimeUnit.SECONDS);
  }

  private static ScheduledThreadPoolExecutor timer() {
    ScheduledThreadPoolExecutor timer =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread thread = new Thread(task, "aragonite-client-limits");
              thread.setDaemon(true);
              return thread;
            });
    timer.setRemoveOnCancelPolicy(true);
    return timer;
  }

  /** Begins to count, if the statement has a limit. */
  static RunLimit of(Statement statement) throws SQLException {
    return new RunLimit(statement, statement.getQueryTimeout());
  }

  private synchronized void cancel() {
    if (ended) {
      return;
    }
    over = true;
    try {
      statement.cancel();
    } catch (SQLException e) {
      // what runs has no connection any more, and ends with an error of its own
    }
  }

  /**
   * Looks at what a statement ended with.
   *
   * @throws SQLTimeoutException if that was its limit
   */
  void check(@Nullable Exception error) throws SQLTimeoutException {
    if (over) {
      throw new SQLTimeoutException(MESSAGE.formatted(seconds), STATE, CODE, error);
    }
  }

  /** The same for a batch, some of whose statements may stay in effect. */
  void check(BatchUpdateException error) throws BatchUpdateException {
    if (over) {
      throw new BatchUpdateException(
          MESSAGE.formatted(seconds), STATE, CODE, error.getUpdateCounts(), error);
    }
  }

  /**
   * Looks at a result whose first rows are there: where the limit was passed meanwhile, the rows to
   * come are cancelled.
   *
   * @throws SQLTimeoutException if so
   */
  void checkRows() throws SQLTimeoutException {
    end();
    check((Exception) null);
  }

  /** Waits until a cancellation that has begun is over: it would hit what the statement runs next. */
  private synchronized void end() {
    ended = true;
    if (end != null) {
      end.cancel(false);
    }
  }

  @Override
  public void close() {
    end();
  }
}
