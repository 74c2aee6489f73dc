package io.aragonite.adapter.parameter;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.sql.JDBCType;
import java.sql.SQLException;
import java.sql.Types;
import java.util.List;
import java.util.TimeZone;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.calcite.avatica.util.ByteString;
import org.apache.calcite.avatica.util.DateTimeUtils;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.util.TimeString;
import org.apache.calcite.util.TimestampString;
import org.jspecify.annotations.Nullable;

/**
 * Values that are given with one of JDBC's types. A number that the type does not hold is an error,
 * it is never cut; only a scale that is given rounds.
 */
final class TargetTypes {
  private static final Pattern TIMESTAMP =
      Pattern.compile(
          "(\\d{1,4})-(\\d{1,2})-(\\d{1,2})"
              + "(?:[ T] *(\\d{1,2}):(\\d{1,2})(?::(\\d{1,2})(\\.\\d{1,9})?)?)?");

  private TargetTypes() {}

  /** The null of a type. */
  static ParameterValue ofNull(int type) {
    ParameterType sql =
        switch (type) {
          case Types.BIT, Types.BOOLEAN -> ParameterType.of(SqlTypeName.BOOLEAN);
          case Types.TINYINT, Types.SMALLINT, Types.INTEGER ->
              ParameterType.of(SqlTypeName.INTEGER);
          case Types.BIGINT -> ParameterType.of(SqlTypeName.BIGINT);
          case Types.REAL -> ParameterType.of(SqlTypeName.REAL);
          case Types.FLOAT, Types.DOUBLE -> ParameterType.of(SqlTypeName.DOUBLE);
          case Types.DECIMAL, Types.NUMERIC -> new ParameterType(SqlTypeName.DECIMAL, 1, 0);
          case Types.CHAR,
              Types.VARCHAR,
              Types.LONGVARCHAR,
              Types.NCHAR,
              Types.NVARCHAR,
              Types.LONGNVARCHAR,
              Types.CLOB,
              Types.NCLOB ->
              ParameterType.ofLength(SqlTypeName.VARCHAR, 1);
          case Types.BINARY, Types.VARBINARY, Types.LONGVARBINARY, Types.BLOB ->
              ParameterType.ofLength(SqlTypeName.VARBINARY, 1);
          case Types.DATE -> ParameterType.of(SqlTypeName.DATE);
          case Types.TIME, Types.TIME_WITH_TIMEZONE -> new ParameterType(SqlTypeName.TIME, 0, 0);
          case Types.TIMESTAMP, Types.TIMESTAMP_WITH_TIMEZONE ->
              new ParameterType(SqlTypeName.TIMESTAMP, 0, 0);
          default -> ParameterType.UNTYPED_NULL;
        };
    return new ParameterValue(sql, null);
  }

  /**
   * A value of a type.
   *
   * @param scale digits after the point of a decimal, null for all that the value has
   * @throws AragoniteException INVALID_CALL if the value is none of the type, NUMERIC_OVERFLOW if
   *     it is too large
   */
  static ParameterValue of(
      @Nullable Object object, int type, @Nullable Integer scale, Supplier<TimeZone> zone)
      throws SQLException {
    ParameterValue given = JavaParameters.of(object, zone);
    Object value = given.value();
    if (value == null) {
      return ofNull(type);
    }
    try {
      return switch (type) {
        case Types.TINYINT -> integer(given, type, Byte.MIN_VALUE, Byte.MAX_VALUE);
        case Types.SMALLINT -> integer(given, type, Short.MIN_VALUE, Short.MAX_VALUE);
        case Types.INTEGER -> integer(given, type, Integer.MIN_VALUE, Integer.MAX_VALUE);
        case Types.BIGINT -> integer(given, type, Long.MIN_VALUE, Long.MAX_VALUE);
        case Types.DECIMAL, Types.NUMERIC -> {
          BigDecimal number = number(given, type);
          yield JavaParameters.decimal(
              scale == null ? number : number.setScale(scale, RoundingMode.HALF_UP));
        }
        case Types.REAL -> real(given, type);
        case Types.FLOAT, Types.DOUBLE ->
            ParameterValue.of(SqlTypeName.DOUBLE, floating(given, type));
        case Types.BIT, Types.BOOLEAN -> ParameterValue.of(SqlTypeName.BOOLEAN, bool(given, type));
        case Types.CHAR,
            Types.VARCHAR,
            Types.LONGVARCHAR,
            Types.NCHAR,
            Types.NVARCHAR,
            Types.LONGNVARCHAR,
            Types.CLOB,
            Types.NCLOB ->
            value instanceof ByteString ? refuse(given, type) : JavaParameters.text(text(given));
        case Types.BINARY, Types.VARBINARY, Types.LONGVARBINARY, Types.BLOB ->
            value instanceof ByteString ? given : refuse(given, type);
        case Types.DATE, Types.TIME, Types.TIMESTAMP, Types.TIMESTAMP_WITH_TIMEZONE ->
            moment(given, type);
        case Types.ARRAY -> value instanceof List ? given : refuse(given, type);
        case Types.OTHER, Types.JAVA_OBJECT, Types.NULL -> given;
        default -> refuse(given, type);
      };
    } catch (NumberFormatException e) {
      throw wrong(given, type, e);
    }
  }

  private static ParameterValue integer(ParameterValue given, int type, long least, long most) {
    BigDecimal number = number(given, type);
    if (number.compareTo(BigDecimal.valueOf(least)) < 0
        || number.compareTo(BigDecimal.valueOf(most)) > 0) {
      throw large(given, type);
    }
    if (number.stripTrailingZeros().scale() > 0) {
      throw wrong(given, type, null);
    }
    return type == Types.BIGINT
        ? ParameterValue.of(SqlTypeName.BIGINT, number.longValue())
        : ParameterValue.of(SqlTypeName.INTEGER, number.intValue());
  }

  private static BigDecimal number(ParameterValue given, int type) {
    return switch (given.value()) {
      case Boolean bool -> bool ? BigDecimal.ONE : BigDecimal.ZERO;
      case BigDecimal decimal -> decimal;
      case String text -> new BigDecimal(text.strip());
      case Float number -> new BigDecimal(number.toString());
      case Double number -> BigDecimal.valueOf(number);
      case Number number when isInteger(given) -> BigDecimal.valueOf(number.longValue());
      case null, default -> throw wrong(given, type, null);
    };
  }

  private static boolean isInteger(ParameterValue given) {
    SqlTypeName name = given.type().name();
    return name == SqlTypeName.INTEGER || name == SqlTypeName.BIGINT;
  }

  private static double floating(ParameterValue given, int type) {
    return switch (given.value()) {
      case Float number -> number;
      case Double number -> number;
      case String text -> finite(given, type, Double.parseDouble(text.strip()));
      case null, default -> finite(given, type, number(given, type).doubleValue());
    };
  }

  /** Refuses digits of a number beyond the type's range: only a word is infinite. */
  private static double finite(ParameterValue given, int type, double number) {
    boolean word = given.value() instanceof String text && text.strip().endsWith("Infinity");
    if (Double.isInfinite(number) && !word) {
      throw large(given, type);
    }
    return number;
  }

  private static AragoniteException large(ParameterValue given, int type) {
    return new AragoniteException(
        ErrorCode.NUMERIC_OVERFLOW,
        "The parameter %s does not fit %s; give it as a wider type, or without one."
            .formatted(text(given), JDBCType.valueOf(type)));
  }

  private static ParameterValue real(ParameterValue given, int type) {
    double number = floating(given, type);
    float real =
        given.value() instanceof String text ? Float.parseFloat(text.strip()) : (float) number;
    if (Float.isInfinite(real) && !Double.isInfinite(number)) {
      throw new AragoniteException(
          ErrorCode.NUMERIC_OVERFLOW,
          "The parameter %s does not fit REAL; give it as a double.".formatted(text(given)));
    }
    return ParameterValue.of(SqlTypeName.REAL, real);
  }

  private static boolean bool(ParameterValue given, int type) {
    return switch (given.value()) {
      case Boolean bool -> bool;
      case String text when text.strip().equalsIgnoreCase("true") -> true;
      case String text when text.strip().equalsIgnoreCase("false") -> false;
      case Number number when number.doubleValue() == 1 -> true;
      case Number number when number.doubleValue() == 0 -> false;
      case null, default -> throw wrong(given, type, null);
    };
  }

  /** The days or milliseconds of a date or time. */
  private static long count(ParameterValue given) {
    return switch (given.value()) {
      case Number number -> number.longValue();
      case TimeString text -> text.getMillisOfDay();
      case TimestampString text -> text.getMillisSinceEpoch();
      case null, default -> 0;
    };
  }

  /** What the value looks like in SQL. */
  private static String text(ParameterValue given) {
    Object value = given.value();
    return switch (given.type().name()) {
      case DATE -> DateTimeUtils.unixDateToString((int) count(given));
      case TIME ->
          value instanceof TimeString
              ? value.toString()
              : DateTimeUtils.unixTimeToString((int) count(given), given.type().precision());
      case TIMESTAMP ->
          value instanceof TimestampString
              ? value.toString()
              : DateTimeUtils.unixTimestampToString(count(given), given.type().precision());
      default ->
          value instanceof BigDecimal decimal ? decimal.toPlainString() : String.valueOf(value);
    };
  }

  private static ParameterValue moment(ParameterValue given, int type) {
    SqlTypeName from = given.type().name();
    if (given.value() instanceof String text) {
      return parsed(given, text.strip(), type);
    }
    if (from == SqlTypeName.TIMESTAMP) {
      long millis = count(given);
      return switch (type) {
        case Types.DATE ->
            ParameterValue.of(
                SqlTypeName.DATE, (int) Math.floorDiv(millis, DateTimeUtils.MILLIS_PER_DAY));
        case Types.TIME ->
            given.value() instanceof TimestampString moment
                ? time(given, moment)
                : JavaParameters.time(Math.floorMod(millis, DateTimeUtils.MILLIS_PER_DAY));
        default -> given;
      };
    }
    if (from == SqlTypeName.DATE && type != Types.TIME) {
      return type == Types.DATE
          ? given
          : JavaParameters.timestamp(count(given) * DateTimeUtils.MILLIS_PER_DAY);
    }
    return from == SqlTypeName.TIME && type == Types.TIME ? given : refuse(given, type);
  }

  private static ParameterValue time(ParameterValue given, TimestampString moment) {
    try {
      return JavaParameters.of(
          java.time.LocalTime.parse(moment.toString().substring(11)), TimeZone::getDefault);
    } catch (SQLException e) {
      throw wrong(given, Types.TIME, e);
    }
  }

  private static ParameterValue parsed(ParameterValue given, String text, int type) {
    try {
      return switch (type) {
        case Types.DATE -> JavaParameters.of(java.time.LocalDate.parse(text), TimeZone::getDefault);
        case Types.TIME -> JavaParameters.of(java.time.LocalTime.parse(text), TimeZone::getDefault);
        default ->
            JavaParameters.of(java.time.LocalDateTime.parse(fullWidth(text)), TimeZone::getDefault);
      };
    } catch (java.time.format.DateTimeParseException | SQLException e) {
      throw wrong(given, type, e);
    }
  }

  /** A date, or a date and a time, with zeros before fields that lack digits. */
  private static String fullWidth(String text) {
    Matcher fields = TIMESTAMP.matcher(text);
    if (!fields.matches()) {
      return text; // which is refused
    }
    StringBuilder full = new StringBuilder(29);
    for (int i = 1; i <= 6; i++) {
      String field = fields.group(i) == null ? "0" : fields.group(i);
      full.append(i == 1 ? "" : i < 4 ? "-" : i == 4 ? "T" : ":");
      full.append("0".repeat(Math.max(0, (i == 1 ? 4 : 2) - field.length()))).append(field);
    }
    return fields.group(7) == null ? full.toString() : full.append(fields.group(7)).toString();
  }

  private static ParameterValue refuse(ParameterValue given, int type) {
    throw wrong(given, type, null);
  }

  private static AragoniteException wrong(
      ParameterValue given, int type, @Nullable Exception cause) {
    return new AragoniteException(
        ErrorCode.INVALID_CALL,
        "The parameter %s is not a value of %s; give it without a type, or convert it before."
            .formatted(text(given), name(type)),
        cause);
  }

  private static String name(int type) {
    for (JDBCType known : JDBCType.values()) {
      if (known.getVendorTypeNumber() == type) {
        return known.getName();
      }
    }
    return "type " + type;
  }
}
