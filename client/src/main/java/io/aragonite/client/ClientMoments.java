package io.aragonite.client;

import java.sql.Date;
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
import java.util.Calendar;
import java.util.TimeZone;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.calcite.avatica.util.DateTimeUtils;
import org.jspecify.annotations.Nullable;

/** Dates, times and moments that are given with one of JDBC's types. */
final class ClientMoments {
  private static final int NANOS_OF_MILLI = 1_000_000;
  private static final DateTimeFormatter SECONDS = DateTimeFormatter.ofPattern("HH:mm:ss");
  private static final Pattern TIMESTAMP =
      Pattern.compile(
          "(\\d{1,4})-(\\d{1,2})-(\\d{1,2})"
              + "(?:[ T] *(\\d{1,2}):(\\d{1,2})(?::(\\d{1,2})(\\.\\d{1,9})?)?)?");

  private final ZoneId zone;

  /**
   * @param zone whose clocks show a moment
   */
  ClientMoments(ZoneId zone) {
    this.zone = zone;
  }

  /** A date, a time or both, as clocks show the object; null if it is no such object. */
  @Nullable Object local(Object object) {
    if (object instanceof LocalDate
        || object instanceof LocalTime
        || object instanceof LocalDateTime) {
      return object;
    } else if (object instanceof Date date) {
      return LocalDate.ofEpochDay(
          DateTimeUtils.sqlDateToUnixDate(date, TimeZone.getTimeZone(zone)));
    } else if (object instanceof Time time) {
      return LocalTime.ofInstant(Instant.ofEpochMilli(time.getTime()), zone);
    } else if (object instanceof Timestamp moment) {
      long shown =
          DateTimeUtils.sqlTimestampToUnixTimestamp(moment, TimeZone.getTimeZone(zone));
      return LocalDateTime.ofEpochSecond(
          Math.floorDiv(shown, 1000L), moment.getNanos(), ZoneOffset.UTC);
    } else if (object instanceof java.util.Date moment) {
      return LocalDateTime.ofInstant(Instant.ofEpochMilli(moment.getTime()), zone);
    } else if (object instanceof Calendar moment) {
      return LocalDateTime.ofInstant(moment.toInstant(), zone);
    } else if (object instanceof Instant moment) {
      return LocalDateTime.ofInstant(moment, zone);
    } else if (object instanceof OffsetDateTime moment) {
      return LocalDateTime.ofInstant(moment.toInstant(), zone);
    }
    return object instanceof ZonedDateTime moment
        ? LocalDateTime.ofInstant(moment.toInstant(), zone)
        : null;
  }

  /**
   * A text, or what {@code local} gave, as a type; null if it is none of it.
   *
   * @throws java.time.DateTimeException if the text shows none
   */
  static @Nullable Object of(Object given, int type) {
    if (given instanceof String text) {
      return type == Types.DATE
          ? LocalDate.parse(text.strip())
          : type == Types.TIME
              ? LocalTime.parse(text.strip())
              : LocalDateTime.parse(fullWidth(text.strip()));
    } else if (given instanceof LocalDateTime moment) {
      return type == Types.DATE
          ? moment.toLocalDate()
          : type == Types.TIME ? moment.toLocalTime() : moment;
    } else if (given instanceof LocalDate date && type != Types.TIME) {
      return type == Types.DATE ? date : date.atStartOfDay();
    }
    return given instanceof LocalTime && type == Types.TIME ? given : null;
  }

  /** What the value looks like in SQL. */
  static String text(Object given) {
    if (given instanceof LocalDateTime moment) {
      return moment.toLocalDate() + " " + text(moment.toLocalTime());
    } else if (given instanceof LocalTime time) {
      int nanos = time.getNano();
      String fraction =
          nanos % NANOS_OF_MILLI == 0
              ? ".%03d".formatted(nanos / NANOS_OF_MILLI)
              : ".%09d".formatted(nanos).replaceAll("0+$", "");
      return SECONDS.format(time) + (nanos == 0 ? "" : fraction);
    }
    return given.toString();
  }

  /** A date, or a date and a time, with zeros before fields that lack digits. */
  private static String fullWidth(String text) {
    Matcher fields = TIMESTAMP.matcher(text);
    if (!fields.matches()) {
      return text; // which is refused
    }
    StringBuilder full = new StringBuilder(29);
    for (int i = 1; i <= 6; i++) {
      String field = fields.group(i) == null ? "0" : fields.group(i);
      full.append(i == 1 ? "" : i < 4 ? "-" : i == 4 ? "T" : ":");
      full.append("0".repeat(Math.max(0, (i == 1 ? 4 : 2) - field.length()))).append(field);
    }
    return fields.group(7) == null ? full.toString() : full.append(fields.group(7)).toString();
  }
}
