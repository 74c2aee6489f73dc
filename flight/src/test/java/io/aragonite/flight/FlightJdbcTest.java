package io.aragonite.flight;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.adapter.server.ServerOptions;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.Date;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Time;
import java.sql.Timestamp;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Apache's JDBC driver of Flight SQL as a client. */
class FlightJdbcTest {
  private static FlightSqlServer server;

  @BeforeAll
  static void start() throws SQLException {
    server = FlightSqlServer.start(ServerOptions.local("jdbc:aragonite:device=cpu;tpch=0.001"));
  }

  @AfterAll
  static void stop() throws SQLException {
    server.close(); // fails if vectors are left
  }

  private static Connection connect() throws SQLException {
    return DriverManager.getConnection(server.clientUrl());
  }

  private static List<Object> row(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      assertTrue(rows.next());
      List<Object> values = new ArrayList<>();
      for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
        values.add(rows.getObject(i));
      }
      assertFalse(rows.next());
      return values;
    }
  }

  @Test
  void plainValues() throws SQLException {
    try (Connection connection = connect()) {
      assertEquals(
          "[true, 1, 2, 3, 4, 1.5, 2.5, 12345678901234567890123456789012345.678, text, null]",
          row(
              connection,
              "select true, cast(1 as tinyint), cast(2 as smallint), 3, cast(4 as bigint),"
                  + " cast(1.5 as real), 2.5e0,"
                  + " cast('12345678901234567890123456789012345.678' as decimal(38, 3)),"
                  + " cast('text' as varchar), cast(null as integer)")
              .toString());
    }
  }

  @Test
  void rowsOfReturning() throws SQLException {
    try (Connection connection = connect()) {
      try (Statement statement = connection.createStatement()) {
        statement.executeUpdate("create table returned (i integer, n varchar)");
      }
      assertEquals(
          "[1, a]",
          row(connection, "insert into returned values (1, 'a') returning i, n").toString());
      assertEquals("[2]", row(connection, "update returned set i = 2 returning i").toString());
      assertEquals("[2]", row(connection, "select sum(i) from returned").toString());
    }
  }

  @Test
  void moments() throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "select date '2024-02-29', time '12:34:56', timestamp '1969-12-31 23:59:59.123',"
                    + " cast('2024-02-29 01:02:03.123456' as timestamp(6)),"
                    + " cast('2024-02-29 01:02:03.123456789' as timestamp(9)),"
                    + " x'0aff', uuid '123e4567-e89b-12d3-a456-426614174000'")) {
      assertTrue(rows.next());
      assertEquals("2024-02-29", rows.getString(1));
      assertEquals("12:34:56", rows.getString(2));
      assertEquals("1969-12-31 23:59:59.123", rows.getTimestamp(3).toString());
      assertEquals("2024-02-29 01:02:03.123456", rows.getTimestamp(4).toString());
      assertEquals("2024-02-29 01:02:03.123456789", rows.getTimestamp(5).toString());
      assertArrayEquals(new byte[] {0x0a, (byte) 0xff}, rows.getBytes(6));
      assertEquals("123e4567-e89b-12d3-a456-426614174000", rows.getString(7));
    }
  }

  /** Arrow's driver sends milliseconds, whatever the column counts. */
  @Test
  void momentsAsParameters() throws SQLException {
    String sql =
        "select cast(cast(? as date) as varchar), cast(cast(? as timestamp) as varchar),"
            + " cast(cast(? as timestamp(9)) as varchar), cast(cast(? as time) as varchar), cast(? as date),"
            + " cast(? as timestamp)";
    try (Connection connection = connect();
        PreparedStatement statement = connection.prepareStatement(sql)) {
      for (String day : List.of("0001-01-01", "1500-03-01", "1582-10-15", "2024-02-29")) {
        Date date = Date.valueOf(day);
        Timestamp moment = Timestamp.valueOf(day + " 02:30:00.125");
        statement.setDate(1, date);
        statement.setTimestamp(2, moment);
        statement.setTimestamp(3, Timestamp.valueOf("2024-02-29 02:30:00.125")); // of 1677 to 2262
        statement.setTime(4, Time.valueOf("02:30:01"));
        statement.setDate(5, date);
        statement.setTimestamp(6, moment);
        try (ResultSet row = statement.executeQuery()) {
          assertTrue(row.next());
          assertEquals(day, row.getString(1));
          assertEquals(day + " 02:30:00.125", row.getString(2).replaceFirst("0+$", ""));
          assertEquals("2024-02-29 02:30:00.125", row.getString(3).replaceFirst("0+$", ""));
          assertEquals("02:30:01", row.getString(4).substring(0, 8));
          assertEquals(date, row.getDate(5));
          assertEquals(moment, row.getTimestamp(6));
        }
      }
    }
  }

  @Test
  void nestedValues() throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "select a, r, m from (values"
                    + " (array[array[1, 2], array[null, 3]], row(1, 'x'), map['a', 1, 'b', 2]),"
                    + " (null, null, null)) as t(a, r, m)")) {
      assertTrue(rows.next());
      assertEquals("[[1,2],[null,3]]", String.valueOf(rows.getObject(1)));
      assertEquals("{\"EXPR$0\":1,\"EXPR$1\":\"x\"}", String.valueOf(rows.getObject(2)));
      assertEquals("{\"a\":1,\"b\":2}", String.valueOf(rows.getObject(3)));
      assertTrue(rows.next());
      assertNull(rows.getObject(1));
      assertNull(rows.getObject(3));
    }
  }

  @Test
  void preparedStatements() throws SQLException {
    try (Connection connection = connect();
        PreparedStatement statement =
            connection.prepareStatement(
                "select n_name, n_nationkey from nation where n_regionkey = ? and n_name > ?"
                    + " order by 1")) {
      statement.setLong(1, 3);
      statement.setString(2, "G");
      for (int run = 0; run < 2; run++) {
        try (ResultSet rows = statement.executeQuery()) {
          List<String> names = new ArrayList<>();
          while (rows.next()) {
            names.add(rows.getString(1));
          }
          assertEquals(List.of("GERMANY", "ROMANIA", "RUSSIA", "UNITED KINGDOM"), names);
        }
      }
    }
  }

  @Test
  void tables() throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      assertFalse(statement.execute("create table t (i integer, s varchar, d date)"));
      try (PreparedStatement insert =
          connection.prepareStatement("insert into t values (?, ?, ?)")) {
        insert.setInt(1, 1);
        insert.setString(2, "a");
        insert.setDate(3, Date.valueOf("2024-02-29"));
        assertEquals(1, insert.executeUpdate());
        insert.setNull(1, Types.INTEGER);
        insert.setNull(2, Types.VARCHAR);
        insert.setNull(3, Types.DATE);
        insert.addBatch();
        insert.setInt(1, 3);
        insert.setString(2, "c");
        insert.setNull(3, Types.DATE);
        insert.addBatch();
        insert.executeBatch();
      }
      assertEquals(
          List.of(3L, 4L, 1L),
          row(connection, "select count(*), sum(cast(i as bigint)), count(d) from t"));
      assertEquals(3, statement.executeUpdate("create table u as select * from t"));
      try (ResultSet rows = connection.getMetaData().getColumns(null, "temp", "u", "%")) {
        assertTrue(rows.next());
        assertEquals("i", rows.getString("COLUMN_NAME"));
        assertEquals(Types.INTEGER, rows.getInt("DATA_TYPE"));
      }
    }
  }

  @Test
  void metaData() throws SQLException, ReflectiveOperationException {
    try (Connection connection = connect()) {
      DatabaseMetaData metaData = connection.getMetaData();
      assertEquals("Aragonite", metaData.getDatabaseProductName());
      List<String> columns = new ArrayList<>();
      try (ResultSet rows = metaData.getColumns(null, "TPCH", "NATION", "%")) {
        while (rows.next()) {
          columns.add(rows.getString("COLUMN_NAME") + " " + rows.getString("TYPE_NAME"));
        }
      }
      assertEquals(
          List.of("n_nationkey BIGINT", "n_name VARCHAR", "n_regionkey BIGINT", "n_comment VARCHAR"),
          columns);
      for (Method method : DatabaseMetaData.class.getMethods()) {
        if (method.getName().startsWith("getMax")) {
          assertTrue(((Number) method.invoke(metaData)).longValue() >= 0, method.getName());
        }
      }
      try (ResultSet rows = metaData.getPrimaryKeys(null, "TPCH", "NATION")) {
        assertFalse(rows.next());
      }
    }
  }

  @Test
  void errors() throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      SQLException error =
          assertThrows(SQLException.class, () -> statement.executeQuery("select nix from nation"));
      assertTrue(error.getMessage().contains("AR-103"), error.getMessage());
      assertEquals(List.of(1), row(connection, "select 1"));
    }
  }
}
