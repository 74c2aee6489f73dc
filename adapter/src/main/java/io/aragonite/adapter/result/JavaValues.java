package io.aragonite.adapter.result;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.Date;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Time;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.Calendar;
import java.util.GregorianCalendar;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Java's types for values, where Avatica has none: JDBC 4.2's and those asked for by class. */
public final class JavaValues {
  private static final Set<Class<?>> MOMENTS =
      Set.of(Instant.class, OffsetDateTime.class, ZonedDateTime.class, Calendar.class);

  private JavaValues() {}

  /**
   * {@link ResultSet#getObject(int, Class)}.
   *
   * @throws AragoniteException INVALID_CALL if there is no such conversion
   */
  static @Nullable Object get(ResultSet rows, int column, Class<?> type) throws SQLException {
    Object value = rows.getObject(column);
    if (value == null || type.isInstance(value)) {
      return value;
    }
    try {
      if (type == String.class) {
        return rows.getString(column);
      } else if (type == BigDecimal.class) {
        return rows.getBigDecimal(column);
      } else if (type == BigInteger.class) {
        return rows.getBigDecimal(column).toBigIntegerExact();
      } else if (type == Long.class) {
        return rows.getLong(column);
      } else if (type == Integer.class) {
        return rows.getInt(column);
      } else if (type == Short.class) {
        return rows.getShort(column);
      } else if (type == Byte.class) {
        return rows.getByte(column);
      } else if (type == Double.class) {
        return rows.getDouble(column);
      } else if (type == Float.class) {
        return rows.getFloat(column);
      } else if (type == Boolean.class) {
        return rows.getBoolean(column);
      } else if (type == byte[].class) {
        return rows.getBytes(column);
      } else if (type == Date.class) {
        return rows.getDate(column);
      } else if (type == Time.class) {
        return rows.getTime(column);
      } else if (type == Timestamp.class) {
        return rows.getTimestamp(column);
      } else if (type == LocalDate.class && (value instanceof Date || value instanceof Timestamp)) {
        return local(rows, column).toLocalDate();
      } else if (type == LocalDateTime.class
          && (value instanceof Date || value instanceof Timestamp)) {
        return local(rows, column);
      } else if (value instanceof Timestamp moment && MOMENTS.contains(type)) {
        return moment(moment.toInstant(), type);
      } else if (type == UUID.class && value instanceof String text) {
        return UUID.fromString(text);
      } else if (type == LocalTime.class && value instanceof Time) {
        return LocalTime.parse(text(rows, column));
      } else if (type == LocalTime.class && value instanceof Timestamp) {
        return local(rows, column).toLocalTime();
      }
    } catch (ArithmeticException | IllegalArgumentException e) {
      throw new AragoniteException(
          ErrorCode.INVALID_CALL,
          "The value %s of column %d is not a %s."
              .formatted(rows.getString(column), column, type.getSimpleName()),
          e);
    }
    throw new AragoniteException(
        ErrorCode.INVALID_CALL,
        "Column %d holds a %s, which cannot be had as %s."
            .formatted(column, value.getClass().getSimpleName(), type.getName()));
  }

  private static Object moment(Instant moment, Class<?> type) {
    ZonedDateTime local = moment.atZone(ZoneId.systemDefault());
    if (type == Instant.class) {
      return moment;
    } else if (type == OffsetDateTime.class) {
      return local.toOffsetDateTime();
    }
    return type == ZonedDateTime.class ? local : GregorianCalendar.from(local);
  }

  private static String text(ResultSet rows, int column) throws SQLException {
    return String.valueOf(rows.getString(column));
  }

  /** Through the value's text, which no time zone bends. */
  private static LocalDateTime local(ResultSet rows, int column) throws SQLException {
    String text = text(rows, column);
    return text.length() <= 10
        ? LocalDate.parse(text).atStartOfDay()
        : LocalDateTime.parse(text.replace(' ', 'T'));
  }

  /** A parameter in a form that Calcite takes: dates and times of java.time as their texts. */
  public static @Nullable Object parameter(@Nullable Object value) {
    return switch (value) {
      case LocalDate date -> date.toString();
      case LocalTime time -> time.toString().length() == 5 ? time + ":00" : time.toString();
      case LocalDateTime time -> time.toLocalDate() + " " + parameter(time.toLocalTime());
      case java.util.Date date
          when !(date instanceof Date || date instanceof Time || date instanceof Timestamp) ->
          new Timestamp(date.getTime());
      case Character character -> character.toString();
      case BigInteger integer -> new BigDecimal(integer);
      case null, default -> value;
    };
  }
}
