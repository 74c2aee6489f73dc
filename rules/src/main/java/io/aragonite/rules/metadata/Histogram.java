package io.aragonite.rules.metadata;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How the values of a column are spread.
 *
 * @param bounds ascending, cut the rows that are not null into parts of equal numbers, as numbers
 *     in the form of {@link ColumnStatistics}; empty if that is not known
 * @param frequent shares of values that are more frequent than others, by value: Double in the same
 *     form, or String
 * @param known whether it says anything: of a column without frequent values, that there are none
 */
public record Histogram(double[] bounds, Map<Object, Double> frequent, boolean known) {
  public static final Histogram NONE = new Histogram(new double[0], Map.of(), false);

  /** The share of values below one, where NaN is above all numbers; NaN if that is not known. */
  public double below(double value) {
    int parts = bounds.length - 1;
    if (parts < 1) {
      return Double.NaN;
    }
    if (Double.isNaN(bounds[0]) || value <= bounds[0]) {
      return 0;
    }
    if (Double.isNaN(value) || value > bounds[parts]) {
      return 1;
    }
    int low = 0;
    int high = parts;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (bounds[middle] < value) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    // bounds[low - 1] < value <= bounds[low]
    double width = bounds[low] - bounds[low - 1];
    return (low - 1 + (value - bounds[low - 1]) / width) / parts;
  }

  /** The share of a frequent value; null of any other. */
  public @Nullable Double share(Object value) {
    return frequent.get(value);
  }

  /** What all frequent values have together. */
  public double frequentShare() {
    return Math.min(1, frequent.values().stream().mapToDouble(Double::doubleValue).sum());
  }
}
