package io.aragonite.rules.metadata;

import org.jspecify.annotations.Nullable;

/**
 * What is known of a column's values. All figures are estimates and need not be exact.
 *
 * @param nulls rows with a null; negative if unknown
 * @param distinct distinct values, nulls aside; negative if unknown
 * @param min the smallest value as a number: integers, decimals (5.25 as 5.25), floats, days of a
 *     DATE, microseconds of TIME, the unit of a TIMESTAMP; null if unknown or not a number
 * @param max the largest value in the same form
 * @param averageBytes average bytes of a text or binary value; negative if unknown
 * @param histogram how the values are spread
 */
public record ColumnStatistics(
    double nulls,
    double distinct,
    @Nullable Double min,
    @Nullable Double max,
    double averageBytes,
    Histogram histogram) {
  public static final ColumnStatistics UNKNOWN = new ColumnStatistics(-1, -1, null, null, -1);

  /** Without a histogram. */
  public ColumnStatistics(
      double nulls,
      double distinct,
      @Nullable Double min,
      @Nullable Double max,
      double averageBytes) {
    this(nulls, distinct, min, max, averageBytes, Histogram.NONE);
  }

  /** Of the rows of both columns together, as far as both say it. */
  ColumnStatistics or(ColumnStatistics other) {
    boolean counted = distinct >= 0 && other.distinct >= 0;
    return new ColumnStatistics(
        nulls < 0 || other.nulls < 0 ? -1 : nulls + other.nulls,
        counted ? Math.max(distinct, other.distinct) : -1,
        min == null || other.min == null ? null : Double.valueOf(Math.min(min, other.min)),
        max == null || other.max == null ? null : Double.valueOf(Math.max(max, other.max)),
        averageBytes < 0 || other.averageBytes < 0
            ? -1
            : Math.max(averageBytes, other.averageBytes));
  }
}
