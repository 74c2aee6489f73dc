package io.aragonite.exec.table;

import io.aragonite.exec.vector.ValueRange;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a stored column's values, gathered while it is loaded.
 *
 * @param rows rows of the table
 * @param nulls of these null
 * @param range bounds of integer-like values (integers, dates, times, unscaled decimals), null if
 *     unknown or not such a type
 * @param distinct distinct non-null values
 * @param exact whether {@code distinct} is a count rather than an estimate (then within about 3 %)
 * @param averageWidth bytes of a value, offsets and validity aside
 * @param distribution quantiles and frequent values
 */
public record TableColumnStatistics(
    long rows,
    long nulls,
    @Nullable ValueRange range,
    double distinct,
    boolean exact,
    double averageWidth,
    ValueDistribution distribution) {
  /** The same with quantiles and frequent values. */
  public TableColumnStatistics withDistribution(ValueDistribution other) {
    return new TableColumnStatistics(rows, nulls, range, distinct, exact, averageWidth, other);
  }
}
