package io.aragonite.spark.plan;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import java.math.BigDecimal;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Cast;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.IntegralType;

/**
 * Variances of integers and decimals with few digits: the sums of values and of their squares fit
 * decimals, so that the sum of squared distances from the mean is exact but for one division.
 */
final class ExactVariance {
  /** Digits of a value: of 2^32 of them the squared sum fits a decimal. */
  private static final int DIGITS = 9;

  /** Values, in units of their last digit. */
  private static final DataType NUMBERS = DataType.decimal(10, 0, true);

  static final DataType SQUARES = DataType.decimal(20, 0, true);
  static final DataType SUMS = DataType.decimal(DataType.MAX_DECIMAL_PRECISION, 0, true);

  private ExactVariance() {}

  /** Whether what Spark makes a double of is such a value. */
  static boolean takes(Cast cast) {
    return cast.dataType() instanceof DoubleType
        && switch (cast.child().dataType()) {
          case IntegralType type -> type.defaultSize() <= Integer.BYTES;
          case DecimalType type -> type.precision() <= DIGITS && type.scale() >= 0;
          default -> false;
        };
  }

  /** A value in units of its last digit. */
  static Expr number(Expr value) {
    DataType type = NUMBERS.withNullable(value.type().nullable());
    return value.type().kind() == TypeKind.DECIMAL
        ? Expr.call(Op.TIMES, type, value, units(value.type().scale()))
        : Expr.call(Op.CAST, type, value);
  }

  private static Expr units(int scale) {
    return Expr.literal(BigDecimal.TEN.pow(scale), DataType.decimal(scale + 1, 0, false));
  }

  /**
   * Spark's buffers: the number of values, their mean, the sum of squared distances from it.
   *
   * @param sum of values, null without any, and
   * @param squares of their squares
   * @param scale of a value
   */
  static List<Expr> buffers(Expr count, Expr sum, Expr squares, int scale) {
    Expr rows = Expr.call(Op.CAST, DataType.FLOAT64, count);
    Expr wide = Expr.call(Op.CAST, SUMS.withNullable(false), count);
    Expr distances =
        Expr.call(
            Op.MINUS,
            SUMS,
            Expr.call(Op.TIMES, SUMS, wide, squares),
            Expr.call(Op.TIMES, SUMS, sum, sum));
    double unit = Math.pow(10, scale);
    return List.of(
        rows,
        quotient(quotient(sum, rows), Expr.literal(unit, DataType.FLOAT64)),
        quotient(quotient(distances, rows), Expr.literal(unit * unit, DataType.FLOAT64)));
  }

  /** As floats; 0 without values. */
  private static Expr quotient(Expr dividend, Expr divisor) {
    DataType nullable = DataType.FLOAT64.withNullable(true);
    Expr floating =
        dividend.type().kind() == TypeKind.FLOAT64
            ? dividend
            : Expr.call(Op.CAST, nullable, dividend);
    Expr divided = Expr.call(Op.DIVIDE, nullable, floating, divisor);
    return Expr.call(
        Op.COALESCE, DataType.FLOAT64, divided, Expr.literal(0.0, DataType.FLOAT64));
  }
}
