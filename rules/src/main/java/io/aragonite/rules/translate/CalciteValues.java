package io.aragonite.rules.translate;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.expr.DateTimes;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TimestampUnit;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.rules.function.FineMoment;
import io.aragonite.rules.function.MillisFunctions;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.sql.Date;
import java.sql.Time;
import java.sql.Timestamp;
import java.util.UUID;
import org.apache.calcite.avatica.util.ByteString;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.runtime.SqlFunctions;
import org.apache.calcite.util.TimeString;
import org.apache.calcite.util.TimestampString;
import org.jspecify.annotations.Nullable;

/** Boxed values in Calcite's internal forms and in the engine's ({@link Expr.Literal}). */
public final class CalciteValues {
  private CalciteValues() {}

  /** The engine's form of a value of {@code type} in Calcite's internal (or JDBC's) form. */
  public static @Nullable Object toEngine(@Nullable Object value, RelDataType type) {
    return value == null ? null : toEngine(value, TypeMapping.of(type));
  }

  /** The engine's form of a value of {@code to} in Calcite's internal (or JDBC's) form. */
  static @Nullable Object toEngine(@Nullable Object value, DataType to) {
    if (value == null) {
      return null;
    }
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
          switch (value) {
            case TimeString text -> time(text);
            case Time time -> fromMillis(SqlFunctions.toInt(time), to);
            case FineMoment time -> FineMoment.in(time, to);
            default -> fromMillis((Long) longOf(value), to);
          };
      case TIMESTAMP, INSTANT ->
          switch (value) {
            case TimestampString text -> timestamp(text, to);
            case FineMoment moment -> fine(moment, to);
            case Timestamp timestamp -> fromMillis(SqlFunctions.toLong(timestamp), to);
            case java.util.Date moment -> fromMillis(SqlFunctions.toLong(moment), to);
            default -> fromMillis((Long) longOf(value), to);
          };
      case CHAR, VARCHAR -> value.toString();
      case BINARY -> value instanceof ByteString bytes ? bytes.getBytes() : value;
      case OPAQUE -> value;
    };
  }

  /**
   * A timestamp that Calcite has with all of its digits.
   *
   * @throws AragoniteException NUMERIC_OVERFLOW beyond the range of the type's unit
   */
  public static long timestamp(TimestampString value, DataType type) {
    TimestampUnit unit = type.timestampUnit();
    // 0000-00-00 00:00:00.000nnnnnn
    long nanos = Long.parseLong(value.toString(9).substring(23));
    try {
      return DateTimes.combine(
          value.getMillisSinceEpoch(), unit.perMilli(), nanos * unit.perMilli() / 1_000_000);
    } catch (ArithmeticException e) {
      throw beyond(value, type, e);
    }
  }

  /** A time of day that Calcite has with all of its digits, in microseconds. */
  public static long time(TimeString value) {
    // 00:00:00.000nnnnnn
    long micros = Long.parseLong(value.toString(9).substring(12, 15));
    return TimestampUnit.MILLIS.to(TimestampUnit.MICROS, value.getMillisOfDay()) + micros;
  }

  /** A time of day of the engine's with all of its digits. */
  public static TimeString timeString(long micros) {
    long nanos = micros % TimestampUnit.MICROS.perSecond() * 1_000;
    return TimeString.fromMillisOfDay((int) TimestampUnit.MICROS.to(TimestampUnit.MILLIS, micros))
        .withNanos((int) nanos);
  }

  /** Whether a timestamp is within the range of a type's unit. */
  public static boolean fits(TimestampString value, DataType type) {
    try {
      timestamp(value, type);
      return true;
    } catch (AragoniteException e) {
      return false;
    }
  }

  /** A timestamp of the engine's with all of its digits. */
  static TimestampString timestampString(long value, DataType type) {
    TimestampUnit unit = type.timestampUnit();
    long fraction = Math.floorMod(value, unit.perSecond());
    return TimestampString.fromMillisSinceEpoch(unit.to(TimestampUnit.MILLIS, value))
        .withNanos((int) (fraction * (1_000_000_000 / unit.perSecond())));
  }

  private static Object fine(FineMoment moment, DataType type) {
    try {
      return FineMoment.in(moment, type);
    } catch (ArithmeticException e) {
      throw beyond(moment, type, e);
    }
  }

  /** What lists, maps and rows have of a value of {@code type} in the engine's form. */
  public static @Nullable Object inList(@Nullable Object value, RelDataType type) {
    return value instanceof Long number && isMoment(type)
        ? FineMoment.of(number, TypeMapping.of(type))
        : fromEngine(value, type);
  }

  /** Whether a type is one of times or timestamps. */
  static boolean isMoment(RelDataType type) {
    return !type.isStruct()
        && switch (type.getSqlTypeName()) {
          case TIME, TIMESTAMP, TIMESTAMP_WITH_LOCAL_TIME_ZONE -> true;
          default -> false;
        };
  }

  private static Object fromMillis(long millis, DataType type) {
    try {
      return TimestampUnit.MILLIS.to(type.timestampUnit(), millis);
    } catch (ArithmeticException e) {
      throw beyond(SqlFunctions.internalToTimestamp(millis), type, e);
    }
  }

  private static AragoniteException beyond(Object value, DataType type, ArithmeticException e) {
    return new AragoniteException(
        ErrorCode.NUMERIC_OVERFLOW,
        "The timestamp %s is beyond the range of %s; cast to TIMESTAMP(6) or less."
            .formatted(value, type.withNullable(true)),
        e);
  }

  /**
   * The milliseconds that Calcite's code has of a time or timestamp.
   *
   * @throws AragoniteException EXPRESSION_UNSUPPORTED if they are not all that it has
   */
  public static long toMillis(long value, DataType type) {
    TimestampUnit unit = type.timestampUnit();
    if (!unit.isExact(TimestampUnit.MILLIS, value)) {
      throw MillisFunctions.refused(
          type.kind() == TypeKind.TIME
              ? "time " + timeString(value)
              : "timestamp " + timestampString(value, type));
    }
    return unit.to(TimestampUnit.MILLIS, value);
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

  /** What Calcite makes a literal of {@code type} of. */
  public static @Nullable Object literalForm(@Nullable Object value, RelDataType type) {
    return value instanceof Long number
        ? switch (type.getSqlTypeName()) {
          case TIME -> timeString(number);
          case TIMESTAMP, TIMESTAMP_WITH_LOCAL_TIME_ZONE ->
              timestampString(number, TypeMapping.of(type));
          default -> fromEngine(value, type);
        }
        : fromEngine(value, type);
  }

  /** Calcite's internal form of a value of {@code type} in the engine's form. */
  public static @Nullable Object fromEngine(@Nullable Object value, RelDataType type) {
    if (value == null) {
      return null;
    }
    return switch (type.getSqlTypeName()) {
      case TINYINT -> ((Number) value).byteValue();
      case SMALLINT -> ((Number) value).shortValue();
      case INTEGER, DATE, INTERVAL_YEAR, INTERVAL_YEAR_MONTH, INTERVAL_MONTH ->
          ((Number) value).intValue();
      case REAL -> ((Number) value).floatValue();
      case TIME -> (int) toMillis(((Number) value).longValue(), TypeMapping.of(type));
      case TIMESTAMP, TIMESTAMP_WITH_LOCAL_TIME_ZONE ->
          value instanceof Long number ? (Object) toMillis(number, TypeMapping.of(type)) : value;
      case BINARY, VARBINARY -> value instanceof byte[] bytes ? new ByteString(bytes) : value;
      case UUID -> value instanceof String text ? UUID.fromString(text) : value;
      default -> value;
    };
  }
}
