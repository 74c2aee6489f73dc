package io.aragonite.client;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.Reader;
import java.io.StringReader;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.Array;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.Date;
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
import java.util.UUID;
import javax.sql.rowset.serial.SerialBlob;
import javax.sql.rowset.serial.SerialClob;
import org.jspecify.annotations.Nullable;

/** Values of a row by Java's classes, as streams and as large objects, which Avatica has not. */
final class ClientValues {
  /** JDBC's code of a value that does not fit what is asked for. */
  private static final String INVALID = "22018";

  /** A getter of JDBC's. */
  private interface Getter {
    @Nullable Object get(ResultSet rows, int column) throws SQLException;
  }

  private static final Map<Class<?>, Getter> GETTERS =
      Map.ofEntries(
          Map.entry(String.class, ResultSet::getString),
          Map.entry(BigDecimal.class, ResultSet::getBigDecimal),
          Map.entry(
              BigInteger.class, (rows, column) -> rows.getBigDecimal(column).toBigIntegerExact()),
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
          Map.entry(Clob.class, ResultSet::getClob));

  private ClientValues() {}

  /**
   * {@link ResultSet#getObject(int, Class)}.
   *
   * @param zone where moments without a time zone are read
   */
  static @Nullable Object get(ResultSet rows, int column, Class<?> type, ZoneId zone)
      throws SQLException {
    Object value = rows.getObject(column);
    if (value == null || type.isInstance(value)) {
      return value;
    }
    Object made;
    try {
      Getter getter = GETTERS.get(type);
      made = getter == null ? made(rows, column, value, type, zone) : getter.get(rows, column);
    } catch (ArithmeticException | IllegalArgumentException | DateTimeException e) {
      throw new SQLException(
          "The value " + rows.getString(column) + " of column " + column + " is not a "
              + type.getSimpleName() + ".",
          INVALID,
          e);
    }
    if (made == null) {
      throw refused(column, value, type.getName());
    }
    return made;
  }

  private static SQLException refused(int column, Object value, String type) {
    return new SQLException(
        "Column " + column + " holds a " + value.getClass().getSimpleName()
            + ", which cannot be had as " + type + ".",
        INVALID);
  }

  /** A value of a class that has no getter; null if it cannot be made of the column's. */
  private static @Nullable Object made(
      ResultSet rows, int column, Object value, Class<?> type, ZoneId zone) throws SQLException {
    boolean dated = value instanceof Date || value instanceof Timestamp || value instanceof String;
    boolean timed = value instanceof Time || value instanceof Timestamp || value instanceof String;
    if (type == LocalDate.class && dated) {
      return local(rows.getString(column)).toLocalDate();
    } else if (type == LocalDateTime.class && dated) {
      return local(rows.getString(column));
    } else if (type == LocalTime.class && timed) {
      return local(rows.getString(column)).toLocalTime();
    } else if (value instanceof Timestamp shown) {
      return moment(moment(local(rows.getString(column)), shown, zone), type);
    } else if (type == UUID.class && value instanceof String text) {
      return UUID.fromString(text.strip());
    } else if (type == UUID.class && value instanceof byte[] bytes && bytes.length == 16) {
      ByteBuffer both = ByteBuffer.wrap(bytes);
      return new UUID(both.getLong(), both.getLong());
    } else if (value instanceof Array array && type == List.class) {
      return Arrays.asList((Object[]) array.getArray());
    } else if (value instanceof Array array && type.isArray()) {
      return elements((Object[]) array.getArray(), type.getComponentType());
    }
    return null;
  }

  /** A text of SQL's: a date, a time, or both. */
  private static LocalDateTime local(String text) {
    String stripped = text.strip();
    if (stripped.indexOf(':') < 0) {
      return LocalDate.parse(stripped).atStartOfDay();
    }
    return stripped.indexOf('-', 1) < 0
        ? LocalDate.EPOCH.atTime(LocalTime.parse(stripped))
        : LocalDateTime.parse(stripped.replace(' ', 'T'));
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

  private static @Nullable Object moment(ZonedDateTime moment, Class<?> type) {
    if (type == Instant.class) {
      return moment.toInstant();
    } else if (type == OffsetDateTime.class) {
      return moment.toOffsetDateTime();
    } else if (type == ZonedDateTime.class) {
      return moment;
    }
    return type == Calendar.class ? GregorianCalendar.from(moment) : null;
  }

  private static Object elements(Object[] elements, Class<?> type) {
    Object result = java.lang.reflect.Array.newInstance(type, elements.length);
    for (int i = 0; i < elements.length; i++) {
      java.lang.reflect.Array.set(result, i, elements[i]);
    }
    return result;
  }

  static @Nullable InputStream ascii(ResultSet rows, int column) throws SQLException {
    String text = text(rows, column, "an ASCII stream");
    return text == null
        ? null
        : new ByteArrayInputStream(text.getBytes(StandardCharsets.US_ASCII));
  }

  static @Nullable Reader characters(ResultSet rows, int column) throws SQLException {
    String text = text(rows, column, "a character stream");
    return text == null ? null : new StringReader(text);
  }

  static @Nullable InputStream binary(ResultSet rows, int column) throws SQLException {
    byte[] bytes = bytes(rows, column, "a binary stream");
    return bytes == null ? null : new ByteArrayInputStream(bytes);
  }

  static @Nullable Blob blob(ResultSet rows, int column) throws SQLException {
    byte[] bytes = bytes(rows, column, "a Blob");
    return bytes == null ? null : new SerialBlob(bytes);
  }

  static @Nullable Clob clob(ResultSet rows, int column) throws SQLException {
    String text = text(rows, column, "a Clob");
    return text == null ? null : new SerialClob(text.toCharArray());
  }

  private static @Nullable String text(ResultSet rows, int column, String what)
      throws SQLException {
    Object value = rows.getObject(column);
    if (value != null && !(value instanceof String)) {
      throw refused(column, value, what);
    }
    return (String) value;
  }

  private static byte @Nullable [] bytes(ResultSet rows, int column, String what)
      throws SQLException {
    Object value = rows.getObject(column);
    if (value != null && !(value instanceof byte[])) {
      throw refused(column, value, what);
    }
    return (byte[]) value;
  }
}
