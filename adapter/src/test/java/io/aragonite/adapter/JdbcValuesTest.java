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
import java.sql.NClob;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Struct;
import java.sql.Time;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
