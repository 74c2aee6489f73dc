package io.aragonite.exec.operator.multiway;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.vector.Column;

/**
 * How the values of a variable become 32-bit numbers where they are not used as they are: the same
 * in all relations that have the variable.
 */
sealed interface KeyNumbers permits KeyRanks, KeyCodes, DegreeRanks {
  /** What tells numbers of different meaning apart, for tries that are kept. */
  Object identity();

  /** Whether later queries can have the same numbers. */
  boolean isOfStored();

  /** Bits of a number at most. */
  int bits();

  /**
   * The numbers of a column's values, -1 for what joins with nothing, as a new column of 32 bits.
   *
   * @param column without nulls or an indirection; it is not freed
   */
  Column numbers(ExecContext context, Column column);
}
