package io.aragonite.adapter.result;

import io.aragonite.adapter.execution.ClientRequest;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.expr.ZonedTimes;
import io.aragonite.exec.type.TimestampUnit;
import java.sql.Date;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
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
import java.util.TimeZone;
import java.util.function.IntUnaryOperator;
import org.apache.calcite.sql.type.SqlTypeName;
import org.jspecify.annotations.Nullable;

/**
 * Getters of TIMESTAMP WITH TIME ZONE. The value is the instant; the connection's time zone, or
 * that of a calendar, says what clocks show then.
 */
final class InstantGetters {
  private static final String TYPE = SqlTypeName.TIMESTAMP_WITH_LOCAL_TIME_ZONE.getName();
  private static final int NANOS_PER_MICRO = 1_000;

  private final ResultSet rows;
  private final TimeZone zone;
  private final IntUnaryOperator nanos;

  /** By column from 1; empty as long as nobody has asked. */
  private boolean[] instants = new boolean[0];

  /**
   * @param nanos of the second of a column's value where it has more than milliseconds; -1
   *     elsewhere
   */
  InstantGetters(ResultSet rows, TimeZone zone, IntUnaryOperator nanos) {
    this.rows = rows;
    this.zone = zone;
    this.nanos = nanos;
  }

  /** Whether a column has instants. */
  boolean has(int column) throws SQLException {
    boolean[] known = instants;
    if (known.length == 0) {
      known = instants(rows.getMetaData());
      instants = known;
    }
    return column > 0 && column < known.length && known[column];
  }

  private static boolean[] instants(ResultSetMetaData columns) throws SQLException {
    boolean[] instants = new boolean[columns.getColumnCount() + 1];
    for (int i = 1; i < instants.length; i++) {
      instants[i] = isInstant(columns.getColumnTypeName(i));
    }
    return instants;
  }

  /** Whether a column's type, as Calcite names it, is TIMESTAMP WITH TIME ZONE. */
  private static boolean isInstant(@Nullable String typeName) {
    return typeName != null && typeName.startsWith(TYPE);
  }

  private @Nullable Instant instant(int column) throws SQLException {
    long millis = rows.getLong(column);
    if (rows.wasNull()) {
      return null;
    }
    int fraction = nanos.applyAsInt(column);
    return fraction < 0
        ? Instant.ofEpochMilli(millis)
        : Instant.ofEpochSecond(Math.floorDiv(millis, 1000), fraction);
  }

  /** The local time and its offset. */
  @Nullable String getString(int column) throws SQLException {
    Instant value = instant(column);
    if (value == null) {
      return null;
    }
    TimestampUnit unit =
        value.getNano() % NANOS_PER_MICRO == 0 ? TimestampUnit.MICROS : TimestampUnit.NANOS;
    long count =
        Math.addExact(
            Math.multiplyExact(value.getEpochSecond(), unit.perSecond()),
            value.getNano() / (1_000_000_000 / unit.perSecond()));
    return ZonedTimes.text(zone.getID(), count, unit);
  }

  /** For a client of the server the text: its protocol has no instants. */
  @Nullable Object getObject(int column) throws SQLException {
    if (ClientRequest.isNarrow()) {
      return getString(column);
    }
    Instant value = instant(column);
    return value == null ? null : value.atZone(zone.toZoneId()).toOffsetDateTime();
  }

  @Nullable Timestamp getTimestamp(int column) throws SQLException {
    Instant value = instant(column);
    return value == null ? null : Timestamp.from(value);
  }

  @Nullable Date getDate(int column, @Nullable Calendar calendar) throws SQLException {
    Instant value = instant(column);
    return value == null
        ? null
        : MomentGetters.date(
            value.atZone(id(calendar)).toLocalDate(),
            calendar == null ? zone : calendar.getTimeZone());
  }

  @Nullable Time getTime(int column, @Nullable Calendar calendar) throws SQLException {
    Instant value = instant(column);
    ZoneId id = id(calendar);
    return value == null
        ? null
        : new Time(
            LocalDate.EPOCH
                .atTime(value.atZone(id).toLocalTime())
                .atZone(id)
                .toInstant()
                .toEpochMilli());
  }

  private ZoneId id(@Nullable Calendar calendar) {
    return (calendar == null ? zone : calendar.getTimeZone()).toZoneId();
  }

  /** {@link ResultSet#getObject(int, Class)}. */
  @Nullable Object getObject(int column, Class<?> type) throws SQLException {
    Instant value = instant(column);
    if (value == null) {
      return null;
    }
    ZonedDateTime local = value.atZone(zone.toZoneId());
    if (type == Instant.class) {
      return value;
    } else if (type == OffsetDateTime.class || type == Object.class) {
      return local.toOffsetDateTime();
    } else if (type == ZonedDateTime.class) {
      return local;
    } else if (type == LocalDateTime.class) {
      return local.toLocalDateTime();
    } else if (type == LocalDate.class) {
      return local.toLocalDate();
    } else if (type == LocalTime.class) {
      return local.toLocalTime();
    } else if (type == Timestamp.class || type == java.util.Date.class) {
      return Timestamp.from(value);
    } else if (type == Date.class) {
      return getDate(column, null);
    } else if (type == Time.class) {
      return getTime(column, null);
    } else if (type == Calendar.class || type == GregorianCalendar.class) {
      return GregorianCalendar.from(local);
    } else if (type == String.class) {
      return getString(column);
    }
    throw new AragoniteException(
        ErrorCode.INVALID_CALL,
        "Column %d holds a TIMESTAMP WITH TIME ZONE, which cannot be had as %s."
            .formatted(column, type.getName()));
  }
}
