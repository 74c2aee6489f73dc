package io.aragonite.dataset;

import java.sql.SQLException;

/** Errors in a line. */
public final class ErrorText {
  private ErrorText() {}

  /**
   * The message of a driver that gives its errors numbers; else the first line of the innermost
   * message, since others wrap the reason into sentences that repeat the whole statement.
   */
  public static String brief(Throwable error) {
    Throwable inner = error;
    boolean numbered = error instanceof SQLException sql && sql.getErrorCode() != 0;
    while (!numbered && inner.getCause() != null) {
      inner = inner.getCause();
    }
    String message = inner.getMessage() == null ? inner.toString() : inner.getMessage();
    return message.lines().findFirst().orElse(inner.toString());
  }
}
