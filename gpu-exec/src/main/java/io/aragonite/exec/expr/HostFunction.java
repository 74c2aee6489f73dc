package io.aragonite.exec.expr;

import org.jspecify.annotations.Nullable;

/**
 * A scalar function that only the host can run, a row at a time: the door for library functions
 * that are not worth a kernel. It must be deterministic in its arguments and safe for several
 * threads.
 */
@FunctionalInterface
public interface HostFunction {
  /**
   * @param arguments boxed values in the forms of {@link Expr.Literal}, null for SQL null; reused
   *     between calls
   * @return a boxed value in the form of the call's type, or null
   */
  @Nullable Object apply(@Nullable Object[] arguments);

  /** Whether rows must come to it one after the other, in their order (NEXTVAL). */
  default boolean sequential() {
    return false;
  }
}
