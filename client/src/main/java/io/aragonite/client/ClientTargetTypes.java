package io.aragonite.client;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.net.URL;
import java.sql.JDBCType;
import java.sql.SQLException;
import java.sql.Types;
import java.time.DateTimeException;
import java.util.UUID;
import org.apache.calcite.avatica.util.ByteString;
import org.jspecify.annotations.Nullable;

/**
 * Values that are given with one of JDBC's types, as the driver has them: Avatica cuts a number that
 * the type does not hold.
 */
final class ClientTargetTypes {
  private static final int MAX_SCALE = 1_000; // more is no number that a decimal holds

  private ClientTargetTypes() {}

  /**
   * The value to set.
   *
   * @param scale digits after the point of a decimal, null for all that the value has
   * @throws SQLException AR-406 if the value is none of the type, AR-202 if it is too large
   */
  static Object of(ClientMoments moments, Object object, int type, @Nullable Integer scale)
      throws SQLException {
    if (type == Types.OTHER || type == Types.JAVA_OBJECT) {
      return object;
    }
    Object given = object;
    try {
      given = plain(object, moments);
      return switch (type) {
        case Types.TINYINT -> (int) integer(given, type, Byte.MIN_VALUE, Byte.MAX_VALUE);
        case Types.SMALLINT -> (int) integer(given, type, Short.MIN_VALUE, Short.MAX_VALUE);
        case Types.INTEGER -> (int) integer(given, type, Integer.MIN_VALUE, Integer.MAX_VALUE);
        case Types.BIGINT -> integer(given, type, Long.MIN_VALUE, Long.MAX_VALUE);
        case Types.DECIMAL, Types.NUMERIC -> decimal(given, type, scale);
        case Types.REAL -> real(given, type);
        case Types.FLOAT, Types.DOUBLE -> floating(given, type);
        case Types.BIT, Types.BOOLEAN -> bool(given, type);
        case Types.CHAR,
            Types.VARCHAR,
            Types.LONGVARCHAR,
            Types.NCHAR,
            Types.NVARCHAR,
            Types.LONGNVARCHAR,
            Types.CLOB,
            Types.NCLOB -> {
          if (given instanceof byte[]) {
            throw wrong(given, type);
          }
          yield text(given);
        }
        case Types.BINARY, Types.VARBINARY, Types.LONGVARBINARY, Types.BLOB -> {
          if (!(given instanceof byte[])) {
            throw wrong(given, type);
          }
          yield given;
        }
        case Types.DATE, Types.TIME, Types.TIMESTAMP, Types.TIMESTAMP_WITH_TIMEZONE -> {
          Object moment = ClientMoments.of(given, type);
          if (moment == null) {
            throw wrong(given, type);
          }
          // an instant says more than what clocks show at it
          yield moment.equals(given) && !(given instanceof String) ? object : moment;
        }
        default -> throw wrong(given, type);
      };
    } catch (NumberFormatException | DateTimeException e) {
      SQLException error = wrong(given, type);
      error.initCause(e);
      throw error;
    }
  }

  /** The object as one of few classes: a moment is what the connection's clocks show. */
  private static Object plain(Object object, ClientMoments moments) throws SQLException {
    if (object instanceof Byte || object instanceof Short) {
      return ((Number) object).intValue();
    } else if (object instanceof BigInteger number) {
      return new BigDecimal(number);
    } else if (object instanceof char[] text) {
      return new String(text);
    } else if (object instanceof Character || object instanceof UUID || object instanceof URL) {
      return object.toString();
    } else if (object instanceof Boolean
        || object instanceof Integer
        || object instanceof Long
        || object instanceof BigDecimal
        || object instanceof Float
        || object instanceof Double
        || object instanceof String
        || object instanceof byte[]) {
      return object;
    }
    Object moment = moments.local(object);
    if (moment == null) {
      throw ClientParameters.refused(object);
    }
    return moment;
  }

  private static long integer(Object given, int type, long least, long most) throws SQLException {
    BigDecimal number = number(given, type);
    if (number.compareTo(BigDecimal.valueOf(least)) < 0
        || number.compareTo(BigDecimal.valueOf(most)) > 0) {
      throw large(given, type);
    } else if (number.stripTrailingZeros().scale() > 0) {
      throw wrong(given, type);
    }
    return number.longValue();
  }

  private static BigDecimal decimal(Object given, int type, @Nullable Integer scale)
      throws SQLException {
    BigDecimal number = number(given, type);
    if (Math.abs((long) number.scale()) > MAX_SCALE) {
      throw large(given, type);
    }
    return scale == null || Math.abs((long) scale) > MAX_SCALE
        ? number
        : number.setScale(scale, RoundingMode.HALF_UP);
  }

  private static BigDecimal number(Object given, int type) throws SQLException {
    if (given instanceof Boolean bool) {
      return bool ? BigDecimal.ONE : BigDecimal.ZERO;
    } else if (given instanceof BigDecimal decimal) {
      return decimal;
    } else if (given instanceof Number || given instanceof String) {
      return new BigDecimal(given.toString().strip()); // refuses NaN
    }
    throw wrong(given, type);
  }

  private static double floating(Object given, int type) throws SQLException {
    if (given instanceof Float || given instanceof Double) {
      return ((Number) given).doubleValue();
    }
    String text = given instanceof String string ? string.strip() : "";
    double number = text.isEmpty() ? number(given, type).doubleValue() : Double.parseDouble(text);
    if (Double.isInfinite(number) && !text.endsWith("Infinity")) {
      throw large(given, type);
    }
    return number;
  }

  private static float real(Object given, int type) throws SQLException {
    double number = floating(given, type);
    float real = given instanceof String text ? Float.parseFloat(text.strip()) : (float) number;
    if (Float.isInfinite(real) && !Double.isInfinite(number)) {
      throw large(given, type);
    }
    return real;
  }

  private static boolean bool(Object given, int type) throws SQLException {
    String text = given instanceof String string ? string.strip() : "";
    double number = given instanceof Number value ? value.doubleValue() : -1;
    if (Boolean.TRUE.equals(given) || text.equalsIgnoreCase("true") || number == 1) {
      return true;
    } else if (Boolean.FALSE.equals(given) || text.equalsIgnoreCase("false") || number == 0) {
      return false;
    }
    throw wrong(given, type);
  }

  private static String text(Object given) {
    if (given instanceof byte[] bytes) {
      return new ByteString(bytes).toString();
    } else if (given instanceof BigDecimal decimal) {
      return Math.abs((long) decimal.scale()) > MAX_SCALE
          ? decimal.toString()
          : decimal.toPlainString();
    }
    return ClientMoments.text(given);
  }

  private static SQLException large(Object given, int type) {
    return ClientErrors.user(
        202,
        "22003",
        "The parameter %s does not fit %s; give it as a wider type, or without one."
            .formatted(text(given), name(type)));
  }

  private static SQLException wrong(Object given, int type) {
    return ClientErrors.user(
        406,
        "HY010",
        "The parameter %s is not a value of %s; give it without a type, or convert it before."
            .formatted(text(given), name(type)));
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
