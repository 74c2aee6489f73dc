package io.aragonite.client;

import java.io.InputStream;
import java.io.Reader;
import java.sql.Array;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.Date;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Time;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.util.ArrayList;
import java.util.Calendar;
import java.util.HexFormat;
import java.util.List;
import java.util.TimeZone;
import java.util.regex.Pattern;
import org.apache.calcite.avatica.AvaticaResultSet;
import org.apache.calcite.avatica.AvaticaStatement;
import org.apache.calcite.avatica.Meta;
import org.apache.calcite.avatica.QueryState;
import org.apache.calcite.avatica.util.DateTimeUtils;
import org.jspecify.annotations.Nullable;

/** Rows of a server, whose instants come as texts: the local time and its offset. */
final class ClientResultSet extends AvaticaResultSet {
  private static final DateTimeFormatter TEXT =
      new DateTimeFormatterBuilder()
          .append(DateTimeFormatter.ISO_LOCAL_DATE)
          .appendLiteral(' ')
          .append(DateTimeFormatter.ISO_LOCAL_TIME)
          .appendOffset("+HH:mm:ss", "+00")
          .toFormatter();

  /** Zeros at the end of a fraction, which may be all of it. */
  private static final Pattern FILLED = Pattern.compile("(?:[.]|(?<=[.]\\d{1,9}))0+$");

  /** Digits of a second that Avatica's protocol has. */
  private static final int MILLISECONDS = 3;

  private final ZoneId zone;

  ClientResultSet(
      AvaticaStatement statement,
      QueryState state,
      Meta.Signature signature,
      ResultSetMetaData columns,
      TimeZone zone,
      Meta.Frame firstFrame)
      throws SQLException {
    super(statement, state, signature, columns, zone, firstFrame);
    this.zone = zone.toZoneId();
  }

  /** Asks for more rows on the way, of which the server may have an error instead. */
  @Override
  public boolean next() throws SQLException {
    try {
      return super.next();
    } catch (RuntimeException e) {
      throw ClientErrors.of(e, "The next rows could not be read");
    }
  }

  private boolean isInstant(int column) {
    return column > 0
        && column <= signature.columns.size()
        && ClientColumns.isInstant(signature.columns.get(column - 1));
  }

  private @Nullable OffsetDateTime instant(int column) throws SQLException {
    String text = super.getString(column);
    return text == null ? null : OffsetDateTime.parse(text, TEXT);
  }

  /** Without the zeros with which Avatica fills a column's width, which it takes for its digits. */
  @Override
  public @Nullable String getString(int column) throws SQLException {
    int type = getMetaData().getColumnType(column);
    if (type == Types.BINARY || type == Types.VARBINARY) {
      byte[] bytes = getBytes(column);
      return bytes == null ? null : HexFormat.of().formatHex(bytes);
    }
    if (type == Types.ARRAY) {
      Array array = getArray(column);
      return array == null ? null : text(array);
    }
    String text = super.getString(column);
    return text != null && (type == Types.TIMESTAMP || type == Types.TIME)
        ? withoutZeros(text)
        : text;
  }

  private static String withoutZeros(String text) {
    return FILLED.matcher(text).replaceFirst("");
  }

  /** Avatica takes the milliseconds of java.sql's classes, whose calendar is another before 1582. */
  private String text(Array array) throws SQLException {
    int type = array.getBaseType();
    if (type != Types.DATE && type != Types.TIMESTAMP) {
      return array.toString();
    }
    List<String> texts = new ArrayList<>();
    for (Object element : (Object[]) array.getArray()) {
      texts.add(
          element instanceof Date date
              ? DateTimeUtils.unixDateToString(
                  DateTimeUtils.sqlDateToUnixDate(date, getLocalCalendar()))
              : element instanceof Timestamp moment
                  ? withoutZeros(
                      DateTimeUtils.unixTimestampToString(
                          DateTimeUtils.sqlTimestampToUnixTimestamp(moment, getLocalCalendar()),
                          MILLISECONDS))
                  : String.valueOf(element));
    }
    return texts.toString();
  }

  @Override
  public @Nullable String getString(String label) throws SQLException {
    return getString(findColumn(label));
  }

  @Override
  public @Nullable Object getObject(int column) throws SQLException {
    return isInstant(column) ? instant(column) : super.getObject(column);
  }

  @Override
  public @Nullable Object getObject(String label) throws SQLException {
    return getObject(findColumn(label));
  }

  @Override
  public <T> @Nullable T getObject(int column, Class<T> type) throws SQLException {
    Object value =
        isInstant(column) ? instant(column, type) : ClientValues.get(this, column, type, zone);
    @SuppressWarnings("unchecked") // of type, or of the class of its boxed values
    T typed = (T) value;
    return typed;
  }

  @Override
  public <T> @Nullable T getObject(String label, Class<T> type) throws SQLException {
    return getObject(findColumn(label), type);
  }

  private @Nullable Object instant(int column, Class<?> type) throws SQLException {
    OffsetDateTime value = instant(column);
    if (value == null) {
      return null;
    }
    if (type == OffsetDateTime.class || type == Object.class) {
      return value;
    } else if (type == Instant.class) {
      return value.toInstant();
    } else if (type == ZonedDateTime.class) {
      return value.toZonedDateTime();
    } else if (type == Timestamp.class) {
      return Timestamp.from(value.toInstant());
    } else if (type == String.class) {
      return super.getString(column);
    }
    throw new SQLException(
        "column " + column + " is a TIMESTAMP WITH TIME ZONE, which cannot be had as "
            + type.getName(),
        "22018");
  }

  @Override
  public @Nullable Timestamp getTimestamp(int column) throws SQLException {
    return isInstant(column) ? timestamp(instant(column)) : super.getTimestamp(column);
  }

  @Override
  public @Nullable Timestamp getTimestamp(String label) throws SQLException {
    return getTimestamp(findColumn(label));
  }

  @Override
  public @Nullable Timestamp getTimestamp(int column, Calendar calendar) throws SQLException {
    return isInstant(column) ? timestamp(instant(column)) : super.getTimestamp(column, calendar);
  }

  @Override
  public @Nullable Timestamp getTimestamp(String label, Calendar calendar) throws SQLException {
    return getTimestamp(findColumn(label), calendar);
  }

  private static @Nullable Timestamp timestamp(@Nullable OffsetDateTime value) {
    return value == null ? null : Timestamp.from(value.toInstant());
  }

  @Override
  public @Nullable Date getDate(int column) throws SQLException {
    if (!isInstant(column)) {
      return super.getDate(column);
    }
    OffsetDateTime value = instant(column);
    return value == null ? null : Date.valueOf(value.toLocalDate());
  }

  @Override
  public @Nullable Date getDate(String label) throws SQLException {
    return getDate(findColumn(label));
  }

  @Override
  public @Nullable Time getTime(int column) throws SQLException {
    if (!isInstant(column)) {
      return super.getTime(column);
    }
    OffsetDateTime value = instant(column);
    return value == null
        ? null
        : Time.valueOf(value.toLocalTime());
  }

  @Override
  public @Nullable Time getTime(String label) throws SQLException {
    return getTime(findColumn(label));
  }

  @Override
  public @Nullable InputStream getAsciiStream(int column) throws SQLException {
    return ClientValues.ascii(this, column);
  }

  @Override
  public @Nullable InputStream getAsciiStream(String label) throws SQLException {
    return ClientValues.ascii(this, findColumn(label));
  }

  @Override
  public @Nullable InputStream getBinaryStream(int column) throws SQLException {
    return ClientValues.binary(this, column);
  }

  @Override
  public @Nullable InputStream getBinaryStream(String label) throws SQLException {
    return ClientValues.binary(this, findColumn(label));
  }

  @Override
  public @Nullable Reader getCharacterStream(int column) throws SQLException {
    return ClientValues.characters(this, column);
  }

  @Override
  public @Nullable Reader getCharacterStream(String label) throws SQLException {
    return ClientValues.characters(this, findColumn(label));
  }

  @Override
  public @Nullable Reader getNCharacterStream(int column) throws SQLException {
    return ClientValues.characters(this, column);
  }

  @Override
  public @Nullable Reader getNCharacterStream(String label) throws SQLException {
    return ClientValues.characters(this, findColumn(label));
  }

  @Override
  public @Nullable Blob getBlob(int column) throws SQLException {
    return ClientValues.blob(this, column);
  }

  @Override
  public @Nullable Blob getBlob(String label) throws SQLException {
    return ClientValues.blob(this, findColumn(label));
  }

  @Override
  public @Nullable Clob getClob(int column) throws SQLException {
    return ClientValues.clob(this, column);
  }

  @Override
  public @Nullable Clob getClob(String label) throws SQLException {
    return ClientValues.clob(this, findColumn(label));
  }
}
