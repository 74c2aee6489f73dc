package io.aragonite.adapter.result;

import io.aragonite.adapter.parameter.ShownMoment;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.io.InputStream;
import java.io.Reader;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.sql.Array;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.Date;
import java.sql.NClob;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Time;
import java.sql.Timestamp;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.Arrays;
import java.util.Calendar;
import java.util.GregorianCalendar;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TimeZone;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Java's types for values, where Avatica has none: JDBC 4.2's and those asked for by class. */
public final class JavaValues {
  private static final Set<Class<?>> MOMENTS =
      Set.of(Instant.class, OffsetDateTime.class, ZonedDateTime.class, Calendar.class);

  /** A getter of JDBC's. */
  private interface Getter {
    @Nullable Object get(ResultSet rows, int column) throws SQLException;
  }

  private static final Map<Class<?>, Getter> GETTERS =
      Map.ofEntries(
          Map.entry(String.class, ResultSet::getString),
          Map.entry(BigDecimal.class, ResultSet::getBigDecimal),
          Map.entry(
              BigInteger.class,
              (rows, column) -> {
                BigDecimal value = rows.getBigDecimal(column);
                return value == null ? null : value.toBigIntegerExact();
              }),
          Map.entry(Long.class, ResultSet::getLong),
          Map.entry(Integer.class, ResultSet::getInt),
          Map.entry(Short.class, ResultSet::getShort),
          Map.entry(Byte.class, ResultSet::getByte),
          Map.entry(Double.class, ResultSet::getDouble),
          Map.entry(Float.class, ResultSet::getFloat),
          Map.entry(Boolean.class, ResultSet::getBoolean),
          Map.entry(byte[].class, ResultSet::getBytes),
          Map.entry(Date.class, ResultSet::getDate),
          Map.entry(Time.class, ResultSet::getTime),
          Map.entry(Timestamp.class, ResultSet::getTimestamp),
          Map.entry(java.util.Date.class, ResultSet::getTimestamp),
          Map.entry(InputStream.class, ResultSet::getBinaryStream),
          Map.entry(Reader.class, ResultSet::getCharacterStream),
          Map.entry(Blob.class, ResultSet::getBlob),
          Map.entry(Clob.class, ResultSet::getClob),
          Map.entry(NClob.class, ResultSet::getNClob),
          Map.entry(Array.class, ResultSet::getArray));

  private JavaValues() {}

  /**
   * {@link ResultSet#getObject(int, Class)}.
   *
   * @param zone where moments are read
   * @throws AragoniteException INVALID_CALL if there is no such conversion
   */
  static @Nullable Object get(ResultSet rows, int column, Class<?> type, TimeZone zone)
      throws SQLException {
    Object value = rows.getObject(column);
    if (value == null || type.isInstance(value)) {
      return value;
    }
    Getter getter = GETTERS.get(type);
    try {
      if (getter != null) {
        return getter.get(rows, column);
      }
      Object made = made(rows, column, value, type, zone);
      if (made != null) {
        return made;
      }
    } catch (ArithmeticException | IllegalArgumentException | DateTimeException e) {
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

  /** A value of a class that has no getter; null if it cannot be made of the column's. */
  private static @Nullable Object made(
      ResultSet rows, int column, Object value, Class<?> type, TimeZone zone) throws SQLException {
    boolean dated = value instanceof Date || value instanceof Timestamp || value instanceof String;
    boolean timed = value instanceof Time || value instanceof Timestamp || value instanceof String;
    if (type == LocalDate.class && dated) {
      return local(rows, column).toLocalDate();
    } else if (type == LocalDateTime.class && dated) {
      return local(rows, column);
    } else if (type == LocalTime.class && timed) {
      return time(rows, column);
    } else if (value instanceof Timestamp moment && MOMENTS.contains(type)) {
      return moment(moment(local(rows, column), moment, zone.toZoneId()), type);
    } else if (type == UUID.class && value instanceof String text) {
      return UUID.fromString(text.strip());
    } else if (type == UUID.class && value instanceof byte[] bytes && bytes.length == 16) {
      ByteBuffer both = ByteBuffer.wrap(bytes);
      return new UUID(both.getLong(), both.getLong());
    } else if (value instanceof Array array && type == List.class) {
      return Arrays.asList((Object[]) array.getArray());
    } else if (value instanceof Array array && type.isArray()) {
      return elements(array.getArray(), type);
    }
    return null;
  }

  /** An array's elements in an array of another class. */
  private static Object elements(Object elements, Class<?> type) {
    if (type.isInstance(elements)) {
      return elements;
    }
    int length = java.lang.reflect.Array.getLength(elements);
    Object array = java.lang.reflect.Array.newInstance(type.getComponentType(), length);
    for (int i = 0; i < length; i++) {
      Object element = java.lang.reflect.Array.get(elements, i);
      if (element == null && type.getComponentType().isPrimitive()) {
        throw new IllegalArgumentException("null");
      }
      java.lang.reflect.Array.set(array, i, element);
    }
    return array;
  }

  /**
   * When clocks of a zone show a local time.
   *
   * @param shown java.sql's value of it, which says which of two moments it is, but has another
   *     calendar before 1582 and no zones as they were before 1900
   */
  private static ZonedDateTime moment(LocalDateTime local, Timestamp shown, ZoneId zone) {
    ZonedDateTime moment = shown.toInstant().atZone(zone);
    return moment.toLocalDateTime().equals(local) ? moment : local.atZone(zone);
  }

  private static Object moment(ZonedDateTime moment, Class<?> type) {
    if (type == Instant.class) {
      return moment.toInstant();
    } else if (type == OffsetDateTime.class) {
      return moment.toOffsetDateTime();
    }
    return type == ZonedDateTime.class ? moment : GregorianCalendar.from(moment);
  }

  private static String text(ResultSet rows, int column) throws SQLException {
    return String.valueOf(rows.getString(column)).strip();
  }

  private static LocalTime time(ResultSet rows, int column) throws SQLException {
    String text = text(rows, column);
    return text.indexOf('-') < 0 ? LocalTime.parse(text) : local(rows, column).toLocalTime();
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
      case ShownMoment moment -> parameter(moment.shown());
      case java.util.Date date
          when !(date instanceof Date || date instanceof Time || date instanceof Timestamp) ->
          new Timestamp(date.getTime());
      case Character character -> character.toString();
      case BigInteger integer -> new BigDecimal(integer);
      case null, default -> value;
    };
  }
}
