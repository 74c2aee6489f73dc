package io.aragonite.spark.plan;

/** Something of a plan that is left to Spark; the message says why. */
final class UntranslatableException extends Exception {
  private static final long serialVersionUID = 1L;

  UntranslatableException(String reason) {
    // It is an answer, not a failure: nobody asks where it comes from.
    super(reason, null, false, false);
  }
}
