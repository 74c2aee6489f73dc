package io.aragonite.client;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.Date;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Time;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Calendar;
import java.util.TimeZone;
import java.util.UUID;
import org.apache.calcite.avatica.ColumnMetaData.Rep;
import org.apache.calcite.avatica.util.DateTimeUtils;
import org.jspecify.annotations.Nullable;

/** Values of {@code setObject} of classes that Avatica does not know. */
final class ClientParameters {
  private static final int NANOS_OF_MILLI = 1_000_000;
  private static final int NANOS_OF_MICRO = 1_000;
  private static final DateTimeFormatter TEXT =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSSSSSSSS");
  private static final DateTimeFormatter INSTANT =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSSSSSxxxxx");
  private static final DateTimeFormatter FINE_INSTANT =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSSSSSSSSxxxxx");

  private ClientParameters() {}

  /**
   * Sets a date, a time, a moment, a UUID or a BigInteger. Avatica has milliseconds: one with more
   * is a text, which the server reads as what the statement wants there.
   *
   * @return whether the value is one of them
   */
  static boolean set(ClientPreparedStatement statement, int index, Object value) throws SQLException {
    Instant instant = instant(value);
    if (instant != null) {
      statement.setString(index, text(instant.atZone(statement.zone())));
      return true;
    }
    if (value instanceof Date date) {
      statement.setDate(index, date);
    } else if (value instanceof Time time) {
      statement.setTime(index, time);
    } else if (value instanceof Timestamp moment) {
      statement.setTimestamp(index, moment);
    } else if (value instanceof Calendar moment) {
      statement.setTimestamp(index, new Timestamp(moment.getTimeInMillis()));
    } else if (value instanceof BigInteger number) {
      statement.setBigDecimal(index, new BigDecimal(number));
    } else if (value instanceof LocalDate date) {
      statement.set(index, Rep.JAVA_SQL_DATE, Math.toIntExact(date.toEpochDay()));
    } else if (value instanceof LocalTime time && time.getNano() % NANOS_OF_MILLI == 0) {
      statement.set(index, Rep.JAVA_SQL_TIME, (int) (time.toNanoOfDay() / NANOS_OF_MILLI));
    } else if (value instanceof LocalDateTime moment && moment.getNano() % NANOS_OF_MILLI == 0) {
      statement.set(
          index, Rep.JAVA_SQL_TIMESTAMP, moment.toInstant(ZoneOffset.UTC).toEpochMilli());
    } else if (value instanceof LocalDateTime moment) {
      statement.setString(index, TEXT.format(moment));
    } else if (value instanceof LocalTime || value instanceof UUID) {
      statement.setString(index, value.toString());
    } else {
      return false;
    }
    return true;
  }

  /**
   * A timestamp with more than milliseconds as a text; null if it has no more.
   *
   * @param zone whose clocks show it
   */
  static @Nullable String fineText(@Nullable Timestamp value, TimeZone zone) {
    if (value == null || value.getNanos() % NANOS_OF_MILLI == 0) {
      return null;
    }
    long shown = DateTimeUtils.sqlTimestampToUnixTimestamp(value, zone);
    return TEXT.format(
        LocalDateTime.ofEpochSecond(
            Math.floorDiv(shown, 1000L), value.getNanos(), ZoneOffset.UTC));
  }

  /** The server's error of a value that is no parameter. */
  static SQLException refused(Object value) {
    return new SQLFeatureNotSupportedException(
        "AR-503 (UNSUPPORTED): A %s cannot be a parameter; give a number, a text, bytes, a date or a time."
            .formatted(value.getClass().getName()),
        "0AX01",
        503);
  }

  private static @Nullable Instant instant(Object value) {
    if (value instanceof Instant instant) {
      return instant;
    } else if (value instanceof OffsetDateTime moment) {
      return moment.toInstant();
    }
    return value instanceof ZonedDateTime moment ? moment.toInstant() : null;
  }

  /**
   * What clocks of the connection's zone show, and its offset: of the text a TIMESTAMP is the first,
   * an instant is both.
   */
  private static String text(ZonedDateTime moment) {
    return (moment.getNano() % NANOS_OF_MICRO == 0 ? INSTANT : FINE_INSTANT).format(moment);
  }
}
