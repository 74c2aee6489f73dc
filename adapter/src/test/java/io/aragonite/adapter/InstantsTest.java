package io.aragonite.adapter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.aragonite.exec.error.ErrorCode;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Calendar;
import java.util.Collections;
import java.util.Date;
import java.util.List;
import java.util.Locale;
import java.util.TimeZone;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Instants where clocks are changed, in connections whose zone is not UTC. */
class InstantsTest {
  private static Connection berlin;
  private static Connection newYork;

  @BeforeAll
  static void open() throws SQLException {
    berlin = open("Europe/Berlin");
    newYork = open("America/New_York");
  }

  private static Connection open(String zone) throws SQLException {
    return TestConnections.open("device=cpu;threads=1;timeZone=" + zone);
  }

  @AfterAll
  static void close() throws SQLException {
    berlin.close();
    newYork.close();
  }

  private static void check(Connection connection, String wanted, String expressions)
      throws SQLException {
    assertEquals(List.of(wanted), TestConnections.query(connection, "select " + expressions));
  }

  @Test
  void longSumsAreTypedInLinearTime() {
    String sum = String.join(" + ", Collections.nCopies(200, "x"));
    String difference = String.join(" - ", Collections.nCopies(200, "x"));
    String casts = "cast(".repeat(100) + "x" + " as bigint)".repeat(100);
    assertTimeoutPreemptively(
        Duration.ofSeconds(20),
        () ->
            check(
                berlin,
                "400|-396|2",
                sum + ", " + difference + ", " + casts + " from (values 2) t(x)"));
  }

  @Test
  void secondsSinceTheEpochAreOfTheInstant() throws SQLException {
    for (Connection connection : List.of(berlin, newYork)) {
      check(
          connection,
          "1704067200|1704067200|1704067200500|1704067200123456|1704067200123456000|1704067200000",
          "cast(epoch(timestamptz '2024-01-01 00:00:00Z') as bigint), extract(epoch from"
              + " timestamptz '2024-01-01 00:00:00Z'), epoch_ms(timestamptz '2024-01-01"
              + " 00:00:00.5Z'), epoch_us(timestamptz '2024-01-01 00:00:00.123456Z'),"
              + " epoch_ns(timestamptz '2024-01-01 00:00:00.123456Z'), epoch_ms(timestamp"
              + " '2024-01-01 00:00:00')");
    }
    // Days are those of clocks.
    check(
        newYork,
        "2460310|2460311",
        "cast(floor(julian(timestamptz '2024-01-01 00:00:00Z')) as bigint),"
            + " cast(floor(julian(timestamp '2024-01-01 00:00:00')) as bigint)");
  }

  @Test
  void hoursAreCountedBetweenInstantsAndDaysBetweenLocalTimes() throws SQLException {
    String from = "timestamptz '2024-03-30 12:00+01'";
    String to = "timestamptz '2024-03-31 12:00+02'";
    check(
        berlin,
        "23|1380|23|82800000000000|1|23|23|23",
        "date_diff('hour', %1$s, %2$s), date_diff('minute', %1$s, %2$s), date_sub('hour', %1$s, %2$s), date_diff('nanosecond', %1$s, %2$s), date_diff('day', %1$s, %2$s), date_diff('hour', '2024-03-30 12:00:00', %2$s), date_diff('hour', %1$s, timestamp '2024-03-31 12:00:00'), timestampdiff(hour, %1$s, %2$s)"
            .formatted(from, to));
    // An explicit cast has the local time, whose hours are one more.
    check(berlin, "24", "date_diff('hour', %s::timestamp, %s::timestamp)".formatted(from, to));
    try (Connection kolkata = open("Asia/Kolkata")) {
      // Hours begin when clocks of the zone show one.
      check(
          kolkata,
          "0|1",
          "date_diff('hour', timestamptz '2024-01-01 18:45Z', timestamptz '2024-01-01 19:15Z'),"
              + " date_diff('hour', timestamptz '2024-01-01 18:15Z', timestamptz '2024-01-01"
              + " 18:45Z')");
    }
  }

  @Test
  void monthsAreCountedBetweenLocalTimes() throws SQLException {
    String ends = "timestamptz '2024-01-01 00:00+01', timestamptz '2024-04-01 00:00+02')";
    check(
        berlin,
        "3|1|1|13|91",
        "timestampdiff(month, %1$s, timestampdiff(quarter, %1$s, timestampdiff(year, timestamptz '2023-04-01 00:00+02', timestamptz '2024-04-01 00:00+02'), timestampdiff(week, %1$s, timestampdiff(day, %1$s"
            .formatted(ends));
    for (String unit : List.of("dow", "epoch", "fortnight")) {
      TestConnections.assertError(
          ErrorCode.INVALID_STATEMENT,
          () -> TestConnections.query(berlin, "select timestampdiff(" + unit + ", " + ends),
          unit.equals("fortnight") ? unit : unit.toUpperCase(Locale.ROOT),
          "time frame");
    }
  }

  @Test
  void weeksAreAddedToTheLocalTime() throws SQLException {
    check(
        berlin,
        "2024-04-03 12:00:00+02|2024-03-20 12:00:00+01|2024-04-03 12:00:00+02",
        "timestamptz '2024-03-20 12:00+01' + interval 2 week, timestamptz '2024-04-03 12:00+02' -"
            + " interval '2' week, timestamptz '2024-03-20 12:00+01' + to_weeks(2)");
  }

  @Test
  void hoursThatClocksShowTwiceAreTwoHours() throws SQLException {
    check(
        berlin,
        "2024-10-27 02:00:00+02|2024-10-27 02:00:00+01|2024-10-27 02:30:00+02|2024-10-27"
            + " 02:30:10+02|2024-10-27 02:00:00+01|2024-10-27 00:00:00+02|2024-10-27 02:00:00+02",
        "date_trunc('hour', timestamptz '2024-10-27 00:30:00Z'), date_trunc('hour', timestamptz"
            + " '2024-10-27 01:30:00Z'), date_trunc('minute', timestamptz '2024-10-27"
            + " 00:30:10.5Z'), floor(timestamptz '2024-10-27 00:30:10.5Z' to second),"
            + " ceil(timestamptz '2024-10-27 00:30:10.5Z' to hour), date_trunc('day', timestamptz"
            + " '2024-10-27 00:30:10Z'), date_trunc('hour', (select max(y) from (values"
            + " (timestamptz '2024-10-27 00:30:00Z')) u(y)))");
    assertEquals(
        List.of("2024-10-27 02:00:00+02|2", "2024-10-27 02:00:00+01|1", "null|1"),
        TestConnections.query(
            berlin,
            "select date_trunc('hour', x), count(*) from (values (timestamptz '2024-10-27"
                + " 00:30:00Z'), (timestamptz '2024-10-27 01:30:00Z'), (timestamptz '2024-10-27"
                + " 00:40:00Z'), (null)) t(x) group by date_trunc('hour', x) order by 1"));
    String nested = "date_trunc('hour', ".repeat(60) + "timestamptz '2024-10-27 00:30:00Z'";
    check(berlin, "2024-10-27 02:00:00+02", nested + ")".repeat(60));
    // Local mean time, whose hours begin at no whole minute of UTC.
    check(
        berlin,
        "1890-10-27 00:06:32",
        "date_trunc('hour', timestamptz '1890-10-27 00:30:00.123456Z') at time zone 'UTC'");
  }

  @Test
  void nothingAddedLeavesAnInstant() throws SQLException {
    String first = "timestamptz '2024-10-27 00:30:00Z'";
    check(
        berlin,
        String.join("|", Collections.nCopies(6, "2024-10-27 02:30:00+02"))
            + "|2024-10-27 02:30:00+01|2024-10-27 02:30:00+01",
        "%1$s + interval '0' day, %1$s - interval '0' month, interval 0 week + %1$s, %1$s -"
                .formatted(first)
            + " interval 0 day, %1$s + to_days(0), %1$s + interval '0-0' year to month,"
                .formatted(first)
            + " timestamptz '2024-10-27 01:30:00Z' + interval '0' day, timestamptz '2024-10-26"
            + " 00:30:00Z' + interval '1' day");
  }

  @Test
  void nothingAddedInARowLeavesTheInstantOfThatRow() throws SQLException {
    assertEquals(
        List.of(
            "2024-10-27 02:30:00+02|2024-10-27 02:30:00+02|2024-10-27 02:30:00+02|2024-10-27"
                + " 02:30:00+02|2024-10-27 02:30:00+02",
            "2024-10-28 02:30:00+01|2024-11-27 02:30:00+01|2024-10-20 02:30:00+02|2024-10-29"
                + " 02:30:00+01|2024-10-28 02:30:00+01",
            "null|null|null|null|null"),
        TestConnections.query(
            berlin,
            "select x + n * interval '1' day, n * interval '1' month + x, x - n * interval '1'"
                + " week, x + n * interval '1' day + n * interval '1' day, x + to_days(n) from"
                + " (values (0, timestamptz '2024-10-27 00:30:00Z'), (1, timestamptz '2024-10-27"
                + " 00:30:00Z'), (null, timestamptz '2024-10-27 00:30:00Z')) t(n, x) order by n"));
  }

  @Test
  void secondsSinceTheEpochOfAParameterAreOfItsInstant() throws SQLException {
    Instant first = Instant.parse("2024-10-27T00:30:00.5Z");
    try (PreparedStatement select =
        berlin.prepareStatement("select epoch_ms(?), epoch_us(?), cast(epoch(?) as bigint)")) {
      for (Object value : List.of(first, Timestamp.from(first))) {
        for (int i = 1; i <= 3; i++) {
          select.setObject(i, value);
        }
        try (ResultSet rows = select.executeQuery()) {
          assertEquals(
              List.of("1729989000500|1729989000500000|1729989000"), TestConnections.rows(rows));
        }
      }
      for (int i = 1; i <= 3; i++) {
        select.setObject(i, LocalDateTime.parse("2024-10-27T00:30:00.5"));
      }
      try (ResultSet rows = select.executeQuery()) {
        assertEquals(
            List.of("1729989000500|1729989000500000|1729989000"), TestConnections.rows(rows));
      }
    }
  }

  /** Both of the instants at which Berlin's clocks show 02:30. */
  @Test
  void parametersAreInstantsWhereInstantsAreWanted() throws SQLException {
    Instant first = Instant.parse("2024-10-27T00:30:00.123456Z");
    try (PreparedStatement select =
        berlin.prepareStatement(
            "select x = ?, x in (?, null), ?::timestamptz::varchar, x - ? = interval '0' second,"
                + " date_diff('minute', x, ?), ?::varchar, timestamp '2024-10-27 02:30:00.123456' ="
                + " ? from (values (timestamptz '2024-10-27 00:30:00.123456Z'), (timestamptz"
                + " '2024-10-27 01:30:00.123456Z')) t(x) order by x")) {
      for (Object value :
          List.of(
              first,
              first.atOffset(ZoneOffset.ofHours(5)),
              first.atZone(ZoneId.of("Europe/Berlin")),
              Timestamp.from(first))) {
        for (int i = 1; i <= 7; i++) {
          select.setObject(i, value);
        }
        try (ResultSet rows = select.executeQuery()) {
          assertEquals(
              List.of(
                  "true|true|2024-10-27 02:30:00.123456+02|true|0|2024-10-27 02:30:00.123456|true",
                  "false|null|2024-10-27 02:30:00.123456+02|false|-60|2024-10-27"
                      + " 02:30:00.123456|true"),
              TestConnections.rows(rows));
        }
      }
      LocalDateTime local = LocalDateTime.parse("2024-10-27T02:30:00.123456");
      for (int i = 1; i <= 7; i++) {
        select.setObject(i, local);
      }
      try (ResultSet rows = select.executeQuery()) {
        assertEquals(
            List.of(
                "false|null|2024-10-27 02:30:00.123456+01|false|60|2024-10-27 02:30:00.123456|true",
                "true|true|2024-10-27 02:30:00.123456+01|true|0|2024-10-27 02:30:00.123456|true"),
            TestConnections.rows(rows));
      }
    }
    try (PreparedStatement count =
        berlin.prepareStatement(
            "select count(*) from (values (timestamptz '2024-10-27 00:30:00Z')) t(x) where x >= ?"
                + " and x between ? and ?")) {
      count.setTimestamp(
          1,
          Timestamp.from(Instant.parse("2024-10-27T00:30:00Z")),
          Calendar.getInstance(TimeZone.getTimeZone("UTC")));
      count.setObject(2, Date.from(Instant.parse("2024-10-27T00:30:00Z")));
      count.setObject(
          3, OffsetDateTime.parse("2024-10-27T02:30:00+02:00"), Types.TIMESTAMP_WITH_TIMEZONE);
      try (ResultSet rows = count.executeQuery()) {
        assertEquals(List.of("1"), TestConnections.rows(rows));
      }
    }
  }

  @Test
  void framesReachHoursFarOverAChangeOfClocks() throws SQLException {
    String rows =
        "(values (timestamptz '2024-10-27 00:30:00Z'), (timestamptz '2024-10-27 01:30:00Z'),"
            + " (timestamptz '2024-10-27 02:30:00.000001Z'), (null)) t(x)";
    assertEquals(
        List.of("1|3", "2|2", "1|1", "1|1"),
        TestConnections.query(
            berlin,
            "select count(*) over (order by x range between interval '1' hour preceding and current"
                + " row), count(*) over (order by x range between current row and interval '7300'"
                + " second following) from "
                + rows
                + " order by x"));
    for (String days : List.of("'1' day", "2 week", "'1' month")) {
      TestConnections.assertError(
          ErrorCode.EXPRESSION_UNSUPPORTED,
          () ->
              TestConnections.query(
                  berlin,
                  "select count(*) over (order by x range interval "
                      + days
                      + " preceding) from "
                      + rows),
          "AT TIME ZONE");
    }
  }

  @Test
  void aShortNameOfAZoneIsThatOfJavasTimeZone() throws SQLException {
    try (Connection pacific = open("PST")) {
      check(pacific, "2024-07-01 05:00:00-07", "timestamptz '2024-07-01 12:00:00Z'");
      check(
          pacific, "2024-07-01 05:00:00", "timestamptz '2024-07-01 12:00:00Z' at time zone 'PST'");
    }
  }
}
