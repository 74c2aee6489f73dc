package io.aragonite.rules.translate;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TimestampUnit;
import io.aragonite.exec.type.TypeKind;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.UUID;
import org.apache.calcite.avatica.util.ByteString;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.util.TimeString;
import org.apache.calcite.util.TimestampString;
import org.jspecify.annotations.Nullable;

/** Turns Calcite's literals into the engine's. */
public final class LiteralTranslator {
  private LiteralTranslator() {}

  /**
   * A literal as a value of a column.
   *
   * @throws Untranslatable if the column's type is not the engine's
   */
  public static Expr literal(RexLiteral literal, DataType type) {
    Expr result = literalOrNull(literal, type);
    if (result == null) {
      throw Untranslatable.literal(literal);
    }
    return result;
  }

  /** A literal as a value of its own type; null if that is one which only the host knows. */
  static @Nullable Expr tryLiteral(RexLiteral literal) {
    DataType type = TypeMapping.of(literal.getType());
    if (type.kind() == TypeKind.INSTANT && !literal.isNull()) {
      TimestampString value = notNull(literal.getValueAs(TimestampString.class));
      return Expr.literal(CalciteValues.timestamp(value, type), type.withNullable(false));
    }
    if (type.kind() == TypeKind.TIMESTAMP && !literal.isNull()) {
      return timestamp(notNull(literal.getValueAs(TimestampString.class)), type);
    }
    return literalOrNull(literal, type);
  }

  /**
   * Beyond the nanoseconds' range, it is for whoever uses the value to see whether that matters.
   */
  private static Expr timestamp(TimestampString value, DataType type) {
    DataType micros = DataType.timestamp(6, false);
    boolean beyond =
        type.timestampUnit() == TimestampUnit.NANOS
            && value.round(6).equals(value)
            && !CalciteValues.fits(value, type);
    Expr literal =
        Expr.literal(
            CalciteValues.timestamp(value, beyond ? micros : type),
            beyond ? micros : type.withNullable(false));
    return beyond ? CastTranslation.cast(literal, type) : literal;
  }

  private static @Nullable Expr literalOrNull(RexLiteral literal, DataType type) {
    if (literal.isNull()) {
      return Expr.literal(null, type.withNullable(true));
    }
    Object value =
        switch (type.kind()) {
          case BOOLEAN -> literal.getValueAs(Boolean.class);
          case INT8, INT16, INT32, INT64 -> number(literal).longValueExact();
          case FLOAT32 -> (double) doubleValue(literal).floatValue();
          case FLOAT64 -> doubleValue(literal);
          case DECIMAL -> decimal(number(literal), type);
          case DATE -> (long) notNull(literal.getValueAs(Integer.class));
          case TIME -> CalciteValues.time(notNull(literal.getValueAs(TimeString.class)));
          case TIMESTAMP, INSTANT ->
              CalciteValues.timestamp(notNull(literal.getValueAs(TimestampString.class)), type);
          case INTERVAL_MONTH, INTERVAL_DAY -> interval(number(literal), type);
          case CHAR, VARCHAR ->
              literal.getTypeName() == SqlTypeName.UUID
                  ? notNull(literal.getValueAs(UUID.class)).toString()
                  : literal.getValueAs(String.class);
          case BINARY -> {
            ByteString bytes = literal.getValueAs(ByteString.class);
            yield bytes == null ? null : bytes.getBytes();
          }
          case NULL, OPAQUE -> null;
        };
    return value == null ? null : Expr.literal(value, type.withNullable(false));
  }

  static <T> T notNull(@Nullable T value) {
    if (value == null) {
      throw new Untranslatable("a literal has no value; write NULL with a CAST");
    }
    return value;
  }

  private static BigDecimal number(RexLiteral literal) {
    Object value = literal.getValueAs(Comparable.class);
    if (value instanceof BigDecimal number) {
      return number;
    }
    if (value instanceof Double number) {
      return new BigDecimal(number);
    }
    throw Untranslatable.literal(literal);
  }

  /** Months, or milliseconds. */
  private static long interval(BigDecimal value, DataType type) {
    try {
      long count = value.toBigInteger().longValueExact();
      return type.kind() == TypeKind.INTERVAL_MONTH ? Math.toIntExact(count) : count;
    } catch (ArithmeticException e) {
      throw new AragoniteException(
          ErrorCode.NUMERIC_OVERFLOW,
          "An interval of %s %s does not fit its type; take a smaller one."
              .formatted(
                  value.toPlainString(),
                  type.kind() == TypeKind.INTERVAL_MONTH ? "months" : "milliseconds"),
          e);
    }
  }

  private static Double doubleValue(RexLiteral literal) {
    Object value = literal.getValueAs(Comparable.class);
    return value instanceof Number number ? number.doubleValue() : number(literal).doubleValue();
  }

  private static BigDecimal decimal(BigDecimal value, DataType type) {
    BigDecimal scaled = value.setScale(type.scale(), RoundingMode.HALF_UP);
    if (scaled.precision() > type.precision()) {
      throw new Untranslatable(
          "the literal " + value + " does not fit " + type + "; cast it to a wider type");
    }
    return scaled;
  }
}
