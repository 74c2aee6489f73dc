package io.aragonite.adapter;

import io.aragonite.adapter.error.SqlErrors;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.sql.Connection;
import java.sql.SQLWarning;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What a connection says to those who want transactions: each statement is in effect at once. So
 * commits have nothing to do, and rollbacks too, unless there is something that they should take
 * back.
 */
final class TransactionState {
  private final LongSupplier changes;
  private boolean wanted;
  private boolean told;
  private long committed;
  private @Nullable SQLWarning warning;

  /**
   * @param changes how many statements have changed tables or written files
   */
  TransactionState(LongSupplier changes) {
    this.changes = changes;
  }

  synchronized void setAutoCommit(boolean autoCommit) {
    if (!autoCommit && !wanted) {
      committed = changes.getAsLong();
      warn(
          "There are no transactions: each statement is in effect at once, with autocommit or"
              + " not.");
    }
    wanted = !autoCommit;
  }

  synchronized void commit() {
    committed = changes.getAsLong();
  }

  /**
   * @throws AragoniteException EXPRESSION_UNSUPPORTED if a statement of what would be the
   *     transaction has changed something
   */
  synchronized void rollback() {
    long before = committed;
    committed = changes.getAsLong();
    if (wanted && committed != before) {
      throw new AragoniteException(
          ErrorCode.EXPRESSION_UNSUPPORTED,
          "There are no transactions: what statements have changed since setAutoCommit(false) or"
              + " the last commit stays; undo it by statements.");
    }
  }

  /** The levels of {@link Connection}; since nothing is rolled back, each holds. */
  static void requireLevel(int level) {
    switch (level) {
      case Connection.TRANSACTION_NONE,
          Connection.TRANSACTION_READ_UNCOMMITTED,
          Connection.TRANSACTION_READ_COMMITTED,
          Connection.TRANSACTION_REPEATABLE_READ,
          Connection.TRANSACTION_SERIALIZABLE -> {}
      default ->
          throw new AragoniteException(
              ErrorCode.INVALID_CALL,
              "%d is no isolation level; they are constants of java.sql.Connection."
                  .formatted(level));
    }
  }

  /** Warns of something, unless nobody has read the same warning yet. */
  synchronized void warn(String sentence) {
    for (SQLWarning known = warning; known != null; known = known.getNextWarning()) {
      if (sentence.equals(known.getMessage())) {
        return;
      }
    }
    SQLWarning next = SqlErrors.warning(sentence);
    if (warning == null) {
      warning = next;
    } else {
      warning.setNextWarning(next);
    }
  }

  synchronized @Nullable SQLWarning warnings() {
    return warning;
  }

  synchronized void clearWarnings() {
    warning = null;
  }
}
