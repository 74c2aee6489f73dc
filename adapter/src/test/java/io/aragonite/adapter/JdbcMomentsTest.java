package io.aragonite.adapter;

import static io.aragonite.adapter.TestConnections.assertError;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.error.ErrorCode;
import java.sql.Connection;
import java.sql.Date;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.Period;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Calendar;
import java.util.List;
import java.util.TimeZone;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Dates, times, moments, instants and intervals through JDBC. */
class JdbcMomentsTest {
  private static final String PROPERTIES = "device=cpu;threads=1;timezone=Asia/Tokyo";

  private static Connection connection;

  private static Statement statement;

  @BeforeAll
  static void open() throws SQLException {
    connection = TestConnections.open(PROPERTIES);
    statement = connection.createStatement();
  }

  @AfterAll
  static void close() throws SQLException {
    connection.close();
  }

  private static ResultSet row(String select) throws SQLException {
    ResultSet rows = statement.executeQuery("select " + select);
    assertTrue(rows.next());
    return rows;
  }

  @Test
  void momentsInTheConnectionsTimeZone() throws SQLException {
    Calendar utc = Calendar.getInstance(TimeZone.getTimeZone("UTC"));
    Instant moment = Instant.parse("2024-02-28T15:30:00.5Z");
    for (String sql :
        List.of(
            "timestamp '2024-02-29 00:30:00.5', date '2024-02-29', time '00:30:00'",
            "'2024-02-29 00:30:00.5', '2024-02-29', '00:30:00'")) {
      try (ResultSet rows = row(sql)) {
        assertEquals(Timestamp.from(moment), rows.getTimestamp(1));
        assertEquals(
            Timestamp.from(Instant.parse("2024-02-29T00:30:00.5Z")), rows.getTimestamp(1, utc));
        assertEquals(instant("2024-02-29T00:00:00"), rows.getDate(2).getTime());
        assertEquals(instant("1970-01-01T00:30:00"), rows.getTime(3).getTime());
        assertEquals(
            Instant.parse("2024-02-29T00:00:00Z").toEpochMilli(), rows.getDate(2, utc).getTime());
        assertEquals(1_800_000, rows.getTime(3, utc).getTime());
        assertEquals(LocalDate.of(2024, 2, 29), rows.getObject(2, LocalDate.class));
        assertEquals(LocalTime.of(0, 30), rows.getObject(3, LocalTime.class));
        assertEquals(
            LocalDateTime.parse("2024-02-29T00:30:00.5"), rows.getObject(1, LocalDateTime.class));
      }
    }
    try (ResultSet rows = row("timestamp '2024-02-29 00:30:00.5', date '2024-02-29', 7, 'x'")) {
      assertEquals(moment, rows.getObject(1, Instant.class));
      OffsetDateTime offset = rows.getObject(1, OffsetDateTime.class);
      assertEquals(OffsetDateTime.parse("2024-02-29T00:30:00.5+09:00"), offset);
      assertEquals("Asia/Tokyo", rows.getObject(1, ZonedDateTime.class).getZone().getId());
      assertEquals(Timestamp.from(moment), rows.getObject(1, java.util.Date.class));
      assertEquals(LocalDate.of(2024, 2, 29), rows.getObject(1, LocalDate.class));
      assertError(ErrorCode.INVALID_CALL, () -> rows.getObject(2, Instant.class), "Instant");
      assertError(ErrorCode.INVALID_CALL, () -> rows.getTime(2), "Column 2 is a DATE", "Time");
      assertError(ErrorCode.INVALID_CALL, () -> rows.getDate(3), "INTEGER", "Date");
      assertError(ErrorCode.INVALID_CAST, () -> rows.getTimestamp(4), "'x'", "Timestamp");
    }
  }

  /** Zones had other offsets then, which java.sql's classes do not know. */
  @Test
  void momentsOfOldDays() throws SQLException {
    for (String zone : List.of("America/New_York", "Asia/Kolkata", "Europe/Berlin")) {
      ZoneId id = ZoneId.of(zone);
      try (Connection there = TestConnections.open("device=cpu;threads=1;timeZone=" + zone);
          Statement statement = there.createStatement()) {
        for (String day :
            List.of(
                "0001-01-01",
                "1500-02-28",
                "1582-10-04",
                "1582-10-10",
                "1582-10-15",
                "1700-01-01",
                "1883-11-18",
                "1969-12-31",
                "2024-03-10",
                "2024-03-31",
                "2024-11-03")) {
          for (String time : List.of("00:00:00", "03:15:00", "12:34:56.5", "23:59:59.999")) {
            String text = day + " " + time;
            ZonedDateTime wanted = LocalDateTime.parse(day + "T" + time).atZone(id);
            try (ResultSet rows =
                statement.executeQuery(
                    "select m, cast(m as timestamptz), cast(m as date), '%s', timestamptz '%sZ' from (values (timestamp '%s')) as t(m)"
                        .formatted(text, text, text))) {
              assertTrue(rows.next());
              assertEquals(wanted, rows.getObject(1, ZonedDateTime.class), text);
              assertEquals(wanted.toOffsetDateTime(), rows.getObject(1, OffsetDateTime.class));
              assertEquals(wanted.toInstant(), rows.getObject(1, Instant.class), text);
              assertEquals(wanted.toInstant(), rows.getObject(2, Instant.class), text);
              if (wanted.getYear() > 1900) {
                assertEquals(Timestamp.from(wanted.toInstant()), rows.getTimestamp(1), text);
                assertEquals(Timestamp.from(wanted.toInstant()), rows.getObject(1), text);
              }
              Date date = rows.getDate(3);
              assertEquals(date, rows.getDate(2), text);
              assertEquals(date, rows.getObject(2, Date.class), text);
              assertEquals(date, rows.getDate(4), text);
              Calendar utc = Calendar.getInstance(TimeZone.getTimeZone("UTC"));
              assertEquals(rows.getDate(3, utc), rows.getDate(5, utc), text);
            }
          }
        }
      }
    }
  }

  /** What a TIMESTAMP has behind its milliseconds, before 1970 too. */
  /** What java.sql's classes show counts, before 1582 too, where they have another calendar. */
  @Test
  void daysBeforeTheGregorianCalendar() throws SQLException {
    try (Connection local = DriverManager.getConnection("jdbc:aragonite:device=cpu");
        PreparedStatement days =
            local.prepareStatement(
                "select cast(? as date) as d, cast(? as timestamp(3)) as t, cast(? as date) = date"
                    + " '1500-02-28'")) {
      for (String day : List.of("1500-02-28", "1582-10-04", "1582-10-15", "0001-01-01")) {
        Date date = Date.valueOf(day);
        Timestamp moment = Timestamp.valueOf(day + " 10:00:00.5");
        days.setDate(1, date);
        days.setTimestamp(2, moment);
        days.setDate(3, date);
        try (ResultSet rows = days.executeQuery()) {
          assertTrue(rows.next());
          assertEquals(day, rows.getString(1));
          assertEquals(date, rows.getDate(1));
          assertEquals(LocalDate.parse(day), rows.getObject(1, LocalDate.class));
          assertEquals(day + " 10:00:00.5", rows.getString(2));
          assertEquals(moment, rows.getTimestamp(2));
          assertEquals(day.equals("1500-02-28"), rows.getBoolean(3));
        }
      }
      assertError(
          ErrorCode.INVALID_ARGUMENT,
          () -> days.setDate(1, Date.valueOf("1500-02-29")),
          "1500-02-29");
    }
  }

  @Test
  void momentsHaveAllTheirDigits() throws SQLException {
    for (String text :
        List.of(
            "2024-02-29 00:30:00.123456",
            "1969-12-31 23:59:59.999999",
            "1900-01-01 00:00:00.000000001",
            "9999-12-31 23:59:59.000001")) {
      LocalDateTime local = LocalDateTime.parse(text.replace(' ', 'T'));
      ZonedDateTime there = local.atZone(java.time.ZoneId.of("Asia/Tokyo"));
      try (ResultSet rows = row("timestamp '" + text + "', cast(null as timestamp)")) {
        assertEquals(text, rows.getString(1));
        assertEquals(local, rows.getObject(1, LocalDateTime.class));
        assertEquals(Timestamp.from(there.toInstant()), rows.getTimestamp(1));
        assertEquals(rows.getTimestamp(1), rows.getObject(1));
        assertEquals(there.toInstant(), rows.getObject(1, Instant.class));
        assertEquals(there.toOffsetDateTime(), rows.getObject(1, OffsetDateTime.class));
        assertNull(rows.getTimestamp(2));
        assertTrue(rows.wasNull());
        assertNull(rows.getString(2));
      }
      for (Object value :
          new Object[] {local, Timestamp.from(there.toInstant()), there, there.toInstant()}) {
        assertEquals(List.of(text + "|true"), same(text, value), () -> String.valueOf(value));
      }
    }
  }

  /** A parameter's text, and whether it is equal to a literal. */
  private static List<String> same(String text, Object value) throws SQLException {
    try (PreparedStatement prepared =
        connection.prepareStatement(
            "select cast(? as varchar), ? = timestamp '%s'".formatted(text))) {
      prepared.setObject(1, value);
      prepared.setObject(2, value);
      try (ResultSet rows = prepared.executeQuery()) {
        assertTrue(rows.next());
        return List.of(rows.getString(1) + "|" + rows.getBoolean(2));
      }
    }
  }

  @Test
  void instantsAreReadInTheConnectionsZone() throws SQLException {
    String moment = "timestamptz '2024-07-01 12:00:00.123456789+00'";
    try (ResultSet rows =
        row(
            "cast(timestamp '2024-07-01 12:00:00.5' as timestamptz) as a, timestamptz '2024-01-01"
                + " 20:00:00Z' as b, null::timestamptz as n, timestamp '1969-12-31"
                + " 23:59:59.999999999' at time zone 'UTC' as c, "
                + moment
                + "::varchar as d")) {
      assertEquals("2024-07-01 12:00:00.5+09", rows.getString("a"));
      assertEquals("2024-01-02 05:00:00+09", rows.getString(2));
      assertEquals("1970-01-01 08:59:59.999999999+09", rows.getString("c"));
      assertEquals("2024-07-01 21:00:00.123457+09", rows.getString("d"));
      Instant instant = Instant.parse("2024-01-01T20:00:00Z");
      assertEquals(Timestamp.from(instant), rows.getTimestamp("b"));
      Calendar utc = Calendar.getInstance(TimeZone.getTimeZone("UTC"));
      assertEquals(Timestamp.from(instant), rows.getTimestamp(2, utc));
      assertEquals(instant.atOffset(ZoneOffset.ofHours(9)), rows.getObject(2));
      assertEquals(instant, rows.getObject(2, Instant.class));
      assertEquals(
          LocalDateTime.parse("2024-01-02T05:00:00"), rows.getObject(2, LocalDateTime.class));
      assertEquals(LocalDate.parse("2024-01-02"), rows.getObject(2, LocalDate.class));
      assertEquals(LocalTime.parse("05:00"), rows.getObject(2, LocalTime.class));
      assertEquals(
          Instant.parse("1969-12-31T23:59:59.999999999Z"), rows.getObject("c", Instant.class));
      assertEquals(Timestamp.from(instant), rows.getObject(2, Timestamp.class));
      assertEquals(Instant.parse("2024-01-01T15:00:00Z").toEpochMilli(), rows.getDate(2).getTime());
      assertEquals(
          Instant.parse("2024-01-01T00:00:00Z").toEpochMilli(), rows.getDate(2, utc).getTime());
      assertEquals(5 * 3_600_000 - 9 * 3_600_000, rows.getTime(2).getTime());
      assertNull(rows.getObject("n"));
      assertTrue(rows.wasNull());
      assertNull(rows.getString("n"));
      assertNull(rows.getTimestamp("n"));
      assertNull(rows.getObject("n", OffsetDateTime.class));
      assertError(ErrorCode.INVALID_CALL, () -> rows.getObject(2, UUID.class), "cannot be had");
      assertEquals(Types.TIMESTAMP_WITH_TIMEZONE, rows.getMetaData().getColumnType(1));
      assertEquals("TIMESTAMP WITH TIME ZONE", rows.getMetaData().getColumnTypeName(1));
      assertEquals(OffsetDateTime.class.getName(), rows.getMetaData().getColumnClassName(1));
    }
  }

  @Test
  void intervals() throws SQLException {
    try (Connection connection = TestConnections.open("device=cpu;threads=1");
        Statement statement = connection.createStatement()) {
      statement.execute("create table i (d interval, m interval year to month primary key)");
      statement.execute(
          "insert into i values (interval '1' day, interval '14' month), ('-1:30:00', '1 year')");
      assertError(
          ErrorCode.DUPLICATE_KEY,
          () -> statement.execute("insert into i values (null, interval '12' month)"),
          "(m) = (1 year)");
      statement.execute("insert into i select null, m * 2 from i where d < interval '0' day");
      try (ResultSet rows = statement.executeQuery("select d, m, [d] from i order by d desc")) {
        assertEquals("INTERVAL DAY TO SECOND", rows.getMetaData().getColumnTypeName(1));
        assertEquals(Duration.class.getName(), rows.getMetaData().getColumnClassName(1));
        assertEquals(Period.class.getName(), rows.getMetaData().getColumnClassName(2));
        assertTrue(rows.next());
        assertNull(rows.getObject(1));
        assertTrue(rows.wasNull());
        assertNull(rows.getString(1));
        assertEquals(Period.ofYears(2), rows.getObject(2));
        assertTrue(rows.next());
        assertEquals(Duration.ofDays(1), rows.getObject(1));
        assertEquals(Period.of(1, 2, 0), rows.getObject(2));
        assertEquals("1 day", rows.getString(1));
        assertEquals("1 year 2 mons", rows.getString(2));
        assertEquals("[1 day]", rows.getString(3));
        assertEquals(86_400_000, rows.getLong(1));
        assertEquals(14, rows.getObject(2, Integer.class));
        assertEquals(Duration.ofDays(1), rows.getObject("d", Duration.class));
        assertError(ErrorCode.INVALID_CALL, () -> rows.getObject(2, Duration.class), "cannot be");
        assertTrue(rows.next());
        assertEquals("-01:30:00", rows.getString(1));
      }
      assertError(
          ErrorCode.COLUMN_TYPE_UNSUPPORTED,
          () -> statement.execute("copy i to 'intervals.parquet'"),
          "cast it to VARCHAR");
    }
  }

  @Test
  void theConnectionsZoneCountsForPartsCastsAndDays() throws SQLException {
    try (Connection newYork =
            TestConnections.open("device=cpu;threads=1;timeZone=America/New_York");
        Statement statement = newYork.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "select x::varchar, x::date::varchar, x::time::varchar, x::timestamp::varchar,"
                    + " extract(hour from x), date_trunc('day', x)::varchar, (x + interval '1'"
                    + " day)::varchar, (x + interval '24' hour)::varchar, (x + interval '1'"
                    + " month)::varchar, x = timestamp '2024-03-09 12:00:00', x > '2024-03-09"
                    + " 11:59:59', x in (timestamp '2024-03-09 12:00:00', null), x between"
                    + " timestamp '2024-03-09 12:00:00' and '2024-03-09 17:00:00Z',"
                    + " date_diff('day', timestamptz '2024-03-08 23:00:00-05', x), strftime(x,"
                    + " '%Y-%m-%d %H'), last_day(x)::varchar, '2024-07-01'::timestamptz::varchar,"
                    + " (timestamp '2024-11-03 01:30:00')::timestamptz::varchar from (values"
                    + " (timestamptz '2024-03-09 17:00:00Z')) t(x)")) {
      assertTrue(rows.next());
      List<String> wanted =
          List.of(
              "2024-03-09 12:00:00-05",
              "2024-03-09",
              "12:00:00",
              "2024-03-09 12:00:00",
              "12",
              "2024-03-09 00:00:00-05",
              "2024-03-10 12:00:00-04",
              "2024-03-10 13:00:00-04",
              "2024-04-09 12:00:00-04",
              "true",
              "true",
              "true",
              "true",
              "1",
              "2024-03-09 12",
              "2024-03-31",
              "2024-07-01 00:00:00-04",
              "2024-11-03 01:30:00-05");
      for (int i = 0; i < wanted.size(); i++) {
        assertEquals(wanted.get(i), rows.getString(i + 1));
      }
    }
  }

  private static long instant(String inTokyo) {
    return LocalDateTime.parse(inTokyo).toInstant(ZoneOffset.ofHours(9)).toEpochMilli();
  }
}
