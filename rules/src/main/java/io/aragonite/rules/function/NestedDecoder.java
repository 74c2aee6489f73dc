package io.aragonite.rules.function;

import io.aragonite.exec.expr.HostFunction;
import org.jspecify.annotations.Nullable;

/**
 * Makes lists, rows and maps of the bytes that a table stores for them: one argument, values in
 * Calcite's internal forms, but a time or timestamp by itself in its type's unit: milliseconds are
 * not all that it has.
 */
public interface NestedDecoder extends HostFunction {
  /** Makes one field of the rows that this makes; null where the row is null. */
  NestedDecoder field(int index);

  /**
   * Hands on the bytes of what this makes, in the form that tables store; null if they are all that
   * it is given.
   */
  @Nullable HostFunction stored();
}
