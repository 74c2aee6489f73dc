package io.aragonite.client;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * JDBC's getters of numbers, as the driver in process has them. Avatica's hand out the low bits of
 * what does not fit; these say so. A fraction is cut where a whole number is asked for, a text is
 * parsed, and a null is 0.
 */
final class ClientNumbers {
  /** The most digits before the point that a long has. */
  private static final int LONG_DIGITS = 19;

  private ClientNumbers() {}

  /** A column's value as a whole number between two. */
  static long whole(ResultSet rows, int column, long least, long most, String type)
      throws SQLException {
    Object value = rows.getObject(column);
    if (value == null) {
      return 0;
    }
    if (value instanceof Double || value instanceof Float) {
      return whole(column, ((Number) value).doubleValue(), least, most, type);
    }
    if (value instanceof Number && !(value instanceof BigDecimal)) {
      return checked(column, value, ((Number) value).longValue(), least, most, type);
    }
    BigDecimal decimal = decimal(column, value, type);
    // the whole part of a number of a billion digits is not computed
    if ((long) decimal.precision() - decimal.scale() > LONG_DIGITS) {
      throw overflow(column, value, type);
    }
    BigInteger whole = decimal.setScale(0, RoundingMode.DOWN).unscaledValue();
    if (whole.bitLength() >= Long.SIZE) {
      throw overflow(column, value, type);
    }
    return checked(column, value, whole.longValue(), least, most, type);
  }

  private static long whole(int column, double value, long least, long most, String type)
      throws SQLException {
    // 2^63 is no long, but what Long.MAX_VALUE is as a double
    if (!(value >= -0x1p63 && value < 0x1p63)) {
      throw overflow(column, value, type);
    }
    return checked(column, value, (long) value, least, most, type);
  }

  private static long checked(
      int column, Object value, long whole, long least, long most, String type)
      throws SQLException {
    if (whole < least || whole > most) {
      throw overflow(column, value, type);
    }
    return whole;
  }

  /** A column's value as a decimal. */
  static @Nullable BigDecimal decimal(ResultSet rows, int column, String type)
      throws SQLException {
    Object value = rows.getObject(column);
    return value == null ? null : decimal(column, value, type);
  }

  private static BigDecimal decimal(int column, Object value, String type) throws SQLException {
    if (value instanceof BigDecimal decimal) {
      return decimal;
    } else if (value instanceof Boolean truth) {
      return truth ? BigDecimal.ONE : BigDecimal.ZERO;
    } else if (value instanceof String text) {
      return parsed(column, text, type);
    } else if (value instanceof Double || value instanceof Float) {
      double number = ((Number) value).doubleValue();
      if (Double.isNaN(number) || Double.isInfinite(number)) {
        throw overflow(column, value, type);
      }
      return BigDecimal.valueOf(number);
    } else if (value instanceof Number number) {
      return BigDecimal.valueOf(number.longValue());
    }
    throw refused(column, value, type);
  }

  /** A column's value as a double. */
  static double floating(ResultSet rows, int column, String type) throws SQLException {
    Object value = rows.getObject(column);
    if (value == null) {
      return 0;
    } else if (value instanceof Number number) {
      return number.doubleValue();
    } else if (value instanceof Boolean truth) {
      return truth ? 1 : 0;
    } else if (value instanceof String text) {
      try {
        return Double.parseDouble(text.strip());
      } catch (NumberFormatException e) {
        throw noNumber(column, text, type);
      }
    }
    throw refused(column, value, type);
  }

  /** A column's value as a float, in whose range it is. */
  static float single(ResultSet rows, int column) throws SQLException {
    Object whole = rows.getObject(column);
    if (whole instanceof Long || whole instanceof Integer) {
      return ((Number) whole).floatValue(); // rounded once
    }
    double value = floating(rows, column, "float");
    float single = (float) value;
    if (Float.isInfinite(single) && !Double.isInfinite(value)) {
      throw overflow(column, value, "float");
    }
    return single;
  }

  static SQLException refused(int column, Object value, String type) {
    return ClientErrors.user(
        406,
        "HY010",
        "Column %d holds a %s, which cannot be read as a %s; read it with getObject."
            .formatted(column, value.getClass().getSimpleName(), type));
  }

  private static BigDecimal parsed(int column, String text, String type) throws SQLException {
    try {
      return new BigDecimal(text.strip());
    } catch (NumberFormatException e) {
      throw noNumber(column, text, type);
    }
  }

  private static SQLException noNumber(int column, String text, String type) {
    return ClientErrors.user(
        203,
        "22018",
        "The text '%s' of column %d is not a %s; read it with getString."
            .formatted(text, column, type));
  }

  private static SQLException overflow(int column, Object value, String type) {
    return ClientErrors.user(
        202,
        "22003",
        "The value %s of column %d does not fit a %s; read it as a wider type, or with getObject."
            .formatted(value, column, type));
  }
}
