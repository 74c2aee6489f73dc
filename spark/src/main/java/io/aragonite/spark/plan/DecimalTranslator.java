package io.aragonite.spark.plan;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import java.math.BigDecimal;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.Round;

/**
 * What Spark does with the digits of decimals. Its arithmetic is the engine's, exact and rounded
 * once: Spark cuts products off behind 39 digits and quotients behind 39 decimal places before it
 * rounds them half up to the scale of the result, so that no digit is lost that the rounding looks
 * at.
 */
final class DecimalTranslator {
  private static final DataType INTEGERS = DataType.decimal(20, 0, true);

  /** From here on a FLOAT64 is an integer, which has 16 digits. */
  private static final double WHOLE = 0x1p52;

  /** Decimal places that a decimal has beside 16 digits. */
  private static final int FLOAT_PLACES = 22;

  private DecimalTranslator() {}

  /** Whether all values of a type are values of another. */
  static boolean holds(DataType from, DataType to) {
    return to.scale() >= from.scale()
        && to.precision() - to.scale() >= from.precision() - from.scale();
  }

  /** A decimal with fewer digits, or a float as one, rounded half up. */
  static Expr halfUp(Expr value, DataType type) {
    Expr zero = Expr.literal(BigDecimal.ZERO, DataType.decimal(1, 0, false));
    return Expr.call(Op.PLUS, type, value, zero);
  }

  /** A decimal as an integer, without what is behind the point. */
  static Expr towardsZero(Expr value, DataType type) {
    DataType from = value.type();
    DataType whole =
        DataType.decimal(Math.max(1, from.precision() - from.scale()), 0, from.nullable());
    return Expr.call(Op.CAST, type, Expr.call(Op.TRUNCATE, whole, value));
  }

  /**
   * A FLOAT64 with fewer decimal places: Spark rounds the shortest digits that stand for it half up.
   *
   * @param places at most {@link #FLOAT_PLACES}
   */
  static Expr halfUp(Expr value, int places) {
    DataType type = value.type();
    DataType digits =
        DataType.decimal(DataType.MAX_DECIMAL_PRECISION, places, type.nullable());
    Expr whole = Expr.literal(WHOLE, DataType.FLOAT64);
    Expr fraction =
        Expr.call(
            Op.LT,
            DataType.BOOLEAN.withNullable(type.nullable()),
            Expr.call(Op.ABS, type, value),
            whole);
    Expr rounded = Expr.call(Op.CAST, type, halfUp(value, digits));
    return Expr.call(Op.CASE, type, fraction, rounded, value);
  }

  /**
   * A decimal in units of its last digit.
   *
   * @param value of at most 18 digits
   * @param type INT64
   */
  static Expr unscaled(Expr value, DataType type) {
    int scale = value.type().scale();
    Expr units = Expr.literal(BigDecimal.TEN.pow(scale), DataType.decimal(scale + 1, 0, false));
    DataType digits = DataType.decimal(value.type().precision(), 0, type.nullable());
    return Expr.call(Op.CAST, type, Expr.call(Op.TIMES, digits, value, units));
  }

  /** The decimal with so many units of its last digit; an error if it has not enough digits. */
  static Expr ofUnscaled(Expr units, DataType type) {
    BigDecimal unit = BigDecimal.ONE.movePointLeft(type.scale());
    DataType unitType = DataType.decimal(Math.max(1, type.scale()), type.scale(), false);
    Expr number = Expr.call(Op.CAST, INTEGERS.withNullable(units.type().nullable()), units);
    return Expr.call(Op.TIMES, type, number, Expr.literal(unit, unitType));
  }

  /**
   * A FLOAT64 as a decimal: the shortest digits that stand for it, rounded half up. Infinities and
   * NaN are null.
   */
  static Expr ofFloat(Expr value, DataType type) {
    Expr zero = Expr.literal(0.0, DataType.FLOAT64);
    DataType condition = DataType.BOOLEAN.withNullable(value.type().nullable());
    Expr difference = Expr.call(Op.MINUS, value.type(), value, value);
    Expr finite = Expr.call(Op.EQ, condition, difference, zero);
    DataType nullable = type.withNullable(true);
    return Expr.call(
        Op.CASE, nullable, finite, halfUp(value, nullable), Expr.literal(null, nullable));
  }

  /** Half up. */
  static Expr rounded(Expr value, Round round, DataType type) throws UntranslatableException {
    if (!(round.scale() instanceof Literal literal
        && literal.value() instanceof Integer digits
        && digits >= 0)) {
      throw new UntranslatableException("rounding in " + round.sql());
    }
    TypeKind kind = value.type().kind();
    if (kind == TypeKind.FLOAT64 && digits <= FLOAT_PLACES) {
      return halfUp(value, digits);
    } else if (kind == TypeKind.DECIMAL) {
      return halfUp(value, type);
    } else if (kind.isInteger()) {
      return value;
    }
    throw new UntranslatableException("rounding in " + round.sql());
  }
}
