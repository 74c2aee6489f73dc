package io.aragonite.client;

import java.sql.Date;
import java.sql.PreparedStatement;
import java.sql.SQLException;
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

/** Values of {@code setObject} of classes that Avatica does not know. */
final class ClientParameters {
  private static final int NANOS_OF_MILLI = 1_000_000;
  private static final DateTimeFormatter TEXT =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSSSSSSSS");
  private static final DateTimeFormatter INSTANT =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSSSSSxxx");

  private ClientParameters() {}

  /**
   * Sets a date, a time, a moment or a UUID. Avatica has milliseconds: one with more is a text,
   * which the server reads as what the statement wants there.
   *
   * @return whether the value is one of them
   */
  static boolean set(PreparedStatement statement, int index, Object value) throws SQLException {
    if (value instanceof Date date) {
      statement.setDate(index, date);
    } else if (value instanceof Time time) {
      statement.setTime(index, time);
    } else if (value instanceof Timestamp moment) {
      statement.setTimestamp(index, moment);
    } else if (value instanceof LocalDate date) {
      statement.setDate(index, new Date(millis(date.atStartOfDay())), utc());
    } else if (value instanceof LocalTime time && time.getNano() % NANOS_OF_MILLI == 0) {
      statement.setTime(index, new Time(millis(LocalDate.EPOCH.atTime(time))), utc());
    } else if (value instanceof LocalDateTime moment && moment.getNano() % NANOS_OF_MILLI == 0) {
      statement.setTimestamp(index, new Timestamp(millis(moment)), utc());
    } else if (value instanceof LocalDateTime moment) {
      statement.setString(index, TEXT.format(moment));
    } else if (value instanceof Instant instant) {
      statement.setString(index, INSTANT.format(instant.atOffset(ZoneOffset.UTC)));
    } else if (value instanceof OffsetDateTime moment) {
      statement.setString(index, INSTANT.format(moment));
    } else if (value instanceof ZonedDateTime moment) {
      statement.setString(index, INSTANT.format(moment));
    } else if (value instanceof LocalTime || value instanceof UUID) {
      statement.setString(index, value.toString());
    } else {
      return false;
    }
    return true;
  }

  private static long millis(LocalDateTime local) {
    return local.toInstant(ZoneOffset.UTC).toEpochMilli();
  }

  private static Calendar utc() {
    return Calendar.getInstance(TimeZone.getTimeZone(ZoneOffset.UTC));
  }
}
