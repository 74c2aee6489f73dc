package io.aragonite.adapter;

import static io.aragonite.adapter.TestConnections.assertError;
import static io.aragonite.adapter.TestConnections.query;
import static io.aragonite.adapter.TestConnections.rows;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.adapter.result.ArrowResult;
import io.aragonite.exec.error.ErrorCode;
import java.lang.management.ManagementFactory;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.calcite.avatica.AvaticaResultSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Calls of JDBC that programs and tools make. */
class JdbcCallsTest {
  private static Connection connection;

  @BeforeAll
  static void open() throws SQLException {
    connection = TestConnections.tpch();
  }

  @AfterAll
  static void close() throws SQLException {
    connection.close();
  }

  @Test
  void valuesByClass() throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "select cast(7 as bigint), 1.25, date '0099-03-01', time '23:59:58',"
                    + " timestamp '2020-03-29 02:30:00.125', 'a', true, x'00ff',"
                    + " cast(null as integer), 2.5e0")) {
      assertTrue(rows.next());
      assertEquals(7L, rows.getObject(1, Long.class));
      assertEquals(7, rows.getObject(1, Integer.class));
      assertEquals(BigInteger.valueOf(7), rows.getObject(1, BigInteger.class));
      assertEquals("7", rows.getObject(1, String.class));
      assertEquals(new BigDecimal("1.25"), rows.getObject(2, BigDecimal.class));
      assertEquals(LocalDate.of(99, 3, 1), rows.getObject(3, LocalDate.class));
      assertEquals(LocalTime.of(23, 59, 58), rows.getObject(4, LocalTime.class));
      LocalDateTime moment = LocalDateTime.of(2020, 3, 29, 2, 30, 0, 125_000_000);
      assertEquals(moment, rows.getObject(5, LocalDateTime.class));
      assertEquals(Timestamp.valueOf(moment), rows.getObject(5, Timestamp.class));
      assertEquals(true, rows.getObject("true", Boolean.class));
      assertArrayEquals(new byte[] {0, -1}, rows.getObject(8, byte[].class));
      assertNull(rows.getObject(9, Integer.class));
      assertTrue(rows.wasNull());
      assertEquals(2.5, rows.getObject(10, Double.class));
      assertEquals("a", rows.getNString(6));
      assertError(ErrorCode.INVALID_CALL, () -> rows.getObject(6, LocalDate.class), "LocalDate");
      assertError(
          ErrorCode.INVALID_CALL, () -> rows.getObject(2, BigInteger.class), "1.25", "BigInteger");
      assertFalse(rows.next());
      assertError(ErrorCode.INVALID_CALL, () -> rows.getInt(1), "next()");
    }
  }

  /** Rows come from the engine's columns, or, where Avatica's result is moved, through Calcite. */
  @Test
  void objectsOfAllTypesAndNulls() throws SQLException {
    String sql =
        "select * from (values (1, cast(7 as bigint), 2.5e0, 'ab', cast('c' as varchar(3)), true,"
            + " 1.25, cast(2 as smallint), cast(3 as tinyint), cast(1.5 as real), x'00ff',"
            + " date '2020-01-02', time '23:59:58', timestamp '2020-03-29 02:30:00.125',"
            + " cast(12345678901234567890 as decimal(30, 2))),"
            + " (null, null, null, null, null, null, null, null, null, null, null, null, null,"
            + " null, null)) as t order by 1";
    List<Object> first = new ArrayList<>();
    for (boolean calcite : new boolean[] {false, true}) {
      try (Statement statement = connection.createStatement()) {
        ResultSet rows = statement.executeQuery(sql);
        ResultSet mover = calcite ? rows.unwrap(AvaticaResultSet.class) : rows;
        List<Object> read = new ArrayList<>();
        int count = rows.getMetaData().getColumnCount();
        assertEquals(15, count);
        assertError(ErrorCode.INVALID_CALL, () -> rows.getObject(1), "next()");
        while (mover.next()) {
          for (int i = count; i > 0; i--) {
            Object value = rows.getObject(i);
            assertEquals(value == null, rows.wasNull());
            read.add(value instanceof byte[] bytes ? Arrays.toString(bytes) : value);
            read.add(value == null ? null : value.getClass());
            read.add(rows.getString(i));
          }
          assertEquals(rows.getObject(1) == null ? 0 : 1, rows.getInt(1));
          assertEquals(rows.getObject(2) == null ? 0 : 7, rows.getLong(2));
          assertEquals(rows.getObject(3) == null ? 0 : 2.5, rows.getDouble(3));
          assertEquals(rows.getObject(7), rows.getBigDecimal(7));
          assertError(ErrorCode.INVALID_CALL, () -> rows.getObject(16), "16");
          assertError(ErrorCode.INVALID_CALL, () -> rows.getObject(0), "0");
        }
        assertError(ErrorCode.INVALID_CALL, () -> rows.getObject(2), "next()");
        rows.close();
        assertError(ErrorCode.INVALID_CALL, () -> rows.getObject(1), "closed");
        assertError(ErrorCode.INVALID_CALL, rows::next, "closed");
        if (first.isEmpty()) {
          first.addAll(read);
        }
        assertEquals(first, read);
      }
    }
    assertEquals(90, first.size());
  }

  /** A heap that has room holds no page that was touched before: objects cost more than values. */
  @Test
  void nothingIsMadeOfValuesThatNobodyAsksFor() throws SQLException {
    var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    try (Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "select l_shipmode, l_orderkey, l_quantity, l_comment from lineitem")) {
      assertTrue(rows.next());
      long before = threads.getCurrentThreadAllocatedBytes();
      int count = 1;
      while (rows.next()) {
        rows.getString(1);
        count++;
      }
      long bytes = threads.getCurrentThreadAllocatedBytes() - before;
      assertEquals(60175, count);
      assertTrue(bytes < 16L * count, bytes + " bytes");
    }
  }

  @Test
  void aResultIsItself() throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("select 2")) {
      assertNotNull(rows.unwrap(ArrowResult.class)); // Calcite would answer "select 1" itself
      assertSame(rows, rows.unwrap(ResultSet.class));
      assertTrue(rows.isWrapperFor(ResultSet.class));
      assertSame(rows, statement.getResultSet());
      assertEquals(rows, rows);
      assertTrue(rows.toString().startsWith("aragonite"), rows.toString());
      assertEquals(0, rows.getRow());
      assertTrue(rows.isBeforeFirst());
      assertTrue(rows.next());
      assertEquals(1, rows.getRow());
      assertFalse(rows.next());
      assertTrue(rows.isAfterLast());
    }
  }

  @Test
  void parametersOfJavaTime() throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            "select cast(? as date), cast(? as time), cast(? as timestamp), cast(? as bigint)"
                + " from (values 1) where timestamp '2020-01-02 03:04:05' <= ?")) {
      statement.setObject(1, LocalDate.of(1994, 1, 1));
      statement.setObject(2, LocalTime.of(3, 4));
      statement.setObject(3, LocalDateTime.of(2020, 1, 2, 3, 4, 5));
      statement.setObject(4, BigInteger.TEN);
      statement.setObject(5, LocalDateTime.of(2020, 1, 2, 3, 4, 5, 1_000_000));
      assertEquals(
          List.of("1994-01-01|03:04:00|2020-01-02 03:04:05|10"), rows(statement.executeQuery()));
    }
    try (PreparedStatement statement =
        connection.prepareStatement("select count(*) from orders where o_orderdate = ?")) {
      statement.setObject(1, LocalDate.of(1996, 1, 2));
      List<String> mine = rows(statement.executeQuery());
      statement.setDate(1, java.sql.Date.valueOf("1996-01-02"));
      assertEquals(mine, rows(statement.executeQuery()));
      assertEquals(
          mine,
          query(connection, "select count(*) from orders where o_orderdate = date '1996-01-02'"));
    }
  }

  @Test
  void sizesOfColumns() throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            "select l_orderkey, l_quantity as q, l_shipdate, timestamp '2020-01-01 00:00:00.125',"
                + " l_comment from lineitem")) {
      ResultSetMetaData columns = statement.getMetaData();
      assertEquals(20, columns.getColumnDisplaySize(1));
      assertEquals(17, columns.getColumnDisplaySize(2));
      assertEquals(10, columns.getColumnDisplaySize(3));
      assertEquals(10, columns.getPrecision(3));
      assertEquals(23, columns.getColumnDisplaySize(4));
      assertEquals(44, columns.getColumnDisplaySize(5));
      assertEquals("q", columns.getColumnLabel(2));
      assertEquals(Types.DECIMAL, columns.getColumnType(2));
      assertTrue(columns.isSigned(1));
      assertFalse(columns.isSigned(5));
      assertEquals(ResultSetMetaData.columnNoNulls, columns.isNullable(1));
    }
  }

  @Test
  void queriesChangeNothing() throws SQLException {
    try (Statement statement = connection.createStatement()) {
      assertError(
          ErrorCode.INVALID_CALL, () -> statement.executeUpdate("select 1"), "executeQuery");
      assertError(
          ErrorCode.UNKNOWN_TABLE,
          () -> statement.executeUpdate("delete from region"),
          "of its own");
      statement.addBatch("select 1");
      assertError(ErrorCode.INVALID_CALL, statement::executeBatch, "executeBatch");
      assertTrue(statement.execute("select 1", Statement.RETURN_GENERATED_KEYS));
      try (ResultSet keys = statement.getGeneratedKeys()) {
        assertFalse(keys.next());
      }
      assertError(ErrorCode.INVALID_CALL, () -> statement.executeQuery(null), "null");
      assertError(
          ErrorCode.EXPRESSION_UNSUPPORTED,
          () -> statement.setCursorName("c"),
          "Statement.setCursorName");
      assertEquals(List.of("5"), rows(statement.executeQuery("select count(*) from region;")));
    }
    try (PreparedStatement statement =
        connection.prepareStatement(
            "select r_name from region where r_regionkey = ?", Statement.RETURN_GENERATED_KEYS)) {
      statement.setInt(1, 2);
      assertError(ErrorCode.INVALID_CALL, statement::executeUpdate, "executeQuery");
      assertEquals(List.of("ASIA"), rows(statement.executeQuery()));
    }
  }

  @Test
  void resultsAreReadForwards() throws SQLException {
    try (Statement statement =
            connection.createStatement(
                ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_UPDATABLE);
        ResultSet rows = statement.executeQuery("select 1")) {
      assertEquals(ResultSet.TYPE_FORWARD_ONLY, statement.getResultSetType());
      assertEquals(ResultSet.CONCUR_READ_ONLY, statement.getResultSetConcurrency());
      assertTrue(rows.next());
      assertError(ErrorCode.EXPRESSION_UNSUPPORTED, rows::previous, "ResultSet.previous");
    }
  }

  @Test
  void maxRowsHoldsForTheNextQueryToo() throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.setLargeMaxRows(2);
      assertEquals(2, rows(statement.executeQuery("select r_name from region")).size());
      assertEquals(2, rows(statement.executeQuery("select n_name from nation")).size());
      statement.setMaxRows(0);
      assertEquals(25, rows(statement.executeQuery("select n_name from nation")).size());
      assertError(ErrorCode.INVALID_CALL, () -> statement.setMaxRows(-1), "-1");
      assertError(ErrorCode.INVALID_CALL, () -> statement.setQueryTimeout(-1), "-1");
    }
  }

  @Test
  void maxRowsHoldsForPreparedStatements() throws SQLException {
    String sql = "select n_nationkey from nation where n_nationkey >= ? order by 1";
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setInt(1, 3);
      statement.setMaxRows(2);
      assertEquals(List.of("3", "4"), rows(statement.executeQuery()));
      assertTrue(statement.execute());
      statement.setMaxRows(1); // for the next run
      assertEquals(List.of("3", "4"), rows(statement.getResultSet()));
      statement.setLargeMaxRows(3);
      try (ResultSet rows = statement.executeQuery()) {
        for (int i = 1; i <= 3; i++) {
          assertTrue(rows.next());
          assertEquals(i, rows.getRow());
          assertEquals(i + 2L, rows.getObject(1));
        }
        assertFalse(rows.isAfterLast());
        assertFalse(rows.next());
        assertFalse(rows.next());
        assertTrue(rows.isAfterLast());
        assertError(ErrorCode.INVALID_CALL, () -> rows.getObject(1), "next()");
        assertError(ErrorCode.INVALID_CALL, () -> rows.getInt(1), "next()");
      }
      statement.setMaxRows(0);
      assertEquals(22, rows(statement.executeQuery()).size());
      statement.setMaxRows(23);
      assertEquals(22, rows(statement.executeQuery()).size());
    }
  }

  @Test
  void maxRowsHoldsForRowsOfCalcite() throws SQLException {
    String sql =
        "select i, max(i) over (order by i rows between i preceding and current row) as m"
            + " from (values (1), (2), (3)) v(i)";
    try (PreparedStatement prepared = connection.prepareStatement(sql);
        Statement plain = connection.createStatement()) {
      prepared.setMaxRows(2);
      plain.setMaxRows(2);
      for (ResultSet rows : List.of(prepared.executeQuery(), plain.executeQuery(sql))) {
        assertError(ErrorCode.NOT_ON_DEVICE, () -> rows.unwrap(ArrowResult.class));
        assertEquals(2, rows(rows).size());
        assertTrue(rows.isAfterLast());
      }
    }
  }

  @Test
  void rowsReadByAvaticasResultComeOnce() throws SQLException {
    String sql = "select n_nationkey from nation order by 1";
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      ResultSet avatica = rows.unwrap(AvaticaResultSet.class);
      assertTrue(avatica.next());
      assertTrue(avatica.next());
      assertEquals(1, rows.getInt(1));
      assertError(ErrorCode.INVALID_CALL, () -> rows.unwrap(ArrowResult.class), "next()");
      assertTrue(rows.next());
      assertEquals(2L, rows.getObject(1));
      assertEquals(3, rows.getRow());
    }
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      assertTrue(rows.next());
      ResultSet avatica = rows.unwrap(AvaticaResultSet.class);
      assertTrue(avatica.next());
      assertEquals(1L, rows.getObject(1));
    }
  }

  /** The connection's end ends its results; their memory is free, so nothing may read it. */
  @Test
  void resultsEndWithTheirConnection() throws SQLException {
    Connection own = TestConnections.tpch();
    Statement statement = own.createStatement();
    ResultSet rows = statement.executeQuery("select n_name, n_nationkey from nation order by 2");
    assertTrue(rows.next());
    own.close();
    assertError(ErrorCode.INVALID_CALL, () -> rows.getObject(2), "closed");
    assertError(ErrorCode.INVALID_CALL, () -> rows.getObject("N_NATIONKEY", Long.class), "closed");
    assertError(ErrorCode.INVALID_CALL, () -> rows.getString(1), "closed");
    assertError(ErrorCode.INVALID_CALL, () -> rows.getInt(2), "closed");
    assertError(ErrorCode.INVALID_CALL, rows::next);
    rows.close();
    statement.close();
  }

  @Test
  void schemas() throws SQLException {
    try (Connection own = TestConnections.tpch()) {
      assertError(ErrorCode.INVALID_PROPERTY, () -> own.setSchema("tpc"), "'tpch'");
      own.setSchema("METADATA");
      assertEquals("metadata", own.getSchema());
      assertError(
          ErrorCode.UNKNOWN_TABLE,
          () -> query(own, "select 1 from nation"),
          "there is tpch.nation");
      own.setSchema("Tpch");
      assertEquals(List.of("25"), query(own, "select count(*) from nation"));
      own.setClientInfo("ApplicationName", "a tool");
      assertTrue(own.getTypeMap().isEmpty());
    }
  }

  @Test
  void longNames() throws SQLException {
    String name = "n".repeat(3000);
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("select 1 as \"" + name + "\"")) {
      assertEquals(name, rows.getMetaData().getColumnLabel(1));
    }
  }
}
