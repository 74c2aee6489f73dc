package io.aragonite.client;

import java.io.InputStream;
import java.io.Reader;
import java.math.BigDecimal;
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
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Calendar;
import java.util.HexFormat;
import java.util.UUID;
import java.util.List;
import java.util.TimeZone;
import java.util.regex.Pattern;
import org.apache.calcite.avatica.AvaticaResultSet;
import org.apache.calcite.avatica.AvaticaStatement;
import org.apache.calcite.avatica.ColumnMetaData;
import org.apache.calcite.avatica.Meta;
import org.apache.calcite.avatica.MetaImpl;
import org.apache.calcite.avatica.QueryState;
import org.apache.calcite.avatica.util.Cursor;
import org.jspecify.annotations.Nullable;

/** Rows of a server, whose instants come as texts: the local time and its offset. */
final class ClientResultSet extends AvaticaResultSet {
  private static final DateTimeFormatter TEXT =
      new DateTimeFormatterBuilder()
          .append(DateTimeFormatter.ISO_LOCAL_DATE)
          .appendLiteral(' ')
          .append(DateTimeFormatter.ISO_LOCAL_TIME)
          .appendOffset("+HH:mm:ss", "Z") // which never comes: "+00" would be all of "+00:19:32"
          .toFormatter();

  /** Zeros at the end of a fraction, which may be all of it. */
  private static final Pattern FILLED = Pattern.compile("(?:[.]|(?<=[.]\\d{1,9}))0+$");

  /** From which java.sql's calendars have the offsets of java.time's. */
  private static final int FIRST_YEAR = 1900;

  private static final ColumnMetaData.AvaticaType RAW =
      ColumnMetaData.scalar(Types.OTHER, "RAW", ColumnMetaData.Rep.OBJECT);

  private final TimeZone timeZone;
  private final ZoneId zone;

  /** Of the columns, whatever their types; empty as long as nobody has asked. */
  private List<Cursor.Accessor> raw = List.of();

  ClientResultSet(
      @Nullable AvaticaStatement statement,
      QueryState state,
      Meta.Signature signature,
      ResultSetMetaData columns,
      TimeZone zone,
      Meta.Frame firstFrame)
      throws SQLException {
    super(statement, state, signature, columns, zone, firstFrame);
    this.timeZone = zone;
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

  private boolean is(int column, int type) {
    return column > 0
        && column <= signature.columns.size()
        && signature.columns.get(column - 1).type.id == type;
  }

  private boolean isTimestamp(int column) {
    return is(column, Types.TIMESTAMP);
  }

  /** Of which Avatica would make an error where a date or a time is asked for. */
  private boolean isNullText(int column) throws SQLException {
    return (is(column, Types.VARCHAR) || is(column, Types.CHAR)) && super.getString(column) == null;
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
      return array == null ? null : array.toString();
    }
    String text = super.getString(column);
    return text != null && (type == Types.TIMESTAMP || type == Types.TIME)
        ? withoutZeros(text)
        : text;
  }

  static String withoutZeros(String text) {
    return FILLED.matcher(text).replaceFirst("");
  }

  @Override
  public @Nullable Array getArray(int column) throws SQLException {
    Array array = super.getArray(column);
    ColumnMetaData.AvaticaType type = signature.columns.get(column - 1).type;
    return array != null
            && type instanceof ColumnMetaData.ArrayType list
            && ClientArray.isMoment(list.getComponent().id)
            && raw(column) instanceof List<?> counts
        ? new ClientArray(list.getComponent(), counts, timeZone)
        : array;
  }

  @Override
  public @Nullable Array getArray(String label) throws SQLException {
    return getArray(findColumn(label));
  }

  /** A column's value as it came. */
  private @Nullable Object raw(int column) throws SQLException {
    if (raw.isEmpty()) {
      List<ColumnMetaData> columns = new ArrayList<>();
      for (int i = 0; i < signature.columns.size(); i++) {
        columns.add(MetaImpl.columnMetaData("RAW", i, RAW, true));
      }
      raw = cursor.createAccessors(columns, getLocalCalendar(), null);
    }
    return raw.get(column - 1).getObject();
  }

  @Override
  public @Nullable String getString(String label) throws SQLException {
    return getString(findColumn(label));
  }

  @Override
  public @Nullable Object getObject(int column) throws SQLException {
    if (isInstant(column)) {
      return instant(column);
    }
    if (is(column, Types.ARRAY)) {
      return getArray(column);
    }
    Object value = super.getObject(column);
    if (value instanceof String text && ClientColumns.isUuid(signature.columns.get(column - 1))) {
      return UUID.fromString(text);
    }
    if (value instanceof Date date) {
      return inZone(column, date, zone);
    }
    return value instanceof Timestamp moment ? inZone(column, moment, zone) : value;
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
    if (isInstant(column)) {
      return timestamp(instant(column));
    }
    if (is(column, Types.DATE)) {
      return timestamp(getDate(column));
    }
    return isNullText(column) ? null : inZone(column, super.getTimestamp(column), zone);
  }

  @Override
  public @Nullable Timestamp getTimestamp(String label) throws SQLException {
    return getTimestamp(findColumn(label));
  }

  /** {@inheritDoc} Without a calendar the session's zone counts, here and in other getters. */
  @Override
  public @Nullable Timestamp getTimestamp(int column, @Nullable Calendar calendar)
      throws SQLException {
    if (calendar == null || isInstant(column) || isNullText(column)) {
      return getTimestamp(column);
    }
    return is(column, Types.DATE)
        ? timestamp(getDate(column, calendar))
        : inZone(column, super.getTimestamp(column, calendar), zone(calendar));
  }

  @Override
  public @Nullable Timestamp getTimestamp(String label, @Nullable Calendar calendar) throws SQLException {
    return getTimestamp(findColumn(label), calendar);
  }

  /**
   * Avatica asks for the zone's offset hours before or after the moment, if the zone is another than
   * this JVM's: clocks may change meanwhile. Before 1900 java.sql's calendars have offsets of their
   * own.
   */
  private @Nullable Timestamp inZone(int column, @Nullable Timestamp value, ZoneId zone)
      throws SQLException {
    if (value == null
        || signature.columns.get(column - 1).type.id != Types.TIMESTAMP
        || !(raw(column) instanceof Number count)) {
      return value;
    }
    LocalDateTime shown =
        LocalDateTime.ofInstant(Instant.ofEpochMilli(count.longValue()), ZoneOffset.UTC);
    return shown.getYear() < FIRST_YEAR
            || value.toInstant().atZone(zone).toLocalDateTime().equals(shown)
        ? value
        : Timestamp.from(shown.atZone(zone).toInstant());
  }

  /** The same for a day, which begins when the zone's clocks show so. */
  private @Nullable Date inZone(int column, @Nullable Date value, ZoneId zone) throws SQLException {
    if (value == null || !is(column, Types.DATE) || !(raw(column) instanceof Number count)) {
      return value;
    }
    LocalDate shown = LocalDate.ofEpochDay(count.longValue());
    return shown.getYear() < FIRST_YEAR ? value : new Date(millis(shown.atStartOfDay(zone)));
  }

  private static @Nullable Timestamp timestamp(@Nullable Date value) {
    return value == null ? null : new Timestamp(value.getTime());
  }

  private static @Nullable Timestamp timestamp(@Nullable OffsetDateTime value) {
    return value == null ? null : Timestamp.from(value.toInstant());
  }

  @Override
  public @Nullable Date getDate(int column) throws SQLException {
    if (isTimestamp(column)) {
      Timestamp moment = getTimestamp(column);
      return moment == null ? null : new Date(moment.getTime());
    }
    if (!isInstant(column)) {
      return isNullText(column) ? null : inZone(column, super.getDate(column), zone);
    }
    OffsetDateTime value = instant(column);
    return value == null ? null : Date.valueOf(value.toLocalDate());
  }

  @Override
  public @Nullable Date getDate(String label) throws SQLException {
    return getDate(findColumn(label));
  }

  /** {@inheritDoc} Of an instant it is the day that clocks of the calendar's zone show. */
  @Override
  public @Nullable Date getDate(int column, @Nullable Calendar calendar) throws SQLException {
    if (calendar == null || isNullText(column)) {
      return getDate(column);
    }
    if (isInstant(column)) {
      ZonedDateTime value = instant(column, calendar);
      return value == null ? null : new Date(millis(value.truncatedTo(ChronoUnit.DAYS)));
    }
    if (isTimestamp(column)) {
      Timestamp moment = getTimestamp(column, calendar);
      return moment == null ? null : new Date(moment.getTime());
    }
    return inZone(column, super.getDate(column, calendar), zone(calendar));
  }

  @Override
  public @Nullable Date getDate(String label, @Nullable Calendar calendar) throws SQLException {
    return getDate(findColumn(label), calendar);
  }

  @Override
  public @Nullable Time getTime(int column) throws SQLException {
    if (isTimestamp(column)) {
      Timestamp moment = getTimestamp(column);
      return moment == null ? null : time(moment.toInstant().atZone(zone));
    }
    if (!isInstant(column)) {
      return isNullText(column) ? null : super.getTime(column);
    }
    OffsetDateTime value = instant(column);
    if (value == null) {
      return null;
    }
    LocalTime shown = value.toLocalTime();
    return new Time(
        Time.valueOf(shown).getTime() + shown.get(ChronoField.MILLI_OF_SECOND)); // valueOf has none
  }

  @Override
  public @Nullable Time getTime(String label) throws SQLException {
    return getTime(findColumn(label));
  }

  /** {@inheritDoc} Of an instant it is what clocks of the calendar's zone show. */
  @Override
  public @Nullable Time getTime(int column, @Nullable Calendar calendar) throws SQLException {
    if (calendar == null || isNullText(column)) {
      return getTime(column);
    }
    if (isInstant(column)) {
      ZonedDateTime value = instant(column, calendar);
      return value == null ? null : time(value);
    }
    if (isTimestamp(column)) {
      Timestamp moment = getTimestamp(column, calendar);
      return moment == null ? null : time(moment.toInstant().atZone(zone(calendar)));
    }
    return super.getTime(column, calendar);
  }

  @Override
  public @Nullable Time getTime(String label, @Nullable Calendar calendar) throws SQLException {
    return getTime(findColumn(label), calendar);
  }

  private static ZoneId zone(Calendar calendar) {
    return calendar.getTimeZone().toZoneId();
  }

  private @Nullable ZonedDateTime instant(int column, Calendar calendar) throws SQLException {
    OffsetDateTime value = instant(column);
    return value == null ? null : value.atZoneSameInstant(zone(calendar));
  }

  private static long millis(ZonedDateTime moment) {
    return moment.toInstant().toEpochMilli();
  }

  /** What clocks show, on the day on which java.sql has times. */
  private static Time time(ZonedDateTime moment) {
    return new Time(millis(LocalDate.EPOCH.atTime(moment.toLocalTime()).atZone(moment.getZone())));
  }

  /** Refuses what Avatica would count days or milliseconds of. */
  private void requireNoMoment(int column, String type) throws SQLException {
    if (isInstant(column)
        || isTimestamp(column)
        || is(column, Types.DATE)
        || is(column, Types.TIME)) {
      Object value = getObject(column);
      if (value != null) {
        throw ClientNumbers.refused(column, value, type);
      }
    }
  }

  @Override
  public double getDouble(int column) throws SQLException {
    return ClientNumbers.floating(this, column, "double");
  }

  @Override
  public double getDouble(String label) throws SQLException {
    return getDouble(findColumn(label));
  }

  @Override
  public float getFloat(int column) throws SQLException {
    return ClientNumbers.single(this, column);
  }

  @Override
  public float getFloat(String label) throws SQLException {
    return getFloat(findColumn(label));
  }

  @Override
  public boolean getBoolean(int column) throws SQLException {
    requireNoMoment(column, "boolean");
    return super.getBoolean(column);
  }

  @Override
  public boolean getBoolean(String label) throws SQLException {
    return getBoolean(findColumn(label));
  }

  @Override
  public byte getByte(int column) throws SQLException {
    return (byte)
        ClientNumbers.whole(this, column, Byte.MIN_VALUE, Byte.MAX_VALUE, "byte");
  }

  @Override
  public byte getByte(String label) throws SQLException {
    return getByte(findColumn(label));
  }

  @Override
  public short getShort(int column) throws SQLException {
    return (short)
        ClientNumbers.whole(this, column, Short.MIN_VALUE, Short.MAX_VALUE, "short");
  }

  @Override
  public short getShort(String label) throws SQLException {
    return getShort(findColumn(label));
  }

  @Override
  public int getInt(int column) throws SQLException {
    return (int)
        ClientNumbers.whole(this, column, Integer.MIN_VALUE, Integer.MAX_VALUE, "int");
  }

  @Override
  public int getInt(String label) throws SQLException {
    return getInt(findColumn(label));
  }

  @Override
  public long getLong(int column) throws SQLException {
    return ClientNumbers.whole(this, column, Long.MIN_VALUE, Long.MAX_VALUE, "long");
  }

  @Override
  public long getLong(String label) throws SQLException {
    return getLong(findColumn(label));
  }

  @Override
  public @Nullable BigDecimal getBigDecimal(int column) throws SQLException {
    return ClientNumbers.decimal(this, column, "BigDecimal");
  }

  @Override
  public @Nullable BigDecimal getBigDecimal(String label) throws SQLException {
    return getBigDecimal(findColumn(label));
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
