package io.aragonite.rules.function;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import org.apache.calcite.linq4j.function.Strict;
import org.apache.calcite.sql.SqlBasicFunction;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.type.OperandTypes;
import org.apache.calcite.sql.type.ReturnTypes;

/** Functions of DOUBLEs; the methods are for Calcite's code. */
@Strict
public final class DoubleFunctions {
  /** {@code $LOG2(x)} of a DOUBLE: that of {@code fun=} is Calcite's. */
  public static final SqlFunction LOG2 =
      SqlBasicFunction.create(
          "$LOG2", ReturnTypes.DOUBLE_NULLABLE, OperandTypes.NUMERIC, SqlFunctionCategory.NUMERIC);

  private static final double LN_2 = Math.log(2);

  private DoubleFunctions() {}

  /**
   * To base 2, exact of powers of two; Calcite's own is null of what has none.
   *
   * @throws AragoniteException INVALID_ARGUMENT of zero and of negative numbers
   */
  public static double log2(double number) {
    if (number <= 0) {
      throw new AragoniteException(
          ErrorCode.INVALID_ARGUMENT,
          "There is no logarithm of %s, which is not positive.".formatted(number));
    }
    int exponent = Math.getExponent(number);
    return exponent <= Double.MAX_EXPONENT && Math.scalb(1.0, exponent) == number
        ? exponent
        : Math.log(number) / LN_2;
  }

  /** The root, NaN of negative numbers; a null of a null, which {@link Math#sqrt} fails over. */
  public static double sqrt(double number) {
    return Math.sqrt(number);
  }
}
