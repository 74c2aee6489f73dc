package io.aragonite.adapter;

import static io.aragonite.adapter.TestConnections.assertError;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.error.ErrorCode;
import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;
import java.io.StringWriter;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.sql.Array;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.Connection;
import java.sql.Date;
import java.sql.DriverManager;
import java.sql.NClob;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Struct;
import java.sql.Time;
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
import java.util.Arrays;
import java.util.Calendar;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TimeZone;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Streams, large objects, arrays, and values by class. */
class JdbcValuesTest {
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

  private static String text(@Nullable Reader reader) throws IOException {
    StringWriter text = new StringWriter();
    Objects.requireNonNull(reader).transferTo(text);
    return text.toString();
  }

  @Test
  void textsAsStreamsAndLargeObjects() throws SQLException, IOException {
    try (ResultSet rows = row("'a\u00e9\u4e16' as c, cast(null as varchar(3)) as n, 7 as i")) {
      InputStream ascii = rows.getAsciiStream("c");
      assertEquals("a??", new String(ascii.readAllBytes(), StandardCharsets.US_ASCII));
      assertEquals("a\u00e9\u4e16", text(rows.getCharacterStream(1)));
      assertEquals("a\u00e9\u4e16", text(rows.getNCharacterStream("c")));
      Clob clob = rows.getClob("c");
      assertFalse(rows.wasNull());
      assertEquals(3, clob.length());
      assertEquals("\u00e9\u4e16", clob.getSubString(2, 99));
      assertEquals("", clob.getSubString(4, 1));
      assertEquals(3, clob.position("\u4e16", 1));
      assertEquals(-1, clob.position("a", 2));
      assertEquals(1, clob.position(rows.getNClob(1), 1));
      assertEquals("\u00e9", text(clob.getCharacterStream(2, 1)));
      assertEquals("\u00e9\u4e16", text(clob.getCharacterStream(2, Long.MAX_VALUE)));
      assertError(ErrorCode.INVALID_CALL, () -> clob.getSubString(0, 1), "first position is 1");
      assertError(ErrorCode.INVALID_CALL, () -> clob.getSubString(5, 1), "length 3");
      assertError(ErrorCode.READ_ONLY, () -> clob.setString(1, "b"), "read only");
      assertError(ErrorCode.READ_ONLY, () -> clob.truncate(1));
      clob.free();
      assertError(ErrorCode.INVALID_CALL, clob::length, "freed");
      assertNull(rows.getAsciiStream("n"));
      assertTrue(rows.wasNull());
      assertNull(rows.getCharacterStream(2));
      assertNull(rows.getClob(2));
      assertNull(rows.getNClob(2));
      assertTrue(rows.wasNull());
      assertError(ErrorCode.INVALID_CALL, () -> rows.getClob("i"), "Column 3 is a INTEGER", "Clob");
      assertError(ErrorCode.INVALID_CALL, () -> rows.getAsciiStream(3), "ASCII");
      assertError(ErrorCode.INVALID_CALL, () -> rows.getBytes(1), "byte[]");
      assertError(ErrorCode.INVALID_CALL, () -> rows.getBlob(1), "Blob");
      assertError(ErrorCode.INVALID_CALL, () -> rows.getClob(4), "4");
      assertError(ErrorCode.UNKNOWN_COLUMN, () -> rows.getClob("x"), "x");
      assertError(
          ErrorCode.EXPRESSION_UNSUPPORTED,
          () -> rows.getUnicodeStream(1),
          "ResultSet.getUnicodeStream");
      rows.close();
      assertError(ErrorCode.INVALID_CALL, () -> rows.getClob(1), "closed");
      assertError(ErrorCode.INVALID_CALL, () -> rows.getBinaryStream(1), "closed");
      assertError(ErrorCode.INVALID_CALL, () -> rows.getArray(1), "closed");
    }
  }

  @Test
  void bytesAsStreamsAndLargeObjects() throws SQLException, IOException {
    try (ResultSet rows = row("x'00ff10' as b, cast(null as varbinary(3)) as n")) {
      assertArrayEquals(new byte[] {0, -1, 16}, rows.getBinaryStream("b").readAllBytes());
      Blob blob = rows.getBlob(1);
      assertEquals(3, blob.length());
      assertArrayEquals(new byte[] {-1, 16}, blob.getBytes(2, 9));
      assertArrayEquals(new byte[] {-1}, blob.getBinaryStream(2, 1).readAllBytes());
      assertArrayEquals(
          new byte[] {-1, 16}, blob.getBinaryStream(2, Long.MAX_VALUE).readAllBytes());
      assertEquals(2, blob.position(new byte[] {-1, 16}, 1));
      assertEquals(-1, blob.position(new byte[] {0}, 2));
      assertEquals(1, blob.position(rows.getBlob("b"), 1));
      assertError(ErrorCode.READ_ONLY, () -> blob.setBytes(1, new byte[1]), "parameters");
      assertError(ErrorCode.INVALID_CALL, () -> blob.getBytes(1, -1), "-1");
      blob.free();
      assertError(ErrorCode.INVALID_CALL, blob::length, "freed");
      assertNull(rows.getBinaryStream(2));
      assertTrue(rows.wasNull());
      assertNull(rows.getBlob(2));
      assertNull(rows.getBytes(2));
      assertError(ErrorCode.INVALID_CALL, () -> rows.getClob(1), "BINARY");
      assertError(ErrorCode.INVALID_CALL, () -> rows.getCharacterStream(1), "BINARY");
    }
  }

  /** What an array of an element type is. */
  private record Case(String sql, int type, String name, Object[] elements, String text) {}

  private static final List<Case> ARRAYS =
      List.of(
          new Case("array[1, 2]", Types.INTEGER, "INTEGER", new Integer[] {1, 2}, "[1, 2]"),
          new Case(
              "array[1, null]", Types.INTEGER, "INTEGER", new Integer[] {1, null}, "[1, null]"),
          new Case("array[true]", Types.BOOLEAN, "BOOLEAN", new Boolean[] {true}, "[true]"),
          new Case("array[cast(1 as tinyint)]", Types.TINYINT, "TINYINT", new Byte[] {1}, "[1]"),
          new Case(
              "array[cast(1 as smallint)]", Types.SMALLINT, "SMALLINT", new Short[] {1}, "[1]"),
          new Case("array[cast(1 as bigint)]", Types.BIGINT, "BIGINT", new Long[] {1L}, "[1]"),
          new Case("array[cast(1.5 as real)]", Types.REAL, "REAL", new Float[] {1.5f}, "[1.5]"),
          new Case("array[1.5e0]", Types.DOUBLE, "DOUBLE", new Double[] {1.5}, "[1.5]"),
          new Case(
              "array[1.50]",
              Types.DECIMAL,
              "DECIMAL",
              new BigDecimal[] {new BigDecimal("1.50")},
              "[1.50]"),
          new Case("array['a', 'b']", Types.CHAR, "CHAR", new String[] {"a", "b"}, "[a, b]"),
          new Case(
              "array[cast('a' as varchar(3)), null]",
              Types.VARCHAR,
              "VARCHAR",
              new String[] {"a", null},
              "[a, null]"),
          new Case("array[x'00ff']", Types.BINARY, "BINARY", new byte[][] {{0, -1}}, "[00ff]"),
          new Case(
              "array[date '2024-02-29']",
              Types.DATE,
              "DATE",
              new Date[] {new Date(instant("2024-02-29T00:00:00"))},
              "[2024-02-29]"),
          new Case(
              "array[time '01:02:03', null]",
              Types.TIME,
              "TIME",
              new Time[] {new Time(instant("1970-01-01T01:02:03")), null},
              "[01:02:03, null]"),
          new Case(
              "array[timestamp '2024-02-29 01:02:03.5']",
              Types.TIMESTAMP,
              "TIMESTAMP",
              new Timestamp[] {new Timestamp(instant("2024-02-29T01:02:03.5"))},
              "[2024-02-29 01:02:03.5]"),
          new Case("multiset[3]", Types.INTEGER, "INTEGER", new Integer[] {3}, "[3]"),
          new Case(
              "array[array[1, null], null, array[2]]",
              Types.ARRAY,
              "INTEGER ARRAY",
              new Integer[][] {{1, null}, null, {2}},
              "[[1, null], null, [2]]"),
          new Case(
              "array[array[date '2024-02-29']]",
              Types.ARRAY,
              "DATE ARRAY",
              new Date[][] {{new Date(instant("2024-02-29T00:00:00"))}},
              "[[2024-02-29]]"));

  private static long instant(String inTokyo) {
    return LocalDateTime.parse(inTokyo).toInstant(ZoneOffset.ofHours(9)).toEpochMilli();
  }

  @Test
  void arraysOfAllElements() throws SQLException {
    for (Case one : ARRAYS) {
      try (ResultSet rows = row(one.sql + " as x, cast(null as integer array) as n")) {
        Array array = rows.getArray("x");
        assertFalse(rows.wasNull());
        assertEquals(one.type, array.getBaseType(), one.sql);
        assertTrue(array.getBaseTypeName().startsWith(one.name), array::toString);
        Object[] elements = (Object[]) array.getArray();
        assertEquals(one.elements.getClass(), elements.getClass(), one.sql);
        assertTrue(Arrays.deepEquals(one.elements, elements), array::toString);
        assertEquals(one.text, array.toString());
        assertEquals(one.text, rows.getString(1));
        assertEquals(one.text, String.valueOf(rows.getObject(1)));
        assertElements(one, array.getResultSet(), 1);
        assertElements(one, array.getResultSet(elements.length, 1), elements.length);
        assertNull(rows.getArray("n"));
        assertTrue(rows.wasNull());
        assertNull(rows.getString(2));
      }
    }
  }

  private static void assertElements(Case one, ResultSet rows, int from) throws SQLException {
    try (rows) {
      assertFalse(rows.isLast());
      for (int i = from; i <= one.elements.length; i++) {
        assertTrue(rows.next());
        assertEquals(i == one.elements.length, rows.isLast());
        assertEquals(i, rows.getInt(1));
        Object expected = one.elements[i - 1];
        Object value = rows.getObject("VALUE");
        assertEquals(expected == null, rows.wasNull());
        assertTrue(
            Arrays.deepEquals(
                new Object[] {expected},
                new Object[] {value instanceof Array nested ? nested.getArray() : value}),
            () -> one.sql + ": " + value);
      }
      assertFalse(rows.next());
      assertFalse(rows.isLast());
    }
  }

  @Test
  void partsOfArrays() throws SQLException {
    try (ResultSet rows = row("array['a', 'b', 'c'], array[row(1, 'x')], 5")) {
      Array array = rows.getArray(1);
      assertArrayEquals(new String[] {"b", "c"}, (String[]) array.getArray(2, 2));
      assertArrayEquals(new String[] {}, (String[]) array.getArray(4, 0));
      assertArrayEquals(new String[] {"a"}, (String[]) array.getArray(1, 1, Map.of()));
      assertError(ErrorCode.INVALID_CALL, () -> array.getArray(0, 1), "first is 1");
      assertError(ErrorCode.INVALID_CALL, () -> array.getResultSet(3, 2), "3 elements");
      assertError(
          ErrorCode.INVALID_CALL, () -> array.getArray(Map.of("x", String.class)), "map out");
      Struct struct = ((Struct[]) rows.getArray(2).getArray())[0];
      assertEquals(List.of(1, "x"), Arrays.asList(struct.getAttributes()));
      assertEquals(List.of(1, "x"), Arrays.asList(struct.getAttributes(Map.of())));
      assertError(
          ErrorCode.INVALID_CALL, () -> struct.getAttributes(Map.of("x", String.class)), "map out");
      assertError(ErrorCode.INVALID_CALL, () -> rows.getArray(3));
      assertArrayEquals(new Object[] {"a", "b", "c"}, rows.getObject(1, Object[].class));
      assertEquals(List.of("a", "b", "c"), rows.getObject(1, List.class));
      assertError(ErrorCode.INVALID_CALL, () -> rows.getObject(1, Integer[].class), "Integer[]");
      array.free();
      assertError(ErrorCode.INVALID_CALL, array::getArray, "freed");
      assertError(ErrorCode.INVALID_CALL, array::getBaseType, "freed");
    }
    try (ResultSet rows = row("array[1, 2], array[1, null]")) {
      assertArrayEquals(new int[] {1, 2}, rows.getObject(1, int[].class));
      assertArrayEquals(new long[] {1, 2}, rows.getObject(1, long[].class));
      assertError(ErrorCode.INVALID_CALL, () -> rows.getObject(2, int[].class), "int[]");
    }
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
  void valuesByClass() throws SQLException, IOException {
    String id = "0f0e0d0c-0b0a-0908-0706-050403020100";
    try (ResultSet rows =
        row(
            "'%s' as u, x'%s' as b, cast(12 as bigint), 1.5, cast(null as varchar(9)) as n"
                .formatted(id, id.replace("-", "")))) {
      assertEquals(UUID.fromString(id), rows.getObject("u", UUID.class));
      assertEquals(UUID.fromString(id), rows.getObject("b", UUID.class));
      assertEquals(id, text(rows.getObject(1, Reader.class)));
      assertEquals(36, rows.getObject(1, Clob.class).length());
      assertEquals(36, rows.getObject(1, NClob.class).length());
      assertEquals(16, rows.getObject(2, Blob.class).length());
      assertEquals(16, rows.getObject(2, InputStream.class).readAllBytes().length);
      assertEquals(BigInteger.valueOf(12), rows.getObject(3, BigInteger.class));
      assertEquals(12f, rows.getObject(3, Float.class));
      assertEquals("12", rows.getObject(3, String.class));
      assertEquals((short) 12, rows.getObject(3, Short.class));
      assertError(ErrorCode.INVALID_CALL, () -> rows.getObject(4, BigInteger.class), "1.5");
      assertError(ErrorCode.INVALID_CALL, () -> rows.getObject(3, UUID.class), "UUID");
      for (Class<?> type : List.of(UUID.class, Integer.class, LocalDate.class, Clob.class)) {
        assertNull(rows.getObject("n", type));
        assertTrue(rows.wasNull());
      }
      assertEquals("12", String.valueOf(rows.getObject(3, Map.of())));
      assertError(
          ErrorCode.INVALID_CALL, () -> rows.getObject(3, Map.of("x", String.class)), "map out");
    }
  }

  @Test
  void whereTheCursorIs() throws SQLException {
    for (String rows :
        List.of("(values (1), (2), (3)) as t(x)", "unnest(array[1, 2, 3]) as t(x)")) {
      try (ResultSet result = statement.executeQuery("select x from " + rows)) {
        assertTrue(result.isBeforeFirst());
        assertFalse(result.isLast());
        for (int i = 1; i <= 3; i++) {
          assertTrue(result.next());
          assertEquals(i, result.getRow());
          assertEquals(i == 1, result.isFirst());
          assertEquals(i == 3, result.isLast());
          assertEquals(i, result.getInt(1));
          assertEquals(i == 3, result.isLast());
          assertEquals(i, result.getObject("x"));
          assertFalse(result.isBeforeFirst());
        }
        assertFalse(result.next());
        assertTrue(result.isAfterLast());
        assertFalse(result.isLast());
        assertEquals(0, result.getRow());
        assertEquals(ResultSet.FETCH_FORWARD, result.getFetchDirection());
        result.setFetchDirection(ResultSet.FETCH_FORWARD);
        assertError(
            ErrorCode.INVALID_CALL,
            () -> result.setFetchDirection(ResultSet.FETCH_REVERSE),
            "forwards");
        assertError(ErrorCode.EXPRESSION_UNSUPPORTED, result::previous, "ResultSet.previous");
        assertError(
            ErrorCode.EXPRESSION_UNSUPPORTED, () -> result.updateInt(1, 1), "ResultSet.updateInt");
      }
      try (ResultSet none = statement.executeQuery("select x from " + rows + " where x > 3")) {
        assertFalse(none.isBeforeFirst(), "there is no row");
        assertFalse(none.next());
        assertFalse(none.isLast());
      }
      statement.setMaxRows(2);
      try (ResultSet result = statement.executeQuery("select x from " + rows)) {
        assertTrue(result.next());
        assertFalse(result.isLast());
        assertTrue(result.next());
        assertTrue(result.isLast());
      } finally {
        statement.setMaxRows(0);
      }
    }
  }

  /** The value of a result's one column may look as the values of several do. */
  @Test
  void whereTheCursorIsInRowsOfOneRow() throws SQLException {
    String sql = "select row(x, x + 1), x from (values (1), (2)) as t(x) order by 2";
    for (String select : List.of(sql, "select r from (" + sql + ") as u(r, x)")) {
      try (ResultSet result = statement.executeQuery(select)) {
        for (int i = 1; i <= 2; i++) {
          assertTrue(result.next());
          assertEquals(i == 2, result.isLast());
          Struct struct = (Struct) result.getObject(1);
          assertEquals(List.of(i, i + 1), Arrays.asList(struct.getAttributes()));
        }
        assertFalse(result.next());
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

  @Test
  void mapsHaveKeysAndValuesOfTheirTypes() throws SQLException {
    try (ResultSet row =
        row(
            "map['a', date '2024-01-31', 'b', null], map[time '01:02:03', interval '1' day],"
                + " map['r', {'d': [date '2024-01-31']}], date '2024-01-31'")) {
      Map<?, ?> days = (Map<?, ?>) row.getObject(1);
      assertEquals(List.of("a", "b"), List.copyOf(days.keySet()));
      assertEquals(row.getObject(4), days.get("a"));
      assertNull(days.get("b"));
      assertEquals("{a=2024-01-31, b=null}", row.getString(1));
      Map<?, ?> spans = (Map<?, ?>) row.getObject(2);
      assertEquals(Duration.ofDays(1), spans.values().iterator().next());
      assertTrue(spans.keySet().iterator().next() instanceof Time);
      assertEquals("{01:02:03=1 day}", row.getString(2));
      assertEquals("{r={'d': [2024-01-31]}}", row.getString(3));
      assertTrue(((Map<?, ?>) row.getObject(3)).get("r") instanceof Struct);
    }
  }
}
