package io.aragonite.rules.translate;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.type.DataType;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.sql.Date;
import java.sql.Time;
import java.sql.Timestamp;
import org.apache.calcite.avatica.util.ByteString;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.runtime.SqlFunctions;
import org.jspecify.annotations.Nullable;

/** Boxed values in Calcite's internal forms and in the engine's ({@link Expr.Literal}). */
public final class CalciteValues {
  private CalciteValues() {}

  /** The engine's form of a value of {@code type} in Calcite's internal (or JDBC's) form. */
  public static @Nullable Object toEngine(@Nullable Object value, RelDataType type) {
    if (value == null) {
      return null;
    }
    DataType to = TypeMapping.of(type);
    return switch (to.kind()) {
      case NULL -> null;
      case BOOLEAN -> value;
      case INT8, INT16, INT32, INT64, INTERVAL_MONTH, INTERVAL_DAY -> ((Number) value).longValue();
      case FLOAT32 -> (double) ((Number) value).floatValue();
      case FLOAT64 -> ((Number) value).doubleValue();
      case DECIMAL -> decimal(value, to);
      case DATE ->
          value instanceof Date date ? (Object) (long) SqlFunctions.toInt(date) : longOf(value);
      case TIME ->
          value instanceof Time time ? (Object) (long) SqlFunctions.toInt(time) : longOf(value);
      case TIMESTAMP ->
          switch (value) {
            case Timestamp timestamp -> SqlFunctions.toLong(timestamp);
            case java.util.Date moment -> SqlFunctions.toLong(moment);
            default -> longOf(value);
          };
      case CHAR, VARCHAR -> value.toString();
      case BINARY -> value instanceof ByteString bytes ? bytes.getBytes() : value;
      case OPAQUE -> value;
    };
  }

  private static Object longOf(Object value) {
    if (value instanceof Number number) {
      return number.longValue();
    }
    throw new AragoniteException(
        ErrorCode.INTERNAL, "A value of " + value.getClass() + " is not a date or time.");
  }

  private static BigDecimal decimal(Object value, DataType type) {
    BigDecimal number =
        switch (value) {
          case BigDecimal decimal -> decimal;
          case Double d -> BigDecimal.valueOf(d);
          case Float f -> BigDecimal.valueOf(f);
          default -> new BigDecimal(value.toString());
        };
    BigDecimal scaled = number.setScale(type.scale(), RoundingMode.HALF_UP);
    if (scaled.precision() > type.precision()) {
      throw new AragoniteException(
          ErrorCode.NUMERIC_OVERFLOW,
          "%s does not fit %s; cast to a wider DECIMAL".formatted(number.toPlainString(), type));
    }
    return scaled;
  }

  /** Calcite's internal form of a value of {@code type} in the engine's form. */
  public static @Nullable Object fromEngine(@Nullable Object value, RelDataType type) {
    if (value == null) {
      return null;
    }
    return switch (type.getSqlTypeName()) {
      case TINYINT -> ((Number) value).byteValue();
      case SMALLINT -> ((Number) value).shortValue();
      case INTEGER, DATE, TIME, INTERVAL_YEAR, INTERVAL_YEAR_MONTH, INTERVAL_MONTH ->
          ((Number) value).intValue();
      case REAL -> ((Number) value).floatValue();
      case BINARY, VARBINARY -> value instanceof byte[] bytes ? new ByteString(bytes) : value;
      default -> value;
    };
  }
}
