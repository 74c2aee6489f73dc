package io.aragonite.exec.expr;

import io.aragonite.exec.error.ErrorCode;

/**
 * A value that an operation refuses, thrown by the operations' helpers, who do not know the
 * expression they work for. Whoever evaluates the expression turns it into an AragoniteException
 * that names it. It never leaves the evaluators.
 */
public final class EvalException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final ErrorCode code;
  private final String detail;

  /**
   * @param detail what was wrong, without the expression and without a full stop
   */
  public EvalException(ErrorCode code, String detail) {
    super(detail, null, false, false);
    this.code = code;
    this.detail = detail;
  }

  public ErrorCode code() {
    return code;
  }

  public String detail() {
    return detail;
  }
}
