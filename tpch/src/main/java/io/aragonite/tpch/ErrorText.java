package io.aragonite.tpch;

/** Errors in a line. */
public final class ErrorText {
  private ErrorText() {}

  /**
   * The first line of the innermost message: drivers wrap the reason into sentences that repeat the
   * whole statement.
   */
  public static String brief(Throwable error) {
    Throwable inner = error;
    while (inner.getCause() != null) {
      inner = inner.getCause();
    }
    String message = inner.getMessage() == null ? inner.toString() : inner.getMessage();
    return message.lines().findFirst().orElse(inner.toString());
  }
}
