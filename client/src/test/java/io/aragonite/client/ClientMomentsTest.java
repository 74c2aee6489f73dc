package io.aragonite.client;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.sql.Array;
import java.sql.Connection;
import java.sql.Date;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
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
import java.util.ArrayList;
import java.util.Calendar;
import java.util.List;
import java.util.Locale;
import java.util.TimeZone;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Dates, times and instants of the client's rows and parameters, in the zones of sessions and JVMs. */
class ClientMomentsTest {
  private static final DateTimeFormatter LOCAL =
      new DateTimeFormatterBuilder()
          .appendPattern("uuuu-MM-dd HH:mm:ss")
          .appendFraction(ChronoField.NANO_OF_SECOND, 0, 9, true)
          .toFormatter(Locale.ROOT);
  private static final DateTimeFormatter INSTANT =
      new DateTimeFormatterBuilder()
          .append(LOCAL)
          .appendOffset("+HH:mm:ss", "+00")
          .toFormatter(Locale.ROOT);

  private static ServedProcess server;

  @BeforeAll
  static void serve() throws IOException {
    server = new ServedProcess("--tpch", "0.01");
  }

  @AfterAll
  static void stop() throws InterruptedException {
    server.close();
  }

  private static Connection connect() throws SQLException {
    return DriverManager.getConnection("jdbc:aragonite:remote:url=" + server.address());
  }

  /** The days are around those that the Julian calendar left out, and one of them. */
  @Test
  void momentsBeforeTheGregorianCalendar() throws SQLException {
    try (Connection connection = connect();
        PreparedStatement sent =
            connection.prepareStatement(
                "select cast(cast(? as date) as varchar), cast(cast(? as timestamp) as varchar)")) {
      for (String day :
          List.of("0001-01-01", "1500-03-01", "1582-10-04", "1582-10-10", "1582-10-15", "9999-12-31")) {
        LocalDate date = LocalDate.parse(day);
        LocalDateTime moment = date.atTime(2, 30, 0, 125_000_000);
        String shown = day + " 02:30:00.125";
        try (Statement statement = connection.createStatement();
            ResultSet row =
                statement.executeQuery(
                    "select d, m, array[d, null], array[m] from (values (date '%s', timestamp '%s')) as t(d, m)"
                        .formatted(day, shown))) {
          assertTrue(row.next());
          assertEquals(day, row.getString(1));
          assertEquals(date, row.getObject(1, LocalDate.class));
          assertEquals(Date.valueOf(date), row.getDate(1));
          assertEquals(shown, row.getString(2));
          assertEquals(moment, row.getObject(2, LocalDateTime.class));
          assertEquals(Timestamp.valueOf(moment), row.getTimestamp(2));
          assertEquals("[%s, null]".formatted(day), row.getString(3));
          assertEquals("[%s]".formatted(shown), row.getString(4));
        }
        sent.setObject(1, date);
        sent.setObject(2, moment);
        assertSent(day, shown, sent);
        if (!day.equals("1582-10-10")) {
          sent.setDate(1, Date.valueOf(day));
          sent.setTimestamp(2, Timestamp.valueOf(shown));
          assertSent(day, shown, sent);
        }
      }
    }
  }

  private static void assertSent(String day, String shown, PreparedStatement statement)
      throws SQLException {
    try (ResultSet row = statement.executeQuery()) {
      assertTrue(row.next());
      assertEquals(day, row.getString(1));
      assertTrue(row.getString(2).startsWith(shown), row.getString(2));
    }
  }

  /** Avatica's protocol counts milliseconds. */
  @Test
  void timestampsAreSentWithAllOfTheirDigits() throws SQLException {
    Timestamp fine = Timestamp.valueOf("2024-02-29 23:59:59.123456789");
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        PreparedStatement sent =
            connection.prepareStatement(
                "select cast(cast(? as timestamp(9)) as varchar), cast(cast(? as timestamp(9)) as varchar),"
                    + " cast(cast(? as timestamp(9)) as varchar), cast(cast(? as timestamp(9)) as varchar)")) {
      sent.setTimestamp(1, fine);
      sent.setObject(2, fine);
      sent.setObject(3, fine, Types.TIMESTAMP);
      Calendar tokyo = Calendar.getInstance(TimeZone.getTimeZone("Asia/Tokyo"));
      sent.setTimestamp(4, fine, tokyo);
      try (ResultSet row = sent.executeQuery()) {
        assertTrue(row.next());
        for (int i = 1; i <= 3; i++) {
          assertEquals("2024-02-29 23:59:59.123456789", row.getString(i));
        }
        assertEquals(
            fine.toInstant().atZone(ZoneId.of("Asia/Tokyo")).toLocalDateTime(),
            LocalDateTime.parse(row.getString(4).replace(' ', 'T')));
      }
      statement.execute("create table fine (x timestamp(9))");
      try (PreparedStatement insert = connection.prepareStatement("insert into fine values (?)")) {
        insert.setTimestamp(1, fine);
        insert.addBatch();
        insert.setTimestamp(1, null);
        insert.addBatch();
        assertArrayEquals(new int[] {1, 1}, insert.executeBatch());
      }
      try (PreparedStatement found =
          connection.prepareStatement("select count(*) from fine where x = ?")) {
        found.setTimestamp(1, fine);
        try (ResultSet row = found.executeQuery()) {
          assertTrue(row.next());
          assertEquals(1, row.getInt(1));
        }
      }
    }
  }

  @Test
  void instantsArriveWithAllOfTheirDigits() throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      statement.execute("set timezone = 'Europe/Berlin'");
      instants(
          statement.executeQuery(
              "select timestamptz '2024-10-27 00:30:00.123456Z' as x, null::timestamptz as n"));
      statement.execute("set timezone = '+05:30'");
      try (ResultSet row = statement.executeQuery("select timestamptz '2024-07-01 12:00:00Z'")) {
        assertTrue(row.next());
        assertEquals(OffsetDateTime.parse("2024-07-01T17:30+05:30"), row.getObject(1));
      }
    }
  }

  @Test
  void timesAreTheTextsThatTheServerHas() throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "select timestamp '2024-07-01 12:00:00' as x, timestamp '2024-07-10 12:30:00.100', time '10:00:00', cast('2024-07-01 12:00:00.5' as timestamp(3))")) {
      assertTrue(row.next());
      assertEquals("2024-07-01 12:00:00", row.getString("x"));
      assertEquals("2024-07-10 12:30:00.1", row.getString(2));
      assertEquals("10:00:00", row.getString(3));
      assertEquals("2024-07-01 12:00:00.5", row.getString(4));
    }
  }

  /** Of Avatica's own driver the zone moves times that are in arrays. */
  @Test
  void arraysOfMomentsAreTheSameInAllZones() throws SQLException {
    for (String zone : List.of("America/New_York", "UTC", "Asia/Kolkata")) {
      try (Connection connection = connect(zone);
          Statement statement = connection.createStatement();
          ResultSet row =
              statement.executeQuery(
                  "select array[time '00:00:00', null, time '23:59:59.125'], array[date '1582-10-05', date '0001-01-01'],"
                      + " array[timestamp '1582-10-05 00:00:00', null, timestamp '2024-03-10 02:30:00.5'],"
                      + " cast(null as time array), 7")) {
        assertTrue(row.next());
        assertEquals("[00:00:00, null, 23:59:59.125]", row.getString(1), zone);
        assertEquals("[1582-10-05, 0001-01-01]", row.getString(2), zone);
        assertEquals("[1582-10-05 00:00:00, null, 2024-03-10 02:30:00.5]", row.getString(3), zone);
        assertNull(row.getString(4));
        assertTrue(row.wasNull());
      }
    }
  }

  /** Elements are the values that columns of their types have, each way that they are asked for. */
  @Test
  void elementsOfArraysNearAChangeOfClocks() throws SQLException {
    List<String> texts = List.of("2024-03-10T03:15", "2024-03-31T03:15", "2024-11-03T03:15", "2024-10-27T12:00");
    for (String name : List.of("America/New_York", "UTC", "Europe/Berlin", "Asia/Beirut")) {
      ZoneId zone = ZoneId.of(name);
      List<Object> moments = new ArrayList<>();
      List<String> written = new ArrayList<>();
      for (String text : texts) {
        moments.add(Timestamp.from(LocalDateTime.parse(text).atZone(zone).toInstant()));
        written.add("timestamp '%s:00'".formatted(text.replace('T', ' ')));
      }
      moments.add(null);
      written.add("null");
      try (Connection connection = connect(name);
          Statement statement = connection.createStatement();
          ResultSet row =
              statement.executeQuery(
                  "select array%s as m, array[date '2024-03-31', null], array[time '23:59:59.5'], array[1, 2], cast(null as timestamp array)"
                      .formatted(written))) {
        assertTrue(row.next());
        Array array = row.getArray("m");
        assertEquals(Types.TIMESTAMP, array.getBaseType());
        assertEquals("TIMESTAMP", array.getBaseTypeName());
        assertArrayEquals(moments.toArray(), (Object[]) array.getArray(), name);
        assertArrayEquals(moments.subList(1, 3).toArray(), (Object[]) array.getArray(2, 2), name);
        assertArrayEquals(moments.toArray(), (Object[]) ((Array) row.getObject(1)).getArray(), name);
        assertEquals(moments, row.getObject(1, List.class), name);
        assertTrue(array.toString().startsWith("[2024-03-10 03:15:00, "), array.toString());
        assertRows(texts, moments, zone, array);
        assertThrows(SQLException.class, () -> array.getArray(5, 2));
        assertThrows(SQLException.class, () -> array.getArray(0, 1));
        Object[] days = (Object[]) row.getArray(2).getArray();
        Instant midnight = LocalDate.parse("2024-03-31").atStartOfDay(zone).toInstant();
        assertEquals(midnight.toEpochMilli(), ((Date) days[0]).getTime(), name);
        assertNull(days[1]);
        Time time = (Time) ((Object[]) row.getArray(3).getArray())[0];
        try (ResultSet times = row.getArray(3).getResultSet()) {
          assertEquals(Types.TIME, times.getMetaData().getColumnType(2));
          assertTrue(times.next());
          assertEquals("23:59:59.5", times.getString(2));
        }
        assertEquals(LocalTime.parse("23:59:59.5"), Instant.ofEpochMilli(time.getTime()).atZone(zone).toLocalTime());
        assertArrayEquals(new Object[] {1, 2}, (Object[]) row.getArray(4).getArray());
        assertNull(row.getArray(5));
        assertTrue(row.wasNull());
      }
    }
  }

  private static void assertRows(List<String> texts, List<Object> moments, ZoneId zone, Array array)
      throws SQLException {
    try (ResultSet rows = array.getResultSet()) {
      for (int i = 0; i < moments.size(); i++) {
        assertTrue(rows.next());
        assertEquals(i + 1, rows.getInt(1));
        assertEquals(moments.get(i), rows.getTimestamp(2));
        assertEquals(moments.get(i), rows.getObject(2));
        if (i < texts.size()) {
          assertEquals(LocalDateTime.parse(texts.get(i)), rows.getObject(2, LocalDateTime.class));
          assertEquals(LocalDateTime.parse(texts.get(i)).atZone(zone).toInstant(), rows.getObject(2, Instant.class));
        }
      }
      assertFalse(rows.next());
    }
    try (ResultSet rows = array.getResultSet(3, 1)) {
      assertTrue(rows.next());
      assertEquals(3, rows.getInt(1));
      assertEquals(moments.get(2), rows.getTimestamp(2));
      assertFalse(rows.next());
    }
  }

  /** Zones had offsets with seconds; those of less than an hour look like none. */
  @Test
  void instantsBeforeRailwayTime() throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      for (String name :
          List.of("Europe/Berlin", "Europe/London", "Africa/Monrovia", "America/New_York", "Asia/Tokyo", "UTC")) {
        statement.execute("set timezone = '%s'".formatted(name));
        for (String text : List.of("1700-01-01T00:00:00Z", "1850-07-01T12:00:00.500Z", "1900-01-01T00:00:00.000001Z")) {
          OffsetDateTime wanted = Instant.parse(text).atZone(ZoneId.of(name)).toOffsetDateTime();
          try (ResultSet row = statement.executeQuery("select timestamptz '%s'".formatted(text.replace('T', ' ')))) {
            assertTrue(row.next());
            assertEquals(wanted, row.getObject(1), name);
            assertEquals(wanted.toInstant(), row.getObject(1, Instant.class), name);
            assertEquals(Timestamp.from(wanted.toInstant()), row.getTimestamp(1), name);
          }
        }
      }
    }
  }

  /** A calendar's zone is that in which days begin and clocks show times. */
  @Test
  void datesAndTimesOfInstantsInACalendar() throws SQLException {
    ZoneId tokyo = ZoneId.of("Asia/Tokyo");
    Calendar calendar = Calendar.getInstance(TimeZone.getTimeZone(tokyo));
    try (Connection connection = connect("America/New_York");
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "select timestamptz '2024-06-30 20:15:00.125Z' as i, cast(null as timestamptz) as n, timestamp '2024-07-01 05:15:00.125' as t, cast(null as varchar) as v")) {
      assertTrue(row.next());
      long day = LocalDate.parse("2024-07-01").atStartOfDay(tokyo).toInstant().toEpochMilli();
      long time = LocalDateTime.parse("1970-01-01T05:15:00.125").atZone(tokyo).toInstant().toEpochMilli();
      Instant instant = Instant.parse("2024-06-30T20:15:00.125Z");
      assertEquals(day, row.getDate("i", calendar).getTime());
      assertEquals(time, row.getTime("i", calendar).getTime());
      assertEquals(Timestamp.from(instant), row.getTimestamp("i", calendar));
      assertEquals(Timestamp.from(instant), row.getTimestamp("t", calendar));
      assertEquals(time, row.getTime("t", calendar).getTime());
      for (String none : List.of("n", "v")) {
        assertNull(row.getDate(none, calendar));
        assertTrue(row.wasNull());
        assertNull(row.getTime(none, calendar));
        assertNull(row.getTimestamp(none, calendar));
      }
      for (int column : new int[] {1, 3}) {
        assertEquals(row.getDate(column), row.getDate(column, null));
        assertEquals(row.getTime(column), row.getTime(column, null));
        assertEquals(row.getTimestamp(column), row.getTimestamp(column, null));
      }
    }
  }

  /** Digits are cut, as in process, and an instant is the one that was given. */
  @Test
  void momentsAreCutAndInstantsAreTheSame() throws SQLException {
    ZoneId berlin = ZoneId.of("Europe/Berlin");
    Calendar tokyo = Calendar.getInstance(TimeZone.getTimeZone("Asia/Tokyo"));
    try (Connection connection = connect(berlin.getId());
        PreparedStatement statement =
            connection.prepareStatement(
                "select cast(cast(? as timestamptz) as varchar), cast(cast(? as timestamp(6)) as varchar),"
                    + " cast(cast(? as timestamp(3)) as varchar), cast(cast(? as timestamptz(9)) as varchar),"
                    + " cast(? as date)")) {
      for (String text :
          List.of(
              "1850-01-01T00:00:00Z",
              "1969-12-31T23:59:59.9999999Z",
              "2024-03-31T01:30:00Z",
              "2024-10-27T00:30:00Z",
              "2024-10-27T01:30:00.125Z",
              "2024-10-27T01:30:00.999999999Z")) {
        Instant instant = Instant.parse(text);
        Instant millis = instant.truncatedTo(ChronoUnit.MILLIS);
        LocalDateTime shown = LocalDateTime.ofInstant(instant, berlin);
        LocalDateTime utc = LocalDateTime.ofInstant(instant, ZoneOffset.UTC);
        OffsetDateTime offset = instant.atOffset(ZoneOffset.ofHours(-7));
        ZonedDateTime zoned = instant.atZone(ZoneId.of("America/New_York"));
        java.util.Date date = java.util.Date.from(instant);
        Calendar calendar = Calendar.getInstance(TimeZone.getTimeZone("UTC"));
        calendar.setTime(date);
        LocalDateTime shownMillis = LocalDateTime.ofInstant(millis, berlin);
        assertMoment(statement, shown, instant, i -> statement.setObject(i, instant));
        assertMoment(statement, shown, instant, i -> statement.setObject(i, offset));
        assertMoment(statement, shown, instant, i -> statement.setObject(i, zoned));
        assertMoment(statement, shownMillis, millis, i -> statement.setObject(i, date));
        assertMoment(statement, shownMillis, millis, i -> statement.setObject(i, calendar));
        assertMoment(
            statement, utc, utc.atZone(berlin).toInstant(), i -> statement.setObject(i, utc));
        if (utc.getYear() < 1900) {
          continue; // java.sql's calendars have other offsets
        }
        Timestamp moment = Timestamp.from(instant);
        assertMoment(statement, shown, instant, i -> statement.setObject(i, moment));
        assertMoment(
            statement, shown, instant, i -> statement.setObject(i, moment, Types.TIMESTAMP));
        assertMoment(statement, shown, instant, i -> statement.setTimestamp(i, moment));
        assertMoment(
            statement,
            LocalDateTime.ofInstant(instant, ZoneId.of("Asia/Tokyo")),
            instant,
            i -> statement.setTimestamp(i, moment, tokyo));
      }
      for (int i = 1; i <= 5; i++) {
        statement.setTimestamp(i, null, tokyo);
      }
      try (ResultSet row = statement.executeQuery()) {
        assertTrue(row.next());
        assertNull(row.getString(1));
        assertNull(row.getString(5));
      }
    }
  }

  /** A setter of a parameter. */
  private interface Setting {
    void set(int index) throws SQLException;
  }

  private static void assertMoment(
      PreparedStatement statement, LocalDateTime shown, Instant instant, Setting setting)
      throws SQLException {
    for (int i = 1; i <= 5; i++) {
      setting.set(i);
    }
    OffsetDateTime there = instant.atZone(ZoneId.of("Europe/Berlin")).toOffsetDateTime();
    try (ResultSet row = statement.executeQuery()) {
      assertTrue(row.next());
      assertEquals(INSTANT.format(there.truncatedTo(ChronoUnit.MICROS)), row.getString(1));
      assertEquals(LOCAL.format(shown.truncatedTo(ChronoUnit.MICROS)), row.getString(2));
      assertEquals(LOCAL.format(shown.truncatedTo(ChronoUnit.MILLIS)), row.getString(3));
      assertEquals(INSTANT.format(there), row.getString(4));
      assertEquals(shown.toLocalDate().toString(), row.getString(5));
    }
  }

  @Test
  void timesAreSentWithAllOfTheirDigits() throws SQLException {
    try (Connection connection = connect("UTC");
        PreparedStatement statement =
            connection.prepareStatement("select t = ?, cast(? as varchar) from (values (time '23:59:59.000001')) v(t)")) {
      statement.setObject(1, LocalTime.parse("23:59:59.000001"));
      statement.setObject(2, LocalTime.parse("00:00:00.5"));
      try (ResultSet row = statement.executeQuery()) {
        assertTrue(row.next());
        assertTrue(row.getBoolean(1));
        assertEquals("00:00:00.5", row.getString(2));
      }
      statement.setObject(1, LocalTime.parse("23:59:59.000000001"));
      SQLException error = assertThrows(SQLException.class, statement::executeQuery);
      assertTrue(error.getMessage().contains("microseconds"), error.getMessage());
    }
  }

  private static Connection connect(String zone) throws SQLException {
    return DriverManager.getConnection(
        "jdbc:aragonite:remote:url=" + server.address() + ";timeZone=" + zone);
  }

  /** As in process: a TIMESTAMP is what clocks of the connection's zone show then. */
  @Test
  void instantsAreSetInTheConnectionsZone() throws SQLException {
    for (String text :
        List.of(
            "2024-06-01T10:00:00Z",
            "2024-11-03T06:30:00.125Z",
            "1969-12-31T23:59:59.000001Z",
            "1800-07-01T10:00:00Z")) {
      Instant instant = Instant.parse(text);
      for (String zone : List.of("America/New_York", "UTC", "Asia/Kolkata")) {
        LocalDateTime shown = LocalDateTime.ofInstant(instant, ZoneId.of(zone));
        try (Connection connection = connect(zone);
            PreparedStatement statement =
                connection.prepareStatement(
                    "select m = ?, i = ?, m >= ?, cast(cast(? as timestamp) as varchar) = cast(m as varchar), cast(? as timestamptz) = i from (values (timestamp '%s', timestamptz '%s')) as v(m, i)"
                        .formatted(shown.toString().replace('T', ' ').replaceFirst("(?<=^.{16})$", ":00"), text.replace('T', ' ')))) {
          for (Object value :
              new Object[] {
                instant,
                instant.atOffset(ZoneOffset.ofHours(2)),
                instant.atZone(ZoneId.of("Asia/Tokyo"))
              }) {
            for (int i = 1; i <= 5; i++) {
              statement.setObject(i, value);
            }
            try (ResultSet row = statement.executeQuery()) {
              assertTrue(row.next());
              for (int i = 1; i <= 5; i++) {
                assertTrue(row.getBoolean(i), zone + " " + value + " " + i);
              }
            }
          }
        }
      }
    }
    try (Connection connection = connect("America/New_York");
        PreparedStatement statement =
            connection.prepareStatement("select m = ? from (values (timestamp '2024-06-01 06:00:00.000000001')) as v(m)")) {
      statement.setObject(1, Instant.parse("2024-06-01T10:00:00.000000001Z"));
      try (ResultSet row = statement.executeQuery()) {
        assertTrue(row.next());
        assertTrue(row.getBoolean(1));
      }
    }
  }

  @Test
  void timestampsNearAChangeOfClocks() throws SQLException {
    for (String zone : List.of("America/New_York", "UTC", "Europe/Berlin")) {
      for (String text :
          List.of("2024-03-10T03:15", "2024-03-31T03:15", "2024-11-03T03:15", "2024-10-27T12:00")) {
        Instant wanted = LocalDateTime.parse(text).atZone(ZoneId.of(zone)).toInstant();
        try (Connection connection = connect(zone);
            Statement statement = connection.createStatement();
            ResultSet row =
                statement.executeQuery("select timestamp '%s:00'".formatted(text.replace('T', ' ')))) {
          assertTrue(row.next());
          assertEquals(Timestamp.from(wanted), row.getTimestamp(1), zone);
          assertEquals(Timestamp.from(wanted), row.getObject(1), zone);
          assertEquals(wanted, row.getObject(1, Instant.class), zone);
          assertEquals(
              Timestamp.from(LocalDateTime.parse(text).atZone(ZoneId.of("Asia/Tokyo")).toInstant()),
              row.getTimestamp(1, Calendar.getInstance(TimeZone.getTimeZone("Asia/Tokyo"))));
        }
      }
    }
  }

  /** A date and a time of a moment are what clocks of the zone show. */
  @Test
  void datesAndTimesNearAChangeOfClocks() throws SQLException {
    for (String name : List.of("America/New_York", "UTC", "Europe/Berlin")) {
      ZoneId zone = ZoneId.of(name);
      for (String text : List.of("2024-03-10T03:15", "2024-03-31T03:15", "2024-11-03T03:15")) {
        LocalDateTime moment = LocalDateTime.parse(text);
        try (Connection connection = connect(name);
            Statement statement = connection.createStatement();
            ResultSet row =
                statement.executeQuery(
                    "select timestamp '%s:00', cast(null as timestamp), date '%s'".formatted(text.replace('T', ' '), text.substring(0, 10)))) {
          assertTrue(row.next());
          assertEquals(moment.atZone(zone).toInstant().toEpochMilli(), row.getDate(1).getTime(), name);
          assertEquals(
              LocalDate.EPOCH.atTime(moment.toLocalTime()).atZone(zone).toInstant().toEpochMilli(),
              row.getTime(1).getTime(),
              name);
          assertNull(row.getDate(2));
          assertNull(row.getTime(2));
          assertTrue(row.wasNull());
          long midnight = moment.toLocalDate().atStartOfDay(zone).toInstant().toEpochMilli();
          assertEquals(midnight, row.getDate(3).getTime(), name);
          assertEquals(midnight, ((Date) row.getObject(3)).getTime(), name);
          assertEquals(midnight, row.getTimestamp(3).getTime(), name);
          assertEquals(moment.toLocalDate(), row.getObject(3, LocalDate.class), name);
          ZoneId beirut = ZoneId.of("Asia/Beirut"); // where some days begin at one o'clock
          assertEquals(
              moment.toLocalDate().atStartOfDay(beirut).toInstant().toEpochMilli(),
              row.getDate(3, Calendar.getInstance(TimeZone.getTimeZone(beirut))).getTime(),
              name);
        }
      }
    }
  }

  @Test
  void nullTextsAreNoDates() throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "select x, cast(null as char(3)) from (values (cast(null as varchar)), ('2024-02-29')) as t(x) order by 1 nulls first")) {
      assertTrue(row.next());
      for (int column = 1; column <= 2; column++) {
        assertNull(row.getDate(column));
        assertTrue(row.wasNull());
        assertNull(row.getTime(column));
        assertTrue(row.wasNull());
        assertNull(row.getTimestamp(column));
        assertTrue(row.wasNull());
      }
    }
  }

  /** What SET does to a session is seen by statements that are opened and values that are set behind it. */
  @Test
  void theZoneOfTheSessionIsTheClients() throws SQLException {
    Instant noon = LocalDateTime.parse("2024-07-01T12:00").atZone(ZoneId.of("Asia/Tokyo")).toInstant();
    try (Connection connection = connect("UTC");
        Statement statement = connection.createStatement();
        PreparedStatement sent = connection.prepareStatement("select cast(cast(? as timestamp) as varchar)")) {
      statement.execute("/* of who looks */ -- on\nSET TimeZone = 'Asia/Tokyo'; -- Japan");
      try (ResultSet row = statement.executeQuery("select timestamp '2024-07-01 12:00:00'")) {
        assertTrue(row.next());
        assertEquals(Timestamp.from(noon), row.getTimestamp(1));
        assertEquals(noon, row.getObject(1, Instant.class));
      }
      sent.setObject(1, noon);
      try (ResultSet row = sent.executeQuery()) {
        assertTrue(row.next());
        assertEquals("2024-07-01 12:00:00", row.getString(1).substring(0, 19));
      }
      statement.execute("reset TimeZone");
      try (ResultSet row = statement.executeQuery("select timestamp '2024-07-01 12:00:00'")) {
        assertTrue(row.next());
        assertEquals(Instant.parse("2024-07-01T12:00:00Z"), row.getObject(1, Instant.class));
      }
      try (PreparedStatement set = connection.prepareStatement("set timezone = 'Asia/Tokyo'")) {
        set.execute();
      }
      try (ResultSet row = statement.executeQuery("select timestamp '2024-07-01 12:00:00'")) {
        assertTrue(row.next());
        assertEquals(noon, row.getObject(1, Instant.class));
      }
    }
  }

  @Test
  void momentsAreNoNumbers() throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "select date '2024-02-29', timestamp '2024-02-29 00:00:00', time '10:00:00', timestamptz '2024-07-01 12:00:00Z', cast(null as date), 2.5e0")) {
      assertTrue(row.next());
      for (int i = 1; i <= 4; i++) {
        ClientValuesTest.refused("HY010", 406, row, i, ResultSet::getDouble);
        ClientValuesTest.refused("HY010", 406, row, i, ResultSet::getFloat);
        ClientValuesTest.refused("HY010", 406, row, i, ResultSet::getBoolean);
      }
      assertEquals(0.0, row.getDouble(5));
      assertTrue(row.wasNull());
      assertEquals(2.5, row.getDouble(6));
      assertTrue(row.getBoolean(6));
    }
  }

  private static void instants(ResultSet row) throws SQLException {
    try (row) {
      assertEquals(Types.TIMESTAMP_WITH_TIMEZONE, row.getMetaData().getColumnType(1));
      assertEquals("TIMESTAMP WITH TIME ZONE", row.getMetaData().getColumnTypeName(1));
      assertEquals(OffsetDateTime.class.getName(), row.getMetaData().getColumnClassName(1));
      assertTrue(row.next());
      OffsetDateTime moment = OffsetDateTime.parse("2024-10-27T02:30:00.123456+02:00");
      assertEquals("2024-10-27 02:30:00.123456+02", row.getString("x"));
      assertEquals(moment, row.getObject("x"));
      assertEquals(moment, row.getObject(1, OffsetDateTime.class));
      assertEquals(moment.toInstant(), row.getObject(1, Instant.class));
      assertEquals(Timestamp.from(moment.toInstant()), row.getTimestamp("x"));
      assertEquals("2024-10-27", row.getDate(1).toString());
      assertEquals("02:30:00", row.getTime(1).toString());
      assertEquals(Time.valueOf("02:30:00").getTime() + 123, row.getTime(1).getTime());
      assertNull(row.getObject("n"));
      assertNull(row.getObject(2, OffsetDateTime.class));
      assertNull(row.getTimestamp(2));
      assertThrows(SQLException.class, () -> row.getObject(1, Integer.class));
    }
  }
}
