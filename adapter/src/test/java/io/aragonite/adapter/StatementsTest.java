package io.aragonite.adapter;

import static io.aragonite.adapter.TestConnections.assertError;
import static io.aragonite.adapter.TestConnections.query;
import static io.aragonite.adapter.TestConnections.rows;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.adapter.execution.Deadlines;
import io.aragonite.adapter.execution.Execution;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.Date;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class StatementsTest {
  /** Billions of pairs: it does not end by itself in any time that a test has. */
  private static final String LONG_QUERY =
      "select count(*) from lineitem a, lineitem b where a.l_quantity + b.l_quantity < -1";

  private static Connection connection;

  @BeforeAll
  static void open() throws SQLException {
    connection = TestConnections.tpch();
  }

  @AfterAll
  static void close() throws SQLException {
    connection.close();
  }

  /** What scripts for other databases do beside queries. */
  @Test
  void upkeepIsDoneAlready() throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String sql :
          List.of("ANALYZE", "vacuum analyze", "VACUUM nation;", "CHECKPOINT", "LOAD 'json'")) {
        assertFalse(statement.execute(sql), sql);
      }
      assertError(ErrorCode.EXPRESSION_UNSUPPORTED, () -> statement.execute("INSTALL spatial"));
    }
  }

  @Test
  void namesMatchInAnyCase() throws SQLException {
    assertEquals(
        List.of("ALGERIA"), query(connection, "SELECT N_Name FROM Nation WHERE n_NATIONKEY = 0"));
    assertEquals(
        List.of("ALGERIA"),
        query(connection, "select \"n_name\" from \"tpch\".\"nation\" where n_nationkey = 0"));
  }

  @Test
  void constants() throws SQLException {
    assertEquals(List.of("1"), query(connection, "select 1"));
    assertEquals(List.of("1"), query(connection, "VALUES 1"));
    assertEquals(List.of("3|a"), query(connection, "select 1 + 2, 'a'"));
    assertEquals(List.of("1|x", "2|y"), query(connection, "values (1, 'x'), (2, 'y')"));
    assertEquals(List.of("null"), query(connection, "select cast(null as integer)"));
  }

  @Test
  void valuesHaveTheirJavaTypes() throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "select l_orderkey, l_quantity, l_shipdate, l_shipmode, l_linenumber"
                    + " from lineitem where l_orderkey = 1 and l_linenumber = 1")) {
      ResultSetMetaData metaData = rows.getMetaData();
      assertEquals(Types.BIGINT, metaData.getColumnType(1));
      assertEquals(Types.DECIMAL, metaData.getColumnType(2));
      assertEquals(2, metaData.getScale(2));
      assertEquals(Types.DATE, metaData.getColumnType(3));
      assertEquals("l_shipmode", metaData.getColumnLabel(4));
      assertTrue(rows.next());
      assertEquals(1L, rows.getObject(1));
      assertEquals(new BigDecimal("17.00"), rows.getBigDecimal(2));
      assertEquals(Date.valueOf("1996-03-13"), rows.getDate(3));
      assertEquals("TRUCK", rows.getString(4).strip());
      assertEquals(1, rows.getInt("L_LINENUMBER"));
      assertFalse(rows.wasNull());
      assertFalse(rows.next());
    }
  }

  /** Where the sum of squares of equal values is rounded to less than that of their mean. */
  @Test
  void whatDoesNotVaryOverWindowsHasNoCorrelation() throws SQLException {
    assertEquals(
        List.of("null|null|null|null|null|null|null", "null|null|null|null|1.0|1.0|2.0"),
        query(
            connection,
            """
            select distinct corr(x, id) over w, corr(x, x) over w, regr_slope(id, x) over w,
              regr_r2(id, x) over w, case when id > 0 then 1.0e0 end,
              case when id > 0 then covar_samp(id, id) over (order by id
                rows between 1 preceding and current row) * 2 end,
              case when id > 0 then 4 * variance(id) over (order by id
                rows between 1 preceding and current row) end
            from (select n_nationkey as id, 3.3e0 as x from nation where n_nationkey < 6)
            window w as (order by id) order by 5 nulls first
            """));
  }

  @Test
  void orderByWhatIsNotSelected() throws SQLException {
    assertEquals(
        List.of("MIDDLE EAST", "EUROPE"),
        query(connection, "select r_name from region order by r_regionkey desc limit 2"));
  }

  @Test
  void preparedStatements() throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            "select n_name from nation where n_regionkey = ? and n_name > ? order by 1")) {
      assertEquals(2, statement.getParameterMetaData().getParameterCount());
      statement.setLong(1, 1);
      statement.setString(2, "C");
      assertEquals(List.of("CANADA", "PERU", "UNITED STATES"), rows(statement.executeQuery()));
      statement.setLong(1, 3);
      statement.setString(2, "R");
      assertEquals(List.of("ROMANIA", "RUSSIA", "UNITED KINGDOM"), rows(statement.executeQuery()));
    }
    try (PreparedStatement statement =
        connection.prepareStatement(
            "select count(*) from orders where o_orderdate < ? and o_totalprice > ?")) {
      statement.setDate(1, Date.valueOf("1993-01-01"));
      statement.setBigDecimal(2, new BigDecimal("100000.00"));
      ResultSet rows = statement.executeQuery();
      assertTrue(rows.next());
      assertEquals(
          query(
              connection,
              "select count(*) from orders where o_orderdate < date '1993-01-01'"
                  + " and o_totalprice > 100000"),
          List.of(rows.getString(1)));
    }
  }

  /** Calcite asserts that the condition of a filter is no cast which only adds nulls. */
  @Test
  void parametersAreConditions() throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            "select r_name, (select 1 from (values (1)) as t(x)"
                + " anti join (select * from nation where n_nationkey < 0) n on true"
                + " where cast(? as boolean)) from region where r_regionkey = 1")) {
      statement.setBoolean(1, true);
      assertEquals(List.of("AMERICA|1"), rows(statement.executeQuery()));
      statement.setBoolean(1, false);
      assertEquals(List.of("AMERICA|null"), rows(statement.executeQuery()));
    }
  }

  @Test
  void maxRows() throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.setMaxRows(3);
      assertEquals(3, rows(statement.executeQuery("select * from nation")).size());
    }
  }

  @Test
  void statementsAndResultsKnowTheirOwners() throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("select 1 + 1")) {
      assertSame(statement, rows.getStatement());
      assertSame(connection, statement.getConnection());
      assertSame(rows, statement.getResultSet());
      assertTrue(statement.isWrapperFor(Statement.class));
      assertSame(statement, statement.unwrap(Statement.class));
    }
  }

  @Test
  @Timeout(60)
  void cancelEndsTheStatementAndNothingElse() throws Exception {
    try (Statement statement = connection.createStatement()) {
      Thread canceller =
          Thread.ofPlatform()
              .start(() -> {
                try {
                  Thread.sleep(500);
                  statement.cancel();
                } catch (SQLException | InterruptedException e) {
                  throw new IllegalStateException(e);
                }
              });
      assertError(ErrorCode.CANCELLED, () -> statement.executeQuery(LONG_QUERY));
      canceller.join();
      assertEquals(List.of("5"), rows(statement.executeQuery("select count(*) from region")));
    }
  }

  @Test
  @Timeout(60)
  void cancelWhileRowsAreFetched() throws SQLException {
    try (Statement statement = connection.createStatement()) {
      ResultSet rows = statement.executeQuery("select l_orderkey from lineitem");
      assertTrue(rows.next());
      statement.cancel();
      assertError(
          ErrorCode.CANCELLED,
          () -> {
            while (rows.next()) {
              rows.getLong(1);
            }
          });
      assertEquals(List.of("25"), rows(statement.executeQuery("select count(*) from nation")));
    }
  }

  @Test
  @Timeout(60)
  void queryTimeout() throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.setQueryTimeout(1);
      assertEquals(1, statement.getQueryTimeout());
      long start = System.nanoTime();
      assertError(
          ErrorCode.TIMED_OUT, () -> statement.executeQuery(LONG_QUERY), "1.00 s", "timeout=");
      assertTrue(Duration.ofNanos(System.nanoTime() - start).toSeconds() < 20);
      statement.setQueryTimeout(0);
      assertEquals(List.of("25"), rows(statement.executeQuery("select count(*) from nation")));
    }
  }

  /** Otherwise the error that users see is the engine's, which knows only what was left of it. */
  @Test
  @Timeout(60)
  void theEndOfTheTimeIsSeenWithoutTheTimer() throws Exception {
    CountDownLatch busy = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    Deadlines.after(
        Duration.ZERO,
        () -> {
          busy.countDown();
          try {
            end.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
    busy.await();
    try {
      Execution late = new Execution(Duration.ofMillis(1));
      Execution early = new Execution(Duration.ofDays(1));
      Thread.sleep(5);
      late.close();
      early.close();
      AragoniteException ended = late.ended();
      assertNotNull(ended);
      assertEquals(ErrorCode.TIMED_OUT, ended.code());
      assertNull(early.ended());
    } finally {
      end.countDown();
    }
  }

  @Test
  @Timeout(60)
  void timeoutOfTheConnection() throws SQLException {
    try (Connection limited = TestConnections.open("tpch=0.01;timeout=700ms;threads=2")) {
      assertError(ErrorCode.TIMED_OUT, () -> query(limited, LONG_QUERY));
      assertEquals(List.of("1"), query(limited, "select 1"));
    }
  }

  @Test
  @Timeout(60)
  void slowFetchingCounts() throws Exception {
    try (Statement statement = connection.createStatement()) {
      statement.setQueryTimeout(1);
      ResultSet rows = statement.executeQuery("select l_orderkey from lineitem");
      assertTrue(rows.next());
      Thread.sleep(1200);
      assertError(ErrorCode.TIMED_OUT, rows::next);
    }
  }

  @Test
  void closingTheConnectionEndsItsStatements() throws SQLException {
    Connection other = TestConnections.tpch();
    Statement statement = other.createStatement();
    ResultSet rows = statement.executeQuery("select l_orderkey from lineitem");
    assertTrue(rows.next());
    other.close();
    assertTrue(other.isClosed());
    assertError(
        ErrorCode.INVALID_CALL,
        () -> {
          while (rows.next()) {
            rows.getLong(1);
          }
        });
    assertError(ErrorCode.INVALID_CALL, other::createStatement, "closed");
  }

  @Test
  void plansAreUsedAgain() throws SQLException {
    try (Connection other = TestConnections.tpch()) {
      AragoniteConnection own = other.unwrap(AragoniteConnection.class);
      String sql = "select count(*) from nation where n_regionkey = 2";
      assertEquals(List.of("5"), query(other, sql));
      assertEquals(List.of("5"), query(other, sql));
      assertEquals(1, own.metrics().plannedStatements());
      assertEquals(1, own.metrics().cachedPlans());
      query(other, "select current_timestamp from nation limit 1");
      query(other, "select current_timestamp from nation limit 1");
      assertEquals(3, own.metrics().plannedStatements(), "a plan that depends on the moment");
      assertEquals(0, own.metrics().fallbackStatements());
    }
  }

  @Test
  void severalStatementsAtOnce() throws SQLException {
    try (Statement one = connection.createStatement();
        Statement two = connection.createStatement();
        ResultSet first = one.executeQuery("select n_nationkey from nation order by 1");
        ResultSet second = two.executeQuery("select n_nationkey from nation order by 1")) {
      for (int i = 0; i < 25; i++) {
        assertTrue(first.next() && second.next());
        assertEquals(i, first.getInt(1));
        assertEquals(i, second.getInt(1));
      }
    }
  }

  /** Each thread reads its own values with its own prepared statements and metadata. */
  @Test
  @Timeout(60)
  void threadsShareAConnection() throws Exception {
    try (Connection shared = TestConnections.tpch();
        ExecutorService threads = Executors.newFixedThreadPool(8)) {
      List<Future<Integer>> ends = new ArrayList<>();
      for (int t = 0; t < 8; t++) {
        int thread = t;
        ends.add(threads.submit(() -> shares(shared, thread)));
      }
      for (Future<Integer> end : ends) {
        assertEquals(2000, end.get());
      }
    }
  }

  private static int shares(Connection shared, int thread) throws SQLException {
    Deque<PreparedStatement> open = new ArrayDeque<>();
    int right = 0;
    for (int i = 0; i < 2000; i++) {
      PreparedStatement statement = shared.prepareStatement("select ? + 1");
      open.add(statement);
      statement.setInt(1, thread * 10_000 + i);
      try (ResultSet rows = statement.executeQuery()) {
        right += rows.next() && rows.getInt(1) == thread * 10_000 + i + 1 ? 1 : 0;
      }
      if (i % 50 == 0) {
        try (ResultSet tables = shared.getMetaData().getTables(null, null, "nation", null)) {
          assertTrue(tables.next());
        }
      }
      if (open.size() > thread * 3) {
        open.remove().close();
      }
    }
    for (PreparedStatement statement : open) {
      statement.close();
    }
    return right;
  }

  @Test
  void callsThatToolsMake() throws SQLException {
    assertNull(connection.getWarnings());
    assertTrue(connection.isValid(1));
    assertNotNull(connection.nativeSQL("select 1"));
    connection.setAutoCommit(true);
    assertTrue(connection.getAutoCommit());
    connection.commit();
    connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
    assertEquals("tpch", connection.getSchema());
    try (Statement statement = connection.createStatement()) {
      statement.setEscapeProcessing(true);
      statement.setFetchSize(1000);
      assertTrue(statement.execute("select 1 + 1"));
      assertEquals(-1, statement.getUpdateCount());
      assertFalse(statement.getMoreResults());
    }
  }
}
