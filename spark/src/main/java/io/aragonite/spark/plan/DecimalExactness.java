package io.aragonite.spark.plan;

import io.aragonite.exec.type.DataType;

/**
 * Whether decimal arithmetic of Spark's is exact arithmetic rounded once, as the engine's is. Spark
 * rounds products and quotients to 38 significant digits or one more before it rounds them to the
 * scale of the result; from the types follows whether the first can change the second.
 */
final class DecimalExactness {
  private static final int DIGITS = 38;

  /** Digits of a count of rows: more rows than these digits have no group. */
  private static final int COUNT_DIGITS = 15;

  private DecimalExactness() {}

  /** Where the scale is the exact one, a product of more digits overflows either way. */
  static boolean product(DataType left, DataType right, DataType result) {
    return result.scale() == left.scale() + right.scale()
        || left.precision() + right.precision() <= DIGITS;
  }

  /**
   * A quotient that is no tie of the result's scale is at least one over twice the divisor away
   * from one; that is more than what the first rounding moves it if there are digits enough.
   */
  static boolean quotient(DataType left, DataType right, DataType result) {
    return quotient(left, right.precision(), right.scale(), result);
  }

  private static boolean quotient(
      DataType left, int divisorDigits, int divisorScale, DataType result) {
    int integerDigits =
        Math.min(
            left.precision() - left.scale() + divisorScale, result.precision() - result.scale());
    int finer = Math.max(left.scale() - divisorScale, 0);
    return integerDigits + result.scale() + finer + divisorDigits + 1 <= DIGITS;
  }

  /**
   * The same of an average of values: it has no more integer digits than they have.
   *
   * @param value type of the values
   */
  static boolean average(DataType value, DataType result) {
    DataType largest = DataType.decimal(value.precision(), value.scale(), true);
    return quotient(largest, COUNT_DIGITS, 0, result);
  }

  /** Whether all values of a type are values of another. */
  static boolean holds(DataType from, DataType to) {
    return to.scale() >= from.scale()
        && to.precision() - to.scale() >= from.precision() - from.scale();
  }
}
