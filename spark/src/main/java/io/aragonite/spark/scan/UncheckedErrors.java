package io.aragonite.spark.scan;

/** Spark's errors, which Java's compiler wants to be declared and Scala's does not. */
public final class UncheckedErrors {
  private UncheckedErrors() {}

  /** Throws an error as it is; the result is for the compiler. */
  public static RuntimeException raise(Throwable error) {
    throw UncheckedErrors.<RuntimeException>unchecked(error);
  }

  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <T extends Throwable> T unchecked(Throwable error) throws T {
    throw (T) error;
  }
}
