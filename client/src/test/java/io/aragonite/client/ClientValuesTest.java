package io.aragonite.client;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.Connection;
import java.sql.Date;
import java.sql.DriverManager;
import java.sql.JDBCType;
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
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Values of the client's rows and parameters are those that the server has. */
class ClientValuesTest {
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

  /** Rows come in several messages; the first is an answer of another kind. */
  @Test
  void valuesOfLaterMessagesAreThoseOfTheFirst() throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "select cast(i as tinyint), cast(i - 20 as smallint), cast(i as integer), i * 5000000000,"
                    + " cast(i as real) / 3, i * 0.1e0, cast(i as decimal(20, 3)) / 7, i > 3,"
                    + " case when i <> 5 then 'é' || repeat('\u6f22', i) end, x'00ff', nullif(i, 7),"
                    + " date '1500-03-01' + i, time '12:34:56', timestamp '1969-12-31 23:59:59.125',"
                    + " array[i, null], interval '1' day * i, cast(null as decimal(5, 2))"
                    + " from (select mod(g, 50) as i, g from range(12000) as t(g)) order by g")) {
      List<String> first = new ArrayList<>();
      int count = 0;
      while (rows.next()) {
        List<String> values = new ArrayList<>();
        for (int column = 1; column <= 17; column++) {
          Object value = rows.getObject(column);
          values.add((value == null ? "" : value.getClass()) + " " + rows.getString(column));
        }
        if (count < 50) {
          first.add(values.toString());
        }
        assertEquals(first.get(count % 50), values.toString(), "row " + count);
        count++;
      }
      assertEquals(12_000, count);
      assertTrue(first.get(5).contains("class java.lang.Long 25000000000"), first.get(5));
    }
  }

  @Test
  void uuidsAndLargeNumbers() throws SQLException {
    UUID uuid = UUID.fromString("7b3ad95a-0000-4000-8000-000000000001");
    try (Connection connection = connect();
        PreparedStatement statement =
            connection.prepareStatement(
                "select cast(? as uuid), cast(null as uuid), array[cast(? as uuid)], ?")) {
      statement.setObject(1, uuid);
      statement.setObject(2, uuid);
      statement.setObject(3, new BigInteger("99999999999999999999"));
      try (ResultSet rows = statement.executeQuery()) {
        assertEquals(Types.OTHER, rows.getMetaData().getColumnType(1));
        assertEquals("UUID", rows.getMetaData().getColumnTypeName(1));
        assertEquals(UUID.class.getName(), rows.getMetaData().getColumnClassName(1));
        assertTrue(rows.next());
        assertEquals(uuid, rows.getObject(1));
        assertEquals(uuid, rows.getObject(1, UUID.class));
        assertEquals(uuid.toString(), rows.getObject(1, String.class));
        assertEquals(uuid.toString(), rows.getString(1));
        assertNull(rows.getObject(2));
        assertArrayEquals(
            new Object[] {uuid.toString()}, (Object[]) rows.getArray(3).getArray());
        assertEquals(new BigDecimal("99999999999999999999"), rows.getBigDecimal(4));
      }
      statement.setObject(3, null);
      SQLException error =
          assertThrows(SQLException.class, () -> statement.setObject(3, Duration.ofDays(1)));
      assertEquals(503, error.getErrorCode());
      assertTrue(error.getMessage().contains("java.time.Duration"), error.getMessage());
    }
  }

  @Test
  void numbersThatDoNotFitAreErrors() throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "select cast('NaN' as double), cast('Infinity' as double), cast('-Infinity' as real), 1e300, 3000000000, 1e18 * 10,"
                    + " date '2024-02-29', timestamp '2024-02-29 00:00:00', time '10:00:00', array[1], x'00', 'abc',"
                    + " -7.9e0, cast(-7.9 as decimal(3, 1)), ' 12.5 ', true, cast(null as double), cast(null as date), 5000000001, cast(9223372036854775807 as bigint)")) {
      assertTrue(row.next());
      for (int i = 1; i <= 3; i++) {
        refused("22003", 202, row, i, ResultSet::getBigDecimal);
      }
      for (int i = 1; i <= 4; i++) {
        refused("22003", 202, row, i, ResultSet::getLong);
      }
      for (int i = 1; i <= 5; i++) {
        refused("22003", 202, row, i, ResultSet::getInt);
        refused("22003", 202, row, i, ResultSet::getShort);
        refused("22003", 202, row, i, ResultSet::getByte);
      }
      for (int i = 7; i <= 11; i++) {
        refused("HY010", 406, row, i, ResultSet::getLong);
        refused("HY010", 406, row, i, ResultSet::getInt);
        refused("HY010", 406, row, i, ResultSet::getBigDecimal);
      }
      assertEquals(1e300, row.getDouble(4));
      refused("22003", 202, row, 4, ResultSet::getFloat);
      assertEquals(Float.NEGATIVE_INFINITY, row.getFloat(3));
      assertEquals(Double.POSITIVE_INFINITY, row.getDouble(2));
      assertEquals(3e9f, row.getFloat(5));
      assertEquals(12.5f, row.getFloat(15));
      assertEquals(12.5, row.getDouble(15));
      assertEquals(1, row.getFloat(16));
      assertEquals(0, row.getFloat(17));
      assertTrue(row.wasNull());
      for (int i = 7; i <= 11; i++) {
        refused("HY010", 406, row, i, ResultSet::getDouble);
        refused("HY010", 406, row, i, ResultSet::getFloat);
      }
      refused("22018", 203, row, 12, ResultSet::getDouble);
      refused("22018", 203, row, 12, ResultSet::getLong);
      refused("22018", 203, row, 12, ResultSet::getBigDecimal);
      assertEquals(-7, row.getLong(13));
      assertEquals(-7, row.getByte(14));
      assertEquals(12, row.getInt(15));
      assertEquals(new BigDecimal("12.5"), row.getBigDecimal(15));
      assertEquals(1, row.getShort(16));
      assertEquals(BigDecimal.ONE, row.getBigDecimal(16));
      assertEquals(0, row.getLong(17));
      assertTrue(row.wasNull());
      assertNull(row.getBigDecimal(17));
      assertEquals(0, row.getLong(18));
      assertNull(row.getBigDecimal(18));
      assertEquals(5_000_000_001L, row.getLong(19));
      assertFalse(row.wasNull());
      assertEquals(Long.MAX_VALUE, row.getLong(20));
    }
  }

  /** A getter that is to fail. */
  interface Getting {
    Object get(ResultSet row, int column) throws SQLException;
  }

  static void refused(String state, int code, ResultSet row, int column, Getting getter) {
    SQLException error = assertThrows(SQLException.class, () -> getter.get(row, column), "column " + column);
    assertEquals(state, error.getSQLState(), error.getMessage());
    assertEquals(code, error.getErrorCode(), error.getMessage());
  }

  @Test
  void typesArriveAsTheyAre() throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "select true, cast(7 as tinyint), 12345678901, 1.25, cast(0.5 as double), 'ß€', x'0aff',"
                    + " date '2026-11-26', timestamp '2026-11-26 10:11:12.345',"
                    + " cast(null as integer), array[1, 2]")) {
      assertTrue(row.next());
      assertTrue(row.getBoolean(1));
      assertEquals(7, row.getInt(2));
      assertEquals(12345678901L, row.getLong(3));
      assertEquals(new BigDecimal("1.25"), row.getBigDecimal(4));
      assertEquals(0.5, row.getDouble(5));
      assertEquals("ß€", row.getString(6));
      assertArrayEquals(new byte[] {10, -1}, row.getBytes(7));
      assertEquals(Date.valueOf("2026-11-26").toString(), row.getDate(8).toString());
      assertEquals("2026-11-26 10:11:12.345", row.getTimestamp(9).toString());
      assertEquals(0, row.getInt(10));
      assertTrue(row.wasNull());
      assertNull(row.getObject(10));
      assertArrayEquals(new Object[] {1, 2}, (Object[]) row.getArray(11).getArray());
      assertFalse(row.next());
    }
    try (Connection connection = connect();
        PreparedStatement statement = connection.prepareStatement("select ?, ?, ?")) {
      statement.setBigDecimal(1, new BigDecimal("3.50"));
      statement.setTimestamp(2, Timestamp.valueOf("2026-01-02 03:04:05"));
      statement.setString(3, "x");
      try (ResultSet row = statement.executeQuery()) {
        assertTrue(row.next());
        assertEquals(0, row.getBigDecimal(1).compareTo(new BigDecimal("3.5")));
        assertEquals(Timestamp.valueOf("2026-01-02 03:04:05"), row.getTimestamp(2));
        assertEquals("x", row.getString(3));
      }
    }
  }

  @Test
  void valuesByClassAndAsStreams() throws Exception {
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "select cast('2024-02-29 01:02:03.004' as timestamp(3)) as ts, time '23:59:59.5' as t, date '2024-02-29' as d,"
                    + " '0d9f1e62-5a2b-4c3d-8e4f-000000000001' as u, x'0aff' as b, array[1, 2] as l, 12 as n, cast(null as date) as z")) {
      assertTrue(row.next());
      LocalDateTime local = LocalDateTime.parse("2024-02-29T01:02:03.004");
      assertEquals(local, row.getObject("ts", LocalDateTime.class));
      assertEquals(local.toLocalDate(), row.getObject("ts", LocalDate.class));
      assertEquals(
          local.atZone(ZoneId.systemDefault()).toInstant(), row.getObject("ts", Instant.class));
      assertEquals(LocalTime.parse("23:59:59.5"), row.getObject("t", LocalTime.class));
      assertEquals(LocalDate.parse("2024-02-29"), row.getObject("d", LocalDate.class));
      UUID uuid = UUID.fromString("0d9f1e62-5a2b-4c3d-8e4f-000000000001");
      assertEquals(uuid, row.getObject("u", UUID.class));
      assertArrayEquals(new int[] {1, 2}, row.getObject("l", int[].class));
      assertEquals(List.of(1, 2), row.getObject("l", List.class));
      assertEquals(12L, row.getObject("n", Long.class));
      assertNull(row.getObject("z", LocalDate.class));
      assertEquals("0aff", row.getString("b"));
      assertArrayEquals(new byte[] {10, -1}, row.getBinaryStream("b").readAllBytes());
      assertEquals(2, row.getBlob("b").length());
      assertEquals(uuid.toString(), new String(row.getAsciiStream("u").readAllBytes(), US_ASCII));
      assertEquals('0', row.getCharacterStream("u").read());
      assertEquals("0d9f", row.getClob("u").getSubString(1, 4));
      assertNull(row.getClob("z"));
      assertThrows(SQLException.class, () -> row.getObject("n", LocalDate.class));
      assertThrows(SQLException.class, () -> row.getObject("u", LocalDate.class));
      assertThrows(SQLException.class, () -> row.getClob("n"));
    }
  }

  @Test
  void parametersOfJavaTime() throws SQLException {
    Instant instant = Instant.parse("2024-07-01T12:00:00.000001Z");
    try (Connection connection = connect();
        PreparedStatement statement =
            connection.prepareStatement(
                "select d = ?, t = ?, cast(ts as varchar), cast(cast(? as timestamp) as varchar), cast(? as timestamp) = ts, cast(? as timestamp with time zone), u = ?"
                    + " from (values (date '2024-02-29', time '23:59:59.000001', timestamp '2024-02-29 01:02:03.000001', '0d9f1e62-5a2b-4c3d-8e4f-000000000001')) v(d, t, ts, u)")) {
      statement.setObject(1, LocalDate.parse("2024-02-29"));
      statement.setObject(2, LocalTime.parse("23:59:59.000001"));
      statement.setObject(3, LocalDateTime.parse("2024-03-31T02:30:00.125"));
      statement.setObject(4, LocalDateTime.parse("2024-02-29T01:02:03.000001"), Types.TIMESTAMP);
      statement.setObject(5, instant);
      statement.setObject(6, UUID.fromString("0d9f1e62-5a2b-4c3d-8e4f-000000000001"));
      try (ResultSet row = statement.executeQuery()) {
        assertTrue(row.next());
        assertTrue(row.getBoolean(1));
        assertTrue(row.getBoolean(2));
        assertEquals("2024-02-29 01:02:03.000001", row.getString(3));
        assertEquals("2024-03-31 02:30:00.125", row.getString(4));
        assertTrue(row.getBoolean(5));
        assertEquals(instant, row.getObject(6, Instant.class));
        assertTrue(row.getBoolean(7));
      }
    }
    Connection aborted = connect();
    aborted.abort(Runnable::run);
    assertTrue(aborted.isClosed());
  }

  /** A number that a type does not hold is an error, and the value before stays. */
  @Test
  void parametersOfTypes() throws SQLException {
    try (Connection connection = connect();
        PreparedStatement statement =
            connection.prepareStatement(
                "select cast(cast(? as timestamp) as varchar), ?, ?, ?, cast(? as varchar), ?, date '2024-02-29' = ?, ?")) {
      statement.setObject(1, "2024-2-29 1:02:03.123456", Types.TIMESTAMP);
      statement.setObject(2, "1.255", Types.DECIMAL, 2);
      statement.setObject(3, 7.0, Types.INTEGER);
      statement.setObject(4, new byte[] {1, -1}, Types.VARBINARY);
      statement.setObject(5, Timestamp.valueOf("2024-02-29 01:02:03.000004"), Types.VARCHAR);
      statement.setObject(6, "true", JDBCType.BOOLEAN);
      statement.setObject(7, "2024-02-29", Types.DATE);
      statement.setObject(8, 1, Types.BIGINT);
      statement.setObject(8, "x", Types.OTHER);
      notAValue(statement, 202, 1L << 40, Types.INTEGER);
      notAValue(statement, 202, 300, Types.TINYINT);
      notAValue(statement, 202, "70000", Types.SMALLINT);
      notAValue(statement, 202, new BigDecimal("1e20"), Types.BIGINT);
      notAValue(statement, 202, 1e300, Types.REAL);
      notAValue(statement, 202, "1e999", Types.DOUBLE);
      notAValue(statement, 202, "1e-2000000000", Types.DECIMAL);
      notAValue(statement, 406, Double.NaN, Types.INTEGER);
      notAValue(statement, 406, Double.NaN, Types.DECIMAL);
      notAValue(statement, 406, 1.5, Types.INTEGER);
      notAValue(statement, 406, "", Types.DOUBLE);
      notAValue(statement, 406, -3, Types.BOOLEAN);
      notAValue(statement, 406, "abc", Types.VARBINARY);
      notAValue(statement, 406, new byte[1], Types.VARCHAR);
      notAValue(statement, 406, "today", Types.DATE);
      notAValue(statement, 406, "25:00:00", Types.TIME);
      notAValue(statement, 406, LocalTime.NOON, Types.TIMESTAMP);
      notAValue(statement, 406, LocalDate.EPOCH, Types.INTEGER);
      notAValue(statement, 406, 1, Types.TIME_WITH_TIMEZONE);
      notAValue(statement, 406, 1, 12345);
      notAValue(statement, 503, Duration.ofDays(1), Types.VARCHAR);
      try (ResultSet row = statement.executeQuery()) {
        assertTrue(row.next());
        assertEquals("2024-02-29 01:02:03.123456", row.getString(1));
        assertEquals(new BigDecimal("1.26"), row.getBigDecimal(2));
        assertEquals(7, row.getObject(3));
        assertArrayEquals(new byte[] {1, -1}, row.getBytes(4));
        assertEquals("2024-02-29 01:02:03.000004", row.getString(5));
        assertEquals(true, row.getObject(6));
        assertTrue(row.getBoolean(7));
        assertEquals("x", row.getString(8));
      }
      statement.setObject(8, null, Types.INTEGER);
      statement.setObject(7, Timestamp.valueOf("2024-02-29 01:02:03"), Types.DATE);
      try (ResultSet row = statement.executeQuery()) {
        assertTrue(row.next());
        assertTrue(row.getBoolean(7));
        assertNull(row.getObject(8));
      }
    }
  }

  private static void notAValue(PreparedStatement statement, int code, Object value, int type) {
    SQLException error =
        assertThrows(
            SQLException.class, () -> statement.setObject(8, value, type), value + " " + type);
    assertEquals(code, error.getErrorCode(), error.getMessage());
    assertEquals(
        code == 202 ? "22003" : code == 406 ? "HY010" : "0AX01",
        error.getSQLState(),
        error.getMessage());
  }
}
