package io.aragonite.adapter;

import static io.aragonite.adapter.TestConnections.assertError;
import static io.aragonite.adapter.TestConnections.query;
import static io.aragonite.adapter.TestConnections.rows;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.error.ErrorCode;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.StringReader;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLClientInfoException;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What connections and statements answer: transactions, batches, hints, parameters. */
class JdbcAnswersTest {
  private Connection connection;

  @BeforeEach
  void open() throws SQLException {
    connection = TestConnections.open("device=cpu;threads=1;timezone=Asia/Tokyo");
  }

  @AfterEach
  void close() throws SQLException {
    connection.close();
  }

  /** Two calls are never taken for one, however long the lines of a text are. */
  @Test
  void uuidsOfLongLinesDiffer() throws SQLException {
    String text = " ".repeat(10_000) + "select uuid() =\n       uuid()";
    assertEquals(List.of("false"), query(connection, text));
  }

  @Test
  void thereAreNoTransactions() throws SQLException {
    DatabaseMetaData metaData = connection.getMetaData();
    assertFalse(metaData.supportsTransactions());
    assertFalse(metaData.supportsSavepoints());
    assertEquals(Connection.TRANSACTION_NONE, metaData.getDefaultTransactionIsolation());
    assertTrue(metaData.supportsTransactionIsolationLevel(Connection.TRANSACTION_NONE));
    assertFalse(metaData.supportsTransactionIsolationLevel(Connection.TRANSACTION_SERIALIZABLE));
    assertTrue(connection.getAutoCommit());
    connection.commit();
    connection.rollback();
    connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
    assertEquals(Connection.TRANSACTION_NONE, connection.getTransactionIsolation());
    assertError(ErrorCode.INVALID_CALL, () -> connection.setTransactionIsolation(3), "3");
    assertError(ErrorCode.EXPRESSION_UNSUPPORTED, connection::setSavepoint, "no transactions");
    assertError(
        ErrorCode.EXPRESSION_UNSUPPORTED, () -> connection.rollback(null), "no transactions");
    assertError(ErrorCode.EXPRESSION_UNSUPPORTED, () -> connection.releaseSavepoint(null));
  }

  @Test
  void aRollbackThatUndoesNothingSaysSo() throws SQLException {
    assertNull(connection.getWarnings());
    connection.setAutoCommit(false);
    assertTrue(connection.getAutoCommit(), "each statement is in effect at once");
    assertTrue(connection.getWarnings().getMessage().contains("no transactions"));
    connection.clearWarnings();
    assertNull(connection.getWarnings());
    assertEquals(List.of("1"), query(connection, "select 1"));
    connection.rollback(); // a query leaves nothing
    try (Statement statement = connection.createStatement()) {
      statement.execute("create table t (i integer)");
      assertError(ErrorCode.EXPRESSION_UNSUPPORTED, connection::rollback, "stays");
      connection.rollback(); // nothing has come since
      statement.execute("insert into t values (1)");
      connection.commit();
      connection.rollback();
      connection.setAutoCommit(true);
      statement.execute("insert into t values (2)");
      connection.rollback();
    }
    assertEquals(List.of("2"), query(connection, "select count(*) from t"));
  }

  @Test
  void holdabilityAndKindsOfResults() throws SQLException {
    connection.setHoldability(ResultSet.HOLD_CURSORS_OVER_COMMIT);
    assertError(
        ErrorCode.EXPRESSION_UNSUPPORTED,
        () -> connection.setHoldability(ResultSet.CLOSE_CURSORS_AT_COMMIT),
        "no transactions");
    assertEquals(ResultSet.HOLD_CURSORS_OVER_COMMIT, connection.getHoldability());
    assertError(ErrorCode.INVALID_CALL, () -> connection.setHoldability(9), "9");
    try (Statement statement =
        connection.createStatement(
            ResultSet.TYPE_SCROLL_SENSITIVE,
            ResultSet.CONCUR_UPDATABLE,
            ResultSet.CLOSE_CURSORS_AT_COMMIT)) {
      assertEquals(ResultSet.TYPE_FORWARD_ONLY, statement.getResultSetType());
      assertEquals(ResultSet.CONCUR_READ_ONLY, statement.getResultSetConcurrency());
      assertEquals(ResultSet.HOLD_CURSORS_OVER_COMMIT, statement.getResultSetHoldability());
      assertTrue(connection.getWarnings().getMessage().contains("forwards"));
    }
    connection.setAutoCommit(false);
    connection
        .prepareStatement("select 1", ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_READ_ONLY)
        .close();
    assertTrue(connection.getWarnings().getNextWarning().getMessage().contains("no transactions"));
    assertNull(connection.getWarnings().getNextWarning().getNextWarning(), "told once");
    connection.clearWarnings();
    connection.createStatement(ResultSet.TYPE_SCROLL_SENSITIVE, ResultSet.CONCUR_READ_ONLY).close();
    assertTrue(connection.getWarnings().getMessage().contains("forwards"), "told again");
  }

  @Test
  void whatConnectionsHaveNot() throws SQLException {
    connection.setCatalog("x");
    assertNull(connection.getCatalog());
    connection.setTypeMap(null);
    connection.setTypeMap(Map.of());
    for (var refused :
        List.<org.junit.jupiter.api.function.Executable>of(
            connection::createBlob,
            connection::createClob,
            connection::createNClob,
            connection::createSQLXML,
            () -> connection.createStruct("x", new Object[0]),
            () -> connection.setTypeMap(Map.of("x", String.class)),
            () -> connection.prepareCall("{call x}"))) {
      assertError(ErrorCode.EXPRESSION_UNSUPPORTED, refused, "does not support");
    }
    assertTrue(connection.isValid(1));
    connection.abort(Runnable::run);
    assertTrue(connection.isClosed());
    assertFalse(connection.isValid(1));
    for (var closed :
        List.<org.junit.jupiter.api.function.Executable>of(
            connection::commit,
            connection::rollback,
            connection::getAutoCommit,
            connection::getWarnings,
            connection::getCatalog,
            connection::getTransactionIsolation,
            connection::getTypeMap,
            () -> connection.setAutoCommit(false),
            () -> connection.setSchema(null),
            () -> connection.nativeSQL("select 1"),
            connection::createStatement)) {
      assertError(ErrorCode.INVALID_CALL, closed, "closed");
    }
    Properties names = new Properties();
    names.setProperty("ApplicationName", "a tool");
    for (var closed :
        List.<org.junit.jupiter.api.function.Executable>of(
            () -> connection.setClientInfo("ApplicationName", "a tool"),
            () -> connection.setClientInfo(names))) {
      SQLException error = assertError(ErrorCode.INVALID_CALL, closed, "closed");
      assertEquals(
          Set.of("ApplicationName"),
          assertInstanceOf(SQLClientInfoException.class, error).getFailedProperties().keySet());
    }
  }

  @Test
  void aStatementHasOneResult() throws SQLException {
    try (Statement statement = connection.createStatement()) {
      assertEquals(-1, statement.getUpdateCount());
      assertNull(statement.getResultSet());
      assertTrue(statement.execute("select 1"));
      ResultSet rows = statement.getResultSet();
      assertEquals(-1, statement.getUpdateCount());
      assertFalse(statement.getMoreResults());
      assertTrue(rows.isClosed());
      assertNull(statement.getResultSet());
      assertEquals(-1, statement.getUpdateCount());
      assertFalse(statement.execute("create table t (i integer)"));
      assertFalse(statement.execute("insert into t values (1), (2)"));
      assertEquals(2, statement.getUpdateCount());
      assertFalse(statement.getMoreResults());
      assertEquals(-1, statement.getUpdateCount());
      assertEquals(-1, statement.getLargeUpdateCount());
      rows = statement.executeQuery("select i from t");
      assertFalse(statement.getMoreResults(Statement.KEEP_CURRENT_RESULT));
      assertTrue(rows.next(), "it was kept");
      assertError(ErrorCode.INVALID_CALL, () -> statement.getMoreResults(9), "9");
      try (ResultSet keys = statement.getGeneratedKeys()) {
        assertFalse(keys.next());
        assertError(ErrorCode.INVALID_CALL, () -> keys.getInt(1));
      }
    }
  }

  @Test
  void hintsOfStatements() throws SQLException {
    Statement statement = connection.createStatement();
    assertEquals(ResultSet.FETCH_FORWARD, statement.getFetchDirection());
    statement.setFetchDirection(ResultSet.FETCH_REVERSE);
    assertEquals(ResultSet.FETCH_FORWARD, statement.getFetchDirection());
    assertError(ErrorCode.INVALID_CALL, () -> statement.setFetchDirection(5), "5");
    statement.setFetchSize(7);
    assertEquals(7, statement.getFetchSize());
    assertError(ErrorCode.INVALID_CALL, () -> statement.setFetchSize(-1), "-1");
    statement.setMaxFieldSize(0);
    assertError(ErrorCode.INVALID_CALL, () -> statement.setMaxFieldSize(9), "never cut");
    statement.setPoolable(true);
    statement.cancel(); // nothing runs
    ResultSet rows = statement.executeQuery("select 1");
    assertSame(statement, rows.getStatement());
    rows.close();
    assertError(ErrorCode.INVALID_CALL, rows::getStatement, "closed");
    statement.close();
    for (var closed :
        List.<org.junit.jupiter.api.function.Executable>of(
            statement::getMoreResults,
            statement::getFetchDirection,
            statement::getUpdateCount,
            statement::getQueryTimeout,
            statement::getConnection,
            statement::getGeneratedKeys,
            statement::cancel,
            () -> statement.setEscapeProcessing(true),
            () -> statement.setPoolable(false))) {
      assertError(ErrorCode.INVALID_CALL, closed, "closed");
    }
  }

  @Test
  void aBatchTellsHowFarItCame() throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("create table t (i integer, c varchar(2))");
      statement.addBatch("insert into t values (1, 'a'), (2, 'b')");
      statement.addBatch("insert into t values (3, 'too long')");
      statement.addBatch("insert into t values (4, 'd')");
      BatchUpdateException error =
          assertThrows(BatchUpdateException.class, statement::executeBatch);
      assertArrayEquals(new int[] {2}, error.getUpdateCounts());
      assertEquals(ErrorCode.TEXT_TOO_LONG.number(), error.getErrorCode());
      assertEquals(ErrorCode.TEXT_TOO_LONG.sqlState(), error.getSQLState());
      assertTrue(error.getMessage().contains("too long"), error.getMessage());
      assertArrayEquals(new int[0], statement.executeBatch());
    }
    try (PreparedStatement insert = connection.prepareStatement("insert into t values (?, ?)")) {
      for (String text : List.of("a", "b", "too long", "c")) {
        insert.setInt(1, 7);
        insert.setString(2, text);
        insert.addBatch();
      }
      BatchUpdateException error = assertThrows(BatchUpdateException.class, insert::executeBatch);
      assertArrayEquals(new int[] {1, 1}, error.getUpdateCounts());
    }
    assertEquals(List.of("4"), query(connection, "select count(*) from t"));
  }

  @Test
  void aBatchThatTakesTooLongTellsWhatStaysInEffect() throws SQLException {
    String endless =
        "insert into t select count(*) from range(1000000) a(x), range(1000000) b(y) where x * y %"
            + " 7 = 3";
    try (Statement statement = connection.createStatement()) {
      statement.execute("create table t (n bigint)");
      statement.setQueryTimeout(1);
      statement.addBatch("insert into t values (1), (2)");
      statement.addBatch(endless);
      BatchUpdateException error =
          assertThrows(BatchUpdateException.class, statement::executeBatch);
      assertEquals(ErrorCode.TIMED_OUT.number(), error.getErrorCode(), error.getMessage());
      assertArrayEquals(new int[] {2}, error.getUpdateCounts());
    }
    assertEquals(List.of("2"), query(connection, "select count(*) from t"));
  }

  @Test
  void aBatchHasNoQueries() throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("create table t (i integer)");
      statement.addBatch("insert into t values (1)");
      statement.addBatch("select 1");
      BatchUpdateException error =
          assertThrows(BatchUpdateException.class, statement::executeBatch);
      assertArrayEquals(new int[] {1}, error.getUpdateCounts());
      assertNull(statement.getResultSet());
      assertEquals(-1, statement.getUpdateCount());
      assertError(ErrorCode.INVALID_CALL, () -> statement.executeUpdate("select 1"));
      assertNull(statement.getResultSet());
    }
    for (String sql : List.of("select i from t", "select i from t where i = ?")) {
      try (PreparedStatement statement = connection.prepareStatement(sql)) {
        assertArrayEquals(new int[0], statement.executeBatch());
        assertArrayEquals(new long[0], statement.executeLargeBatch());
        if (sql.endsWith("?")) {
          statement.setInt(1, 1);
        }
        statement.addBatch();
        BatchUpdateException error =
            assertThrows(BatchUpdateException.class, statement::executeBatch);
        assertEquals(ErrorCode.INVALID_CALL.number(), error.getErrorCode());
        assertArrayEquals(new int[0], error.getUpdateCounts());
        assertError(
            ErrorCode.INVALID_CALL,
            () -> statement.addBatch("insert into t values (2)"),
            "without a text");
        assertArrayEquals(new int[0], statement.executeBatch());
        assertEquals(List.of("1"), rows(statement.executeQuery()));
      }
    }
  }

  @Test
  void objectsAsParameters() throws SQLException {
    UUID id = UUID.randomUUID();
    Map<Object, String> values = new LinkedHashMap<>();
    values.put(true, "true");
    values.put((byte) 1, "1");
    values.put((short) 2, "2");
    values.put(3, "3");
    values.put(4L, "4");
    values.put(1.5f, "1.5");
    values.put(2.5, "2.5");
    values.put(new BigDecimal("1.50"), "1.50");
    values.put(BigInteger.TWO.pow(80), "1208925819614629174706176");
    values.put("a", "a");
    values.put('c', "c");
    values.put(id, id.toString());
    values.put(LocalDate.of(2024, 2, 29), "2024-02-29");
    values.put(LocalTime.of(1, 2, 3), "01:02:03");
    values.put(LocalDateTime.parse("2024-02-29T01:02:03.5"), "2024-02-29 01:02:03.5");
    values.put(Instant.parse("2024-02-28T16:00:00Z"), "2024-02-29 01:00:00");
    values.put(OffsetDateTime.parse("2024-02-28T16:00:00Z"), "2024-02-29 01:00:00");
    values.put(
        ZonedDateTime.of(LocalDateTime.parse("2024-02-28T17:00:00"), ZoneId.of("Europe/Berlin")),
        "2024-02-29 01:00:00");
    values.put(new byte[] {0, -1}, "00ff");
    for (Map.Entry<Object, String> value : values.entrySet()) {
      Object object = value.getKey();
      try (PreparedStatement statement = connection.prepareStatement("select ? as x")) {
        statement.setObject(1, object);
        try (ResultSet rows = statement.executeQuery()) {
          assertTrue(rows.next());
          assertEquals(value.getValue(), rows.getString(1), object.getClass().getName());
          Class<?> type = object instanceof Character ? String.class : object.getClass();
          Object back = rows.getObject(1, type);
          if (object instanceof byte[] bytes) {
            assertArrayEquals(bytes, (byte[]) back);
          } else if (object instanceof OffsetDateTime moment) {
            assertEquals(moment.toInstant(), ((OffsetDateTime) back).toInstant());
          } else if (object instanceof ZonedDateTime moment) {
            assertEquals(moment.toInstant(), ((ZonedDateTime) back).toInstant());
          } else {
            assertEquals(object.toString(), back.toString());
          }
        }
      }
    }
  }

  /** A setter of a stream or a large object. */
  private interface Setter {
    void set(PreparedStatement statement) throws SQLException;
  }

  @Test
  void streamsAsParameters() throws SQLException {
    byte[] ascii = "abc".getBytes(StandardCharsets.US_ASCII);
    ResultSet large;
    try (Statement statement = connection.createStatement()) {
      large = statement.executeQuery("select 'abc', x'616263'");
      assertTrue(large.next());
      var clob = large.getNClob(1);
      var blob = large.getBlob(2);
      Map<Setter, String> setters = new LinkedHashMap<>();
      setters.put(s -> s.setAsciiStream(1, in(ascii)), "abc");
      setters.put(s -> s.setAsciiStream(1, in(ascii), 2), "ab");
      setters.put(s -> s.setAsciiStream(1, in(ascii), 2L), "ab");
      setters.put(s -> s.setAsciiStream(1, null), "null");
      setters.put(s -> s.setCharacterStream(1, new StringReader("\u4e16")), "\u4e16");
      setters.put(s -> s.setCharacterStream(1, new StringReader("abc"), 1), "a");
      setters.put(s -> s.setNCharacterStream(1, new StringReader("abc"), 1), "a");
      setters.put(s -> s.setBinaryStream(1, in(ascii)), "616263");
      setters.put(s -> s.setBinaryStream(1, in(ascii), 1), "61");
      setters.put(s -> s.setBinaryStream(1, null), "null");
      setters.put(s -> s.setClob(1, clob), "abc");
      setters.put(s -> s.setClob(1, new StringReader("abc")), "abc");
      setters.put(s -> s.setClob(1, new StringReader("abc"), 2), "ab");
      setters.put(s -> s.setNClob(1, clob), "abc");
      setters.put(s -> s.setNClob(1, new StringReader("abc")), "abc");
      setters.put(s -> s.setBlob(1, blob), "616263");
      setters.put(s -> s.setBlob(1, in(ascii), 2), "6162");
      setters.put(s -> s.setObject(1, clob), "abc");
      setters.put(s -> s.setObject(1, blob), "616263");
      setters.put(s -> s.setObject(1, new StringReader("abc"), Types.CLOB), "abc");
      setters.put(s -> s.setNull(1, Types.BLOB), "null");
      try (PreparedStatement prepared = connection.prepareStatement("select ? as x")) {
        for (Map.Entry<Setter, String> setter : setters.entrySet()) {
          setter.getKey().set(prepared);
          assertEquals(List.of(setter.getValue()), rows(prepared.executeQuery()));
        }
        assertError(
            ErrorCode.TYPE_UNSUPPORTED,
            () -> prepared.setObject(1, new StringBuilder("a")),
            "StringBuilder");
        assertError(ErrorCode.INVALID_CALL, () -> prepared.setClob(2, clob), "parameter 2");
      }
    }
  }

  private static InputStream in(byte[] bytes) {
    return new ByteArrayInputStream(bytes);
  }
}
