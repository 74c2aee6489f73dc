package io.aragonite.dataset;

import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/** When two values of answers are the same. */
final class AnswerValues {
  private static final double APPROXIMATE = 1e-9;

  private AnswerValues() {}

  static boolean same(@Nullable Object a, @Nullable Object b) {
    if (a instanceof BigDecimal x && b instanceof BigDecimal y) {
      int digits = Math.min(x.scale(), y.scale());
      return x.compareTo(y) == 0
          || digits > 0
              && x.scale() != y.scale()
              && x.subtract(y).abs().compareTo(BigDecimal.ONE.movePointLeft(digits)) <= 0;
    }
    if (a instanceof Number x && b instanceof Number y) {
      return close(x.doubleValue(), y.doubleValue(), Math.max(unit(x), unit(y)));
    }
    return a == null ? b == null : a.equals(b);
  }

  private static boolean close(double x, double y, double unit) {
    return x == y
        || Math.abs(x - y) <= Math.max(unit, APPROXIMATE * Math.max(Math.abs(x), Math.abs(y)))
        || (Double.isNaN(x) && Double.isNaN(y));
  }

  /** What one more in the last digit of a decimal is. */
  private static double unit(Number value) {
    return value instanceof BigDecimal decimal && decimal.scale() > 0
        ? Math.pow(10, -decimal.scale())
        : 0;
  }
}
