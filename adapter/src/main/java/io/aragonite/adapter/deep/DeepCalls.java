package io.aragonite.adapter.deep;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;

/**
 * Runs what parses and plans a statement. Parser, validator, planner and translation walk trees
 * recursively; a statement that is nested deeply is prepared on a thread of its own, whose stack is
 * as large as the statement may need. Memory for a stack is taken when it is touched.
 */
public final class DeepCalls {
  /** Levels that any thread's stack has room for. */
  static final int SHALLOW = 200;

  /** Levels of a statement at most. */
  static final int LIMIT = 20_000;

  /** Levels that a CASE in another counts for: each is planned with the conditions around it. */
  static final int CASE_LEVELS = 10;

  /** Characters of a statement at most: more are rows, which come faster from a file. */
  private static final int MOST_CHARACTERS = 32 << 20;

  /** Stack of a level, of an expression with calls in it. */
  private static final long BYTES_A_LEVEL = 96 << 10;

  private static final long LEAST_BYTES = 64L << 20;

  private DeepCalls() {}

  /** Work that may throw anything. */
  @FunctionalInterface
  public interface DeepWork<T extends @Nullable Object> {
    T run() throws Throwable;
  }

  /**
   * Does {@code work} for the statement {@code sql}, on this thread or, while this one waits, on
   * one with a larger stack.
   *
   * @throws AragoniteException INVALID_STATEMENT if the statement is nested more deeply, or longer,
   *     than the limit
   */
  public static <T extends @Nullable Object> T call(@Nullable String sql, DeepWork<T> work)
      throws Throwable {
    if (sql != null && sql.length() > MOST_CHARACTERS) {
      throw new AragoniteException(
          ErrorCode.INVALID_STATEMENT,
          "The statement has %,d characters, and may have %,d; read its values from a file: SELECT * FROM 'rows.csv'."
              .formatted(sql.length(), MOST_CHARACTERS));
    }
    int depth = sql == null ? 0 : StatementDepth.of(sql);
    if (depth <= SHALLOW) {
      return work.run();
    }
    if (depth > LIMIT) {
      throw tooDeep(depth + " levels deep", null);
    }
    return onLargeStack(Math.max(LEAST_BYTES, depth * BYTES_A_LEVEL), work);
  }

  /** The error of a statement that no stack has room for. */
  public static AragoniteException tooDeep(String how, @Nullable Throwable cause) {
    return new AragoniteException(
        ErrorCode.INVALID_STATEMENT,
        ("The statement is nested too deeply (%s; the limit is %,d levels of parentheses and"
                + " chained operators, or %,d of CASE); write long chains as IN (...) or as a join"
                + " with VALUES, and steps as subqueries in WITH.")
            .formatted(how, LIMIT, LIMIT / CASE_LEVELS),
        cause);
  }

  private static <T extends @Nullable Object> T onLargeStack(long bytes, DeepWork<T> work)
      throws Throwable {
    Outcome<T> outcome = new Outcome<>(work);
    FutureTask<Outcome<T>> task = new FutureTask<>(outcome);
    Thread thread = new Thread(null, task, "aragonite-prepare", bytes);
    thread.setDaemon(true);
    thread.setContextClassLoader(Thread.currentThread().getContextClassLoader());
    thread.start();
    boolean interrupted = false;
    while (true) {
      try {
        task.get();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
        thread.interrupt(); // what the work does with it is its own affair; this thread waits on
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return outcome.get();
  }

  private static final class Outcome<T extends @Nullable Object> implements Callable<Outcome<T>> {
    private final DeepWork<T> work;
    private @Nullable T value;
    private @Nullable Throwable error;

    Outcome(DeepWork<T> work) {
      this.work = work;
    }

    @Override
    public Outcome<T> call() {
      try {
        value = work.run();
      } catch (Throwable e) {
        error = e;
      }
      return this;
    }

    @SuppressWarnings("NullAway") // the work's own value, which may be null if T says so
    T get() throws Throwable {
      if (error != null) {
        throw error;
      }
      return value;
    }
  }
}
