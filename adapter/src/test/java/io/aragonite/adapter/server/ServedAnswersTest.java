package io.aragonite.adapter.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.error.ErrorCode;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What clients are answered of JDBC beyond plain values. */
class ServedAnswersTest {
  @Test
  void arraysOfPlainValues() throws SQLException {
    try (QueryServer server = QueryServer.start(ServerOptions.local("jdbc:aragonite:device=cpu"));
        Connection remote = DriverManager.getConnection(server.clientUrl());
        Statement queries = remote.createStatement();
        ResultSet rows =
            queries.executeQuery(
                "select x, n, d from (values (array[1, 2], cast(null as varchar array),"
                    + " array[date '2024-02-29', null]), (cast(null as integer array),"
                    + " array['a'], array[date '2024-03-01'])) as t(x, n, d)")) {
      assertTrue(rows.next());
      assertArrayEquals(new Object[] {1, 2}, (Object[]) rows.getArray(1).getArray());
      assertNull(rows.getArray(2));
      assertEquals("[2024-02-29, null]", rows.getString(3));
      assertTrue(rows.next());
      assertNull(rows.getArray(1));
      assertArrayEquals(new Object[] {"a"}, (Object[]) rows.getArray(2).getArray());
      for (String refused :
          List.of("array[array[1]]", "row(1, 'a')", "map['a', 1]", "array[interval '2' day]")) {
        SQLException error =
            assertThrows(
                SQLException.class,
                () -> queries.executeQuery("select %s as x".formatted(refused)));
        assertEquals(ErrorCode.TYPE_UNSUPPORTED.number(), error.getErrorCode());
        assertTrue(error.getMessage().contains("Column x is a"), error.getMessage());
      }
      try (ResultSet parts = queries.executeQuery("select array[array[1, 2]][1][2]")) {
        assertTrue(parts.next());
        assertEquals(2, parts.getInt(1));
      }
    }
  }

  /** Avatica's own driver checks neither: the server says which, and how far a batch came. */
  @Test
  void missingParametersAndBatches() throws SQLException {
    try (QueryServer server = QueryServer.start(ServerOptions.local("jdbc:aragonite:device=cpu"));
        Connection remote = DriverManager.getConnection(server.clientUrl());
        Statement statement = remote.createStatement();
        PreparedStatement prepared = remote.prepareStatement("select ?, ?")) {
      prepared.setInt(1, 1);
      SQLException missing = assertThrows(SQLException.class, prepared::executeQuery);
      assertEquals(ErrorCode.MISSING_PARAMETER.number(), missing.getErrorCode());
      assertTrue(missing.getMessage().contains("Parameter 2"), missing.getMessage());
      statement.execute("create table t (i integer)");
      statement.addBatch("insert into t values (1)");
      statement.addBatch("insert into t values ('x')");
      RuntimeException failed = assertThrows(RuntimeException.class, statement::executeBatch);
      assertTrue(
          failed.getMessage().contains("Statements of the batch that stay in effect: 1."),
          failed.getMessage());
    }
  }

  /** Avatica's own driver knows no UUIDs: they are texts. */
  @Test
  void uuids() throws SQLException {
    try (QueryServer server = QueryServer.start(ServerOptions.local("jdbc:aragonite:device=cpu"));
        Connection remote = DriverManager.getConnection(server.clientUrl());
        PreparedStatement statement =
            remote.prepareStatement(
                "select cast(? as uuid), cast(null as uuid), array[cast(? as uuid), null]")) {
      String uuid = "7b3ad95a-0000-4000-8000-000000000001";
      statement.setString(1, uuid);
      statement.setString(2, uuid);
      try (ResultSet rows = statement.executeQuery()) {
        assertEquals("UUID", rows.getMetaData().getColumnTypeName(1));
        assertTrue(rows.next());
        assertEquals(uuid, rows.getObject(1));
        assertEquals(uuid, rows.getString(1));
        assertNull(rows.getObject(2));
        assertArrayEquals(new Object[] {uuid, null}, (Object[]) rows.getArray(3).getArray());
      }
    }
  }

  /**
   * Avatica's own driver knows no instants and intervals: they are texts whose type's name says
   * what they are.
   */
  @Test
  void instantsAndIntervalsAreTexts() throws SQLException {
    try (QueryServer server =
            QueryServer.start(
                ServerOptions.local("jdbc:aragonite:device=cpu;timeZone=Europe/Berlin"));
        Connection remote = DriverManager.getConnection(server.clientUrl());
        Statement statement = remote.createStatement()) {
      try (ResultSet rows =
          statement.executeQuery("select interval '90' minute, interval '14' month")) {
        assertEquals("INTERVAL MONTH", rows.getMetaData().getColumnTypeName(2));
        assertTrue(rows.next());
        assertEquals("01:30:00", rows.getString(1));
        assertEquals("1 year 2 mons", rows.getObject(2));
      }
      statement.execute("create table t (x timestamptz)");
      assertEquals(
          2,
          statement.executeUpdate("insert into t values ('2024-10-27 00:30:00.123456Z'), (null)"));
      try (ResultSet rows = statement.executeQuery("select x from t")) {
        assertEquals("TIMESTAMP WITH TIME ZONE", rows.getMetaData().getColumnTypeName(1));
        assertTrue(rows.next());
        assertEquals("2024-10-27 02:30:00.123456+02", rows.getString(1));
        assertEquals("2024-10-27 02:30:00.123456+02", rows.getObject(1));
        assertTrue(rows.next());
        assertNull(rows.getString(1));
      }
    }
  }

  /**
   * The fetch size of a client that leaves it to the server, as Spark does: no frame is without
   * rows.
   */
  @Test
  void aFetchSizeOfZeroHasAllRows() throws SQLException {
    String sql = "select * from range(6000) order by 1";
    try (QueryServer server = QueryServer.start(ServerOptions.local("jdbc:aragonite:device=cpu"));
        Connection remote = DriverManager.getConnection(server.clientUrl());
        PreparedStatement prepared = remote.prepareStatement(sql);
        Statement statement = remote.createStatement()) {
      prepared.setFetchSize(0);
      statement.setFetchSize(0);
      try (ResultSet rows = prepared.executeQuery();
          ResultSet others = statement.executeQuery(sql)) {
        for (long row = 0; row < 6000; row++) {
          assertTrue(rows.next() && others.next(), "row " + row);
          assertEquals(row, rows.getLong(1));
          assertEquals(row, others.getLong(1));
        }
        assertFalse(rows.next() || others.next());
      }
    }
  }

  @Test
  void rowsOfReturning() throws SQLException {
    try (QueryServer server = QueryServer.start(ServerOptions.local("jdbc:aragonite:device=cpu"));
        Connection remote = DriverManager.getConnection(server.clientUrl());
        Statement statement = remote.createStatement()) {
      statement.execute("create table t (i integer, n varchar)");
      try (ResultSet rows =
          statement.executeQuery("insert into t values (1, 'a'), (2, 'b') returning n, i * 10")) {
        assertTrue(rows.next());
        assertEquals("a", rows.getString(1));
        assertTrue(rows.next());
        assertEquals(20, rows.getInt(2));
        assertFalse(rows.next());
      }
      try (var prepared = remote.prepareStatement("delete from t where i = ? returning n")) {
        prepared.setInt(1, 2);
        try (ResultSet rows = prepared.executeQuery()) {
          assertTrue(rows.next());
          assertEquals("b", rows.getString(1));
          assertFalse(rows.next());
        }
      }
      try (ResultSet rows = statement.executeQuery("select count(*) from t")) {
        assertTrue(rows.next());
        assertEquals(1, rows.getInt(1));
      }
    }
  }

  /** What a client cannot be told it has not changed. */
  @Test
  void returningOfWhatTheProtocolDoesNotCarry() throws SQLException {
    try (QueryServer server = QueryServer.start(ServerOptions.local("jdbc:aragonite:device=cpu"));
        Connection remote = DriverManager.getConnection(server.clientUrl());
        Statement statement = remote.createStatement()) {
      statement.execute("create table t (i integer, x timestamp)");
      String insert = "insert into t values (1, timestamp '2024-01-02 03:04:05%s') returning ";
      for (String list :
          List.of(
              "row(i, 'a') as x",
              "array[array[i]] as x",
              "array[map['a', i]] as x",
              "array[i * interval '1' month] as x",
              "array[i * interval '1' day] as x")) {
        refused(statement, insert.formatted("") + list, "Column x is a");
        refused(statement, "update t set i = 2 returning " + list, "Column x is a");
      }
      refused(statement, insert.formatted(".000001") + "i, x", "Column x has times");
      try (ResultSet rows = statement.executeQuery("select count(*) from t")) {
        assertTrue(rows.next());
        assertEquals(0, rows.getInt(1));
      }
      for (String read : List.of("i, x, x", "i, cast(x as varchar)", "array[i], x")) {
        try (ResultSet rows = statement.executeQuery(insert.formatted(".125") + read)) {
          assertTrue(rows.next());
          assertEquals("2024-01-02 03:04:05.125", rows.getString(2).substring(0, 23));
        }
      }
      try (ResultSet rows = statement.executeQuery("select count(*) from t")) {
        assertTrue(rows.next());
        assertEquals(3, rows.getInt(1));
      }
    }
  }

  private static void refused(Statement statement, String sql, String part) {
    SQLException error = assertThrows(SQLException.class, () -> statement.executeQuery(sql), sql);
    assertEquals(ErrorCode.TYPE_UNSUPPORTED.number(), error.getErrorCode(), error.getMessage());
    assertTrue(error.getMessage().contains(part), error.getMessage());
  }

  /** Clients send the schema back that they know, with other properties. */
  @Test
  void aSchemaInUseStays() throws SQLException {
    String url = "jdbc:aragonite:device=cpu;tpch=0.001";
    try (QueryServer server = QueryServer.start(ServerOptions.local(url));
        Connection remote = DriverManager.getConnection(server.clientUrl());
        Statement statement = remote.createStatement()) {
      assertEquals("tpch", remote.getSchema());
      statement.execute("create schema s");
      statement.execute("create table s.nation (i integer)");
      statement.execute("use s");
      assertNations(0, remote);
      remote.setReadOnly(true);
      assertNations(0, remote);
      assertEquals("s", remote.getSchema());
      remote.setSchema("tpch");
      assertNations(25, remote);
      statement.execute("use s");
      remote.setReadOnly(false);
      assertNations(0, remote);
      statement.execute("reset schema");
      remote.setReadOnly(true);
      assertNations(25, remote);
    }
  }

  private static void assertNations(int count, Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("select count(*) from nation")) {
      assertTrue(rows.next());
      assertEquals(count, rows.getInt(1));
    }
  }

  @Test
  void schemasAndNamedStatements() throws SQLException {
    try (QueryServer server = QueryServer.start(ServerOptions.local("jdbc:aragonite:device=cpu"));
        Connection remote = DriverManager.getConnection(server.clientUrl());
        Statement statement = remote.createStatement()) {
      statement.execute("create schema s");
      statement.execute("create table s.t (i integer, n varchar)");
      statement.execute("prepare ins as insert into s.t values (?, ?)");
      assertEquals(1, statement.executeUpdate("execute ins(1, 'a')"));
      assertEquals(1, statement.executeUpdate("execute ins(1 + 1, 'b')"));
      statement.execute("prepare sel (integer) as select n from s.t where i = $1");
      for (String call : List.of("execute sel(2)", "execute sel(3 - 1)")) {
        try (ResultSet rows = statement.executeQuery(call)) {
          assertTrue(rows.next());
          assertEquals("b", rows.getString(1));
          assertFalse(rows.next());
        }
      }
      SQLException error =
          assertThrows(SQLException.class, () -> statement.executeQuery("execute sel"));
      assertTrue(error.getMessage().contains("0 values"), error.getMessage());
      statement.execute("drop schema s cascade");
      statement.execute("deallocate all");
    }
  }

  @Test
  void constraintsOfTables() throws SQLException {
    try (QueryServer server = QueryServer.start(ServerOptions.local("jdbc:aragonite:device=cpu"));
        Connection remote = DriverManager.getConnection(server.clientUrl());
        Statement statement = remote.createStatement()) {
      statement.execute(
          "create table t (i integer primary key, s varchar default 'd', check (i < 10))");
      assertEquals(1, statement.executeUpdate("insert into t (i) values (1)"));
      for (String refused : List.of("(1, 'x')|AR-212|(i) = (1)", "(11, 'x')|AR-213|(11, 'x')")) {
        String[] parts = refused.split("\\|");
        SQLException error =
            assertThrows(
                SQLException.class,
                () -> statement.executeUpdate("insert into t values " + parts[0]));
        assertTrue(error.getMessage().contains(parts[1]), error.getMessage());
        assertTrue(error.getMessage().contains(parts[2]), error.getMessage());
      }
      assertEquals(1, statement.executeUpdate("insert or ignore into t values (1, 'x'), (2, 'y')"));
      try (ResultSet rows = statement.executeQuery("select s from t order by i")) {
        assertTrue(rows.next());
        assertEquals("d", rows.getString(1));
        assertTrue(rows.next());
        assertEquals("y", rows.getString(1));
        assertFalse(rows.next());
      }
    }
  }

  @Test
  void thereAreNoTransactions() throws SQLException {
    try (QueryServer server = QueryServer.start(ServerOptions.local("jdbc:aragonite:device=cpu"));
        Connection remote = DriverManager.getConnection(server.clientUrl());
        Statement statement = remote.createStatement()) {
      assertFalse(remote.getMetaData().supportsTransactions());
      assertTrue(remote.getAutoCommit());
      remote.setAutoCommit(false);
      statement.execute("create table t (i integer)");
      remote.commit();
      statement.execute("insert into t values (1)");
      // Avatica's client makes no SQLException of it.
      Exception error = assertThrows(Exception.class, remote::rollback);
      assertTrue(error.getMessage().contains("no transactions"), error.getMessage());
      try (ResultSet rows = statement.executeQuery("select i from t")) {
        assertTrue(rows.next(), "the row stays");
      }
      assertTrue(remote.getMetaData().getSQLKeywords().contains("QUALIFY"));
    }
  }
}
