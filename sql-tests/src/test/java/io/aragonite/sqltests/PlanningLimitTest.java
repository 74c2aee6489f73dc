package io.aragonite.sqltests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.adapter.AragoniteConnection;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.sql.Statement;
import java.util.Locale;
import java.util.Timer;
import java.util.TimerTask;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What planning takes grows with the size of a statement, counted in steps of the planner, which do
 * not depend on the machine; and a statement whose plan takes longer than its limit ends with it.
 */
class PlanningLimitTest {
  @TempDir static Path directory;

  private static String url;

  @BeforeAll
  static void tables() throws IOException {
    Files.writeString(directory.resolve("i.csv"), "k,v\n1,10\n2,20\n3,30\n,40\n");
    Files.writeString(directory.resolve("j.csv"), "k,v\n1,1\n1,2\n2,3\n4,4\n,5\n");
    url = "jdbc:aragonite:directory=%s;device=cpu".formatted(directory);
  }

  /** Steps that planning a statement takes. */
  private static long steps(Connection connection, String sql) throws SQLException {
    AragoniteConnection own = connection.unwrap(AragoniteConnection.class);
    long before = own.metrics().planningSteps();
    connection.prepareStatement(sql).close();
    return own.metrics().planningSteps() - before;
  }

  /** Of statements twice as large the planner takes at most {@code most} times the steps. */
  private static void grows(String what, int size, double most, IntFunction<String> sql)
      throws SQLException {
    try (Connection connection = DriverManager.getConnection(url + ";timeout=60s")) {
      steps(connection, sql.apply(2)); // statistics are there
      long small = steps(connection, sql.apply(size));
      long large = steps(connection, sql.apply(2 * size));
      System.out.printf(
          Locale.ROOT, "%s: %d steps of size %d, %d of %d%n", what, small, size, large, 2 * size);
      assertTrue(small > 0);
      assertTrue(large <= most * small, what + ": " + small + " steps became " + large);
    }
  }

  private static String nested(int levels, String inner, String outer) {
    String sql = inner;
    for (int i = 0; i < levels; i++) {
      sql = outer.formatted(sql, i);
    }
    return sql;
  }

  private static String joins(int tables, String equality) {
    return "select count(*) from "
        + IntStream.range(0, tables).mapToObj(i -> "i t" + i).collect(Collectors.joining(", "))
        + " where "
        + IntStream.range(1, tables)
            .mapToObj(i -> equality.formatted(i - 1, i))
            .collect(Collectors.joining(" and "));
  }

  @Test
  void subqueriesInFromWithNames() throws SQLException {
    grows("FROM", 12, 3, n -> nested(n, "select k from i", "select k from (%s) t%d"));
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                nested(100, "select k, v from i where k = 2", "select k, v from (%s) t%d"))) {
      assertTrue(rows.next());
      assertEquals(20, rows.getInt(2));
    }
  }

  @Test
  void columnsThatAreMadeOfEachOther() throws SQLException {
    grows(
        "columns",
        8,
        6,
        n -> nested(n, "select k, v from i", "select k + v as k, k - v as v from (%s) t%d"));
  }

  @Test
  void groupingsOfGroupings() throws SQLException {
    grows(
        "groupings",
        8,
        5,
        n -> nested(n, "select k, v from i", "select k, max(v) as v from (%s) t%d group by k"));
  }

  @Test
  void chainsOfJoins() throws SQLException {
    grows("a chain", 15, 6, n -> joins(n, "t%d.k = t%d.v"));
    grows("one column", 15, 10, n -> joins(n, "t%d.k = t%d.k"));
  }

  /** Estimates of joins over joins are asked for once: with twice as many there were millions. */
  @Test
  void joinsOverJoinsWithSketches() throws SQLException {
    grows(
        "left joins",
        8,
        6,
        n ->
            "select count(*) from i t0 "
                + IntStream.rangeClosed(1, n)
                    .mapToObj(i -> "left join j t%d on t%d.k = t%d.k".formatted(i, i - 1, i))
                    .collect(Collectors.joining(" ")));
  }

  @Test
  void longConditionsAndUnions() throws SQLException {
    grows(
        "OR",
        60,
        5,
        n ->
            "select k from i where "
                + IntStream.range(0, n)
                    .mapToObj(i -> "(k = %d and v = %d)".formatted(i, i))
                    .collect(Collectors.joining(" or ")));
    grows(
        "UNION ALL",
        30,
        5,
        n ->
            IntStream.range(0, n)
                .mapToObj(i -> "select k, " + i + " from i")
                .collect(Collectors.joining(" union all ")));
    grows(
        "CASE",
        30,
        5,
        n ->
            "select "
                + "case when k = 1 then ".repeat(n)
                + "1"
                + " else 2 end".repeat(n)
                + " from i");
  }

  /** Joins of a view of joins of a view: two to the depth of tables, so that no planner ends. */
  private static String doubled(int levels) {
    return "with w0 as (select k from i)"
        + IntStream.rangeClosed(1, levels)
            .mapToObj(i ->
                ", w%d as (select a.k from w%d a join w%d b on a.k = b.k)"
                    .formatted(i, i - 1, i - 1))
            .collect(Collectors.joining())
        + " select count(*) from w"
        + levels;
  }

  @Test
  void aPlanEndsWithTheLimitOfItsStatement() throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      steps(connection, doubled(2)); // classes are loaded
      statement.setQueryTimeout(1);
      long start = System.nanoTime();
      SQLTimeoutException error =
          assertThrows(SQLTimeoutException.class, () -> statement.executeQuery(doubled(16)));
      double seconds = (System.nanoTime() - start) / 1e9;
      assertEquals(603, error.getErrorCode());
      assertTrue(error.getMessage().length() < 300, error.getMessage());
      // Within a second of it, on a machine that does other things too.
      assertTrue(seconds < 6, "ended after " + seconds + " s");
      try (ResultSet rows = statement.executeQuery("select count(*) from i")) {
        assertTrue(rows.next());
        assertEquals(4, rows.getInt(1));
      }
    }
  }

  @Test
  void preparingEndsWithTheLimitOfTheConnection() throws SQLException {
    try (Connection connection = DriverManager.getConnection(url + ";timeout=1s")) {
      SQLException error =
          assertThrows(SQLException.class, () -> connection.prepareStatement(doubled(16)));
      assertEquals(603, error.getErrorCode());
    }
  }

  @Test
  void aPlanIsCancelled() throws SQLException {
    try (Connection connection = DriverManager.getConnection(url + ";timeout=60s");
        Statement statement = connection.createStatement()) {
      Timer timer = new Timer(true);
      timer.schedule(
          new TimerTask() {
            @Override
            public void run() {
              try {
                statement.cancel();
              } catch (SQLException e) {
                throw new IllegalStateException(e);
              }
            }
          },
          500);
      SQLException error =
          assertThrows(SQLException.class, () -> statement.executeQuery(doubled(16)));
      timer.cancel();
      assertEquals("57014", error.getSQLState());
    }
  }

  /** A recursion without an end is ended by time, by cancellation and by memory. */
  @Test
  void aRecursionWithoutAnEnd() throws SQLException {
    String endless =
        "with recursive t(n) as (select 1 union all select %s from t%s) select count(*) from t";
    try (Connection connection = DriverManager.getConnection(url + ";memory=48MB");
        Statement statement = connection.createStatement()) {
      statement.setQueryTimeout(2);
      SQLException time =
          assertThrows(
              SQLException.class, () -> statement.executeQuery(endless.formatted("n + 1", "")));
      assertEquals(603, time.getErrorCode());
      statement.setQueryTimeout(60);
      SQLException memory =
          assertThrows(
              SQLException.class, () -> statement.executeQuery(endless.formatted("t.n", ", j")));
      assertEquals(601, memory.getErrorCode());
      try (ResultSet rows = statement.executeQuery("select count(*) from j")) {
        assertTrue(rows.next());
        assertEquals(5, rows.getInt(1));
      }
    }
  }
}
