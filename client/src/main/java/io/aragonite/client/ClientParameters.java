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
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.Calendar;
import java.util.Objects;
import java.util.UUID;
import org.apache.calcite.avatica.ColumnMetaData.Rep;
import org.apache.calcite.avatica.remote.TypedValue;
import org.jspecify.annotations.Nullable;

/** Values of {@code setObject} of classes that Avatica does not know. */
final class ClientParameters {
  private ClientParameters() {}

  /**
   * Sets a date, a time, a moment, a UUID or a BigInteger.
   *
   * @return whether the value is one of them
   */
  static boolean set(ClientPreparedStatement statement, int index, Object value) throws SQLException {
    TypedValue sent = sent(value, statement.zone());
    if (sent != null) {
      statement.send(index, sent);
    } else if (value instanceof Date date) {
      statement.setDate(index, date);
    } else if (value instanceof Time time) {
      statement.setTime(index, time);
    } else if (value instanceof Timestamp moment) {
      statement.setTimestamp(index, moment);
    } else if (value instanceof BigInteger number) {
      statement.setBigDecimal(index, new BigDecimal(number));
    } else if (value instanceof UUID) {
      statement.setString(index, value.toString());
    } else {
      return false;
    }
    return true;
  }

  /** Values of java.time and java.util, in a zone; null of other classes. */
  private static @Nullable TypedValue sent(Object value, ZoneId zone) {
    Instant instant = instant(value);
    if (instant != null) {
      return SentMoments.moment(LocalDateTime.ofInstant(instant, zone), instant);
    } else if (value instanceof LocalDate date) {
      return TypedValue.ofSerial(Rep.JAVA_SQL_DATE, Math.toIntExact(date.toEpochDay()));
    } else if (value instanceof LocalTime time) {
      return SentMoments.time(time);
    }
    return value instanceof LocalDateTime shown ? SentMoments.local(shown) : null;
  }

  /**
   * A moment of java.sql's.
   *
   * @param zone whose clocks show it
   */
  static TypedValue moment(Timestamp value, ZoneId zone) {
    LocalDateTime shown = (LocalDateTime) new ClientMoments(zone).local(value);
    return SentMoments.moment(Objects.requireNonNull(shown), value.toInstant());
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
    } else if (value instanceof ZonedDateTime moment) {
      return moment.toInstant();
    } else if (value instanceof Calendar moment) {
      return moment.toInstant();
    }
    return value.getClass() == java.util.Date.class ? ((java.util.Date) value).toInstant() : null;
  }
}
