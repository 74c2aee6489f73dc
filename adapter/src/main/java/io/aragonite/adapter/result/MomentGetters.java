package io.aragonite.adapter.result;

import io.aragonite.adapter.execution.ClientRequest;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.sql.Date;
import java.sql.ResultSet;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.sql.Time;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.Calendar;
import java.util.Locale;
import java.util.TimeZone;
import java.util.function.IntUnaryOperator;
import java.util.function.LongFunction;
import org.apache.calcite.avatica.util.DateTimeUtils;
import org.jspecify.annotations.Nullable;

/**
 * JDBC's getters of dates and times. Texts are parsed; what the clock of the connection's time zone
 * shows, or that of a calendar that is given, is what the value says.
 */
final class MomentGetters {
  private static final long MILLIS_PER_DAY = 86_400_000L;
  private static final long FIRST_OF_1900 = LocalDate.of(1900, 1, 1).toEpochDay() * MILLIS_PER_DAY;

  private final ResultSet rows;
  private final ColumnGetters getters;
  private final TimeZone zone;
  private final IntUnaryOperator nanos;

  /**
   * @param nanos of the second of a column's timestamp where it has more than {@code rows} knows
   *     of; -1 elsewhere
   */
  MomentGetters(ResultSet rows, ColumnGetters getters, TimeZone zone, IntUnaryOperator nanos) {
    this.rows = rows;
    this.getters = getters;
    this.zone = zone;
    this.nanos = nanos;
  }

  /** What Avatica answers. */
  private interface Get<V> {
    @Nullable V get() throws SQLException;
  }

  /** {@link ResultSet#getDate(int, Calendar)}, the calendar null for none. */
  @Nullable Date getDate(int column, @Nullable Calendar calendar) throws SQLException {
    if (getters.isText(column)) {
      LocalDateTime local = text(column, "Date");
      return local == null
          ? null
          : date(local.toLocalDate(), calendar == null ? zone : calendar.getTimeZone());
    }
    if (calendar != null && isCounted(column)) {
      return counted(column, days -> new Date(days * MILLIS_PER_DAY));
    }
    return checked(
        column,
        "Date",
        () -> calendar == null ? rows.getDate(column) : rows.getDate(column, calendar));
  }

  /** The Date that shows a day, as those of java.sql do: by the Julian calendar before 1582. */
  static Date date(LocalDate day, TimeZone zone) {
    return DateTimeUtils.unixDateToSqlDate(
        Math.toIntExact(day.toEpochDay()), Calendar.getInstance(zone, Locale.ROOT));
  }

  /** {@link ResultSet#getTime(int, Calendar)}, the calendar null for none. */
  @Nullable Time getTime(int column, @Nullable Calendar calendar) throws SQLException {
    if (getters.isText(column)) {
      LocalDateTime local = text(column, "Time");
      return local == null
          ? null
          : new Time(instant(LocalDate.EPOCH.atTime(local.toLocalTime()), calendar).toEpochMilli());
    }
    Time value =
        calendar != null && isCounted(column)
            ? counted(column, Time::new)
            : checked(
                column,
                "Time",
                () -> calendar == null ? rows.getTime(column) : rows.getTime(column, calendar));
    return (Time) digits(column, value);
  }

  /** {@link ResultSet#getTimestamp(int, Calendar)}, the calendar null for none. */
  @Nullable Timestamp getTimestamp(int column, @Nullable Calendar calendar) throws SQLException {
    if (getters.isText(column)) {
      LocalDateTime local = text(column, "Timestamp");
      return local == null ? null : Timestamp.from(instant(local, calendar));
    }
    Timestamp value =
        calendar != null && isCounted(column)
            ? counted(column, Timestamp::new)
            : checked(
                column,
                "Timestamp",
                () ->
                    calendar == null
                        ? rows.getTimestamp(column)
                        : rows.getTimestamp(column, calendar));
    return (Timestamp)
        digits(column, inZone(column, value, calendar == null ? zone : calendar.getTimeZone()));
  }

  /**
   * Whether the milliseconds are what counts. Avatica's server takes those of what a calendar gets
   * for the number that its protocol carries, whatever the calendar: java.sql's classes would have
   * other ones before 1582, and where the clock of this JVM's zone jumps.
   */
  private boolean isCounted(int column) throws SQLException {
    return ClientRequest.isNarrow() && getters.isMoment(column);
  }

  private <V> @Nullable V counted(int column, LongFunction<V> make) throws SQLException {
    long millis = rows.getLong(column);
    return rows.wasNull() ? null : make.apply(millis);
  }

  /** The value of {@link ResultSet#getObject(int)} that Avatica has, with all its digits. */
  @Nullable Object whole(int column, @Nullable Object value) throws SQLException {
    return digits(column, inZone(column, value, zone));
  }

  /**
   * Avatica asks for the zone's offset hours before or after the moment, if the zone is another
   * than this JVM's: clocks may change meanwhile. Before 1900 java.sql's calendars have offsets of
   * their own.
   */
  private @Nullable Object inZone(int column, @Nullable Object value, TimeZone zone)
      throws SQLException {
    if (!(value instanceof Timestamp moment)
        || !getters.isClock(column)
        || ClientRequest.isNarrow()) {
      return value;
    }
    long shown = rows.getLong(column);
    long millis = moment.getTime();
    if (shown < FIRST_OF_1900 || millis + zone.getOffset(millis) == shown) {
      return value;
    }
    LocalDateTime local = LocalDateTime.ofInstant(Instant.ofEpochMilli(shown), ZoneOffset.UTC);
    return Timestamp.from(local.atZone(zone.toZoneId()).toInstant());
  }

  /** With the digits of a timestamp that Avatica has not. A Time has none. */
  private @Nullable Object digits(int column, @Nullable Object value) {
    int fraction =
        value instanceof Timestamp || value instanceof Time ? nanos.applyAsInt(column) : -1;
    if (fraction >= 0 && fraction % 1_000_000 != 0 && ClientRequest.isNarrow()) {
      throw NarrowColumns.tooFine(String.valueOf(column));
    }
    if (fraction >= 0 && value instanceof Timestamp timestamp) {
      timestamp.setNanos(fraction);
    }
    return value;
  }

  /** The date and time that a column's text says, null if it is a null. */
  @Nullable LocalDateTime text(int column, String type) throws SQLException {
    String text = getters.getString(column);
    if (text == null) {
      return null;
    }
    try {
      return parse(text.strip());
    } catch (DateTimeParseException e) {
      throw new AragoniteException(
          ErrorCode.INVALID_CAST,
          "The text '%s' of column %d is not a %s; read it with getString."
              .formatted(text, column, type),
          e);
    }
  }

  /** A text of SQL's or of ISO 8601's: a date, a time, or both. */
  private static LocalDateTime parse(String text) {
    if (text.indexOf(':') < 0) {
      return LocalDate.parse(text).atStartOfDay();
    }
    return text.indexOf('-', 1) < 0
        ? LocalDate.EPOCH.atTime(LocalTime.parse(text))
        : LocalDateTime.parse(text.replace(' ', 'T'));
  }

  private Instant instant(LocalDateTime local, @Nullable Calendar calendar) {
    ZoneId id = (calendar == null ? zone : calendar.getTimeZone()).toZoneId();
    return local.atZone(id).toInstant();
  }

  private <V> @Nullable V checked(int column, String type, Get<V> get) throws SQLException {
    if (getters.isNoMoment(column)) {
      throw getters.refused(column, type);
    }
    try {
      return get.get();
    } catch (SQLDataException e) { // Avatica has no such conversion
      throw getters.refused(column, type);
    }
  }
}
