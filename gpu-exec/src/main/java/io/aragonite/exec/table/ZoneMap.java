package io.aragonite.exec.table;

import org.jspecify.annotations.Nullable;

/**
 * What is known of a column's values in a run of rows without a look at them. Bounds are in the
 * form of literals ({@link io.aragonite.exec.expr.Expr.Literal}), but for texts, which are UTF-8
 * bytes, since a bound that was cut off need not be text.
 *
 * @param rows of the run
 * @param nulls how many of them are null; -1: nobody knows
 * @param min no value is smaller; null: unknown
 * @param max no value is larger, NaN aside; null: unknown
 * @param mayBeNaN whether there can be NaN, which is larger than all other values
 */
public record ZoneMap(
    long rows, long nulls, @Nullable Object min, @Nullable Object max, boolean mayBeNaN) {
  /** Rows of which nothing is known. */
  public static ZoneMap unknown(long rows) {
    return new ZoneMap(rows, -1, null, null, true);
  }

  /** Whether there are no values but nulls, or no rows. */
  public boolean isEmpty() {
    return nulls == rows;
  }
}
