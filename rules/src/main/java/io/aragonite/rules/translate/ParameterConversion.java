package io.aragonite.rules.translate;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.type.DataType;
import java.math.BigDecimal;
import org.apache.calcite.avatica.util.DateTimeUtils;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexDynamicParam;
import org.apache.calcite.util.TimeString;
import org.apache.calcite.util.TimestampString;
import org.jspecify.annotations.Nullable;

/**
 * Values of parameters as the types that the plan has for them. The value never changes: one that
 * the type does not hold is an error. Plans of our own driver have the types of the values; those
 * of other drivers have types that Calcite takes from what a parameter is compared with, and JDBC
 * lets a text be set where a number or a date is wanted.
 */
final class ParameterConversion {
  private ParameterConversion() {}

  /**
   * The engine's form of a value.
   *
   * @param given in Calcite's internal form
   * @throws AragoniteException INVALID_CAST if the value is none of the parameter's type
   */
  static @Nullable Object value(RexDynamicParam parameter, @Nullable Object given) {
    if (given == null) {
      return null;
    }
    RelDataType type = parameter.getType();
    try {
      Object value = given instanceof String text ? parsed(text, text.strip(), type) : given;
      return CalciteValues.toEngine(exact(value, type), type);
    } catch (ArithmeticException | IllegalArgumentException | ClassCastException e) {
      throw new AragoniteException(
          ErrorCode.INVALID_CAST,
          "Parameter %d is '%s', which is not a value of %s; cast the parameter to a wider type."
              .formatted(parameter.getIndex() + 1, given, type),
          e);
    }
  }

  private static Object parsed(String text, String stripped, RelDataType type) {
    return switch (type.getSqlTypeName()) {
      case TINYINT, SMALLINT, INTEGER, BIGINT, DECIMAL -> new BigDecimal(stripped);
      case REAL -> Float.valueOf(stripped);
      case FLOAT, DOUBLE -> Double.valueOf(stripped);
      case DATE -> DateTimeUtils.dateStringToUnixDate(stripped);
      case TIME -> new TimeString(withoutZeros(stripped));
      case TIMESTAMP -> timestamp(stripped);
      case BOOLEAN -> {
        if (!stripped.equalsIgnoreCase("true") && !stripped.equalsIgnoreCase("false")) {
          throw new IllegalArgumentException(stripped);
        }
        yield Boolean.valueOf(stripped);
      }
      default -> text;
    };
  }

  private static Object timestamp(String text) {
    return text.indexOf('.') > 0
        ? new TimestampString(text.replace('T', ' '))
        : DateTimeUtils.timestampStringToUnixDate(text);
  }

  /** A time whose fraction has no zeros behind it, as Calcite wants it. */
  private static String withoutZeros(String time) {
    return time.indexOf('.') < 0 ? time : time.replaceFirst("\\.?0*$", "");
  }

  /** Milliseconds are kept whatever the precision is. */
  private static boolean loses(Object value, RelDataType type) {
    int digits = Math.max(3, type.getPrecision());
    return value instanceof TimestampString moment && !moment.round(digits).equals(moment)
        || value instanceof TimeString time && !time.round(digits).equals(time);
  }

  private static Object exact(Object value, RelDataType type) {
    return switch (type.getSqlTypeName()) {
      case TINYINT -> number(value).byteValueExact();
      case SMALLINT -> number(value).shortValueExact();
      case INTEGER -> number(value).intValueExact();
      case BIGINT -> number(value).longValueExact();
      case DECIMAL -> decimal(number(value), TypeMapping.of(type));
      case REAL -> {
        double given = ((Number) value).doubleValue();
        float real = ((Number) value).floatValue();
        if (value instanceof Double && real != given && !Double.isNaN(given)) {
          throw new ArithmeticException();
        }
        yield real;
      }
      case FLOAT, DOUBLE -> ((Number) value).doubleValue();
      case BOOLEAN -> (Boolean) value;
      case CHAR, VARCHAR -> text(value.toString(), type);
      // Calcite counts days and milliseconds of a day in 32 bits, and other milliseconds in 64.
      case DATE, TIME -> value instanceof Long || loses(value, type) ? wrong() : value;
      case TIMESTAMP -> value instanceof Integer || loses(value, type) ? wrong() : value;
      default -> value;
    };
  }

  private static BigDecimal number(Object value) {
    return switch (value) {
      case BigDecimal decimal -> decimal;
      case Double number -> new BigDecimal(number);
      case Float number -> new BigDecimal(number);
      case Number number -> BigDecimal.valueOf(number.longValue());
      default -> throw new IllegalArgumentException();
    };
  }

  private static Object decimal(BigDecimal value, DataType type) {
    BigDecimal scaled = value.setScale(type.scale());
    if (scaled.precision() > type.precision()) {
      throw new ArithmeticException();
    }
    return scaled;
  }

  private static String text(String value, RelDataType type) {
    int limit = type.getPrecision();
    if (limit >= 0 && value.codePointCount(0, value.length()) > limit) {
      int end = value.offsetByCodePoints(0, limit);
      if (!value.substring(end).isBlank()) {
        throw new IllegalArgumentException();
      }
    }
    return value;
  }

  private static Object wrong() {
    throw new IllegalArgumentException();
  }
}
