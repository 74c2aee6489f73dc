package io.aragonite.sqltests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.dataset.Answer;
import io.aragonite.exec.testing.TestSample;
import io.aragonite.tpch.TpchQuery;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Once the budget of planning is spent, a statement has a plan that gives the same rows, and
 * EXPLAIN says what was left out; a statement that is cancelled while it is planned ends soon.
 */
class PlanningBudgetTest {
  private static final TestSample SAMPLE = new TestSample(PlanningBudgetTest.class);

  private static final String URL = "jdbc:aragonite:tpch=0.01;device=cpu";
  private static final String MILLIS = "aragonite.planning.millis";
  private static final String FIRINGS = "aragonite.planning.firings";
  private static final String LEFT_OUT = "Left out of planning";

  /** A tenth of a second is wanted; others use the machine too. */
  private static final double SOON_MILLIS = 1000;

  @BeforeAll
  static void classesAreLoaded() throws SQLException {
    explained(joins(3));
  }

  @AfterEach
  void usualBudget() {
    System.clearProperty(MILLIS);
    System.clearProperty(FIRINGS);
  }

  /** Chains of joins with a filter in the end, which is where an order by rows begins. */
  private static String joins(int tables) {
    return "select count(*), sum(t0.o_totalprice) from "
        + IntStream.range(0, tables).mapToObj(i -> "orders t" + i).collect(Collectors.joining(", "))
        + " where "
        + IntStream.range(1, tables)
            .mapToObj(i -> "t%d.o_orderkey = t%d.o_orderkey".formatted(i - 1, i))
            .collect(Collectors.joining(" and "))
        + " and t%d.o_custkey < 100".formatted(tables - 1);
  }

  private static String explained(String sql) throws SQLException {
    return rows("EXPLAIN PLAN FOR " + sql);
  }

  private static String rows(String sql) throws SQLException {
    StringBuilder text = new StringBuilder();
    try (Connection connection = DriverManager.getConnection(URL);
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
          text.append(rows.getString(i)).append('\n');
        }
      }
    }
    return text.toString();
  }

  @Test
  void manyJoinsAreWithinTheUsualBudget() throws SQLException {
    assertFalse(explained(joins(35)).contains(LEFT_OUT));
  }

  @Test
  void joinsOfManyTablesWithoutTimeAreInTheQuerysOrder() throws SQLException {
    String usual = rows(joins(35));
    System.setProperty(MILLIS, "0");
    String plan = explained(joins(35));
    assertTrue(plan.contains(LEFT_OUT), plan);
    assertTrue(plan.contains("the order of joins by rows"), plan);
    assertFalse(plan.contains("NestedLoopJoin"), plan);
    assertEquals(usual, rows(joins(35)));
  }

  @Test
  void firingsAreCounted() throws SQLException {
    String sql = joins(5);
    assertFalse(explained(sql).contains(LEFT_OUT));
    System.setProperty(FIRINGS, "3");
    String plan = explained(sql);
    assertTrue(plan.contains("all orders of joins"), plan);
    String json = rows("EXPLAIN AS JSON " + sql);
    assertTrue(json.contains("\"leftOutOfPlanning\" : [ \"groupings by fewer rows\""), json);
  }

  @Test
  void answersOfTpchDoNotDependOnTheBudget() throws SQLException {
    System.setProperty(MILLIS, "0");
    try (Connection connection = DriverManager.getConnection(URL);
        Statement statement = connection.createStatement()) {
      for (TpchQuery query : TpchQuery.all()) {
        Answer expected = query.answer(0.01).orElseThrow();
        try (ResultSet rows = statement.executeQuery(query.sql(0.01))) {
          assertEquals(
              Optional.empty(), query.compare(expected, Answer.of(rows)), "Q" + query.number());
        }
      }
    }
  }

  /** Statements that are large in different ways, so that each phase takes long in one of them. */
  private static Map<String, String> large() {
    Map<String, String> statements = new TreeMap<>();
    StringBuilder doubled = new StringBuilder("with w0 as (select n_nationkey k from nation)");
    for (int i = 1; i <= 14; i++) {
      doubled.append(
          ", w%d as (select a.k from w%d a join w%d b on a.k = b.k)".formatted(i, i - 1, i - 1));
    }
    statements.put("views of views", doubled + " select count(*) from w14");
    statements.put("joins", joins(400));
    statements.put(
        "conditions",
        "select count(*) from orders where "
            + IntStream.range(0, 8000)
                .mapToObj(i -> "(o_orderkey = %d and o_custkey > %d)".formatted(i, i))
                .collect(Collectors.joining(" or ")));
    statements.put(
        "unions",
        IntStream.range(0, 3000)
            .mapToObj(i -> "select o_orderkey + %d as k from orders".formatted(i))
            .collect(Collectors.joining(" union all ")));
    return statements;
  }

  @Test
  @Tag("timed")
  void cancellingEndsPlanningSoon() throws Exception {
    SAMPLE.assume(0.5);
    for (Map.Entry<String, String> large : large().entrySet()) {
      for (int delay : new int[] {100, 400, 1600}) {
        double best = Double.MAX_VALUE;
        for (int tries = 0; tries < 3 && best > SOON_MILLIS; tries++) {
          best = Math.min(best, millisToCancel(large.getValue(), delay));
        }
        System.out.printf(
            Locale.ROOT, "%s, cancelled after %d ms: %.0f ms%n", large.getKey(), delay, best);
        assertTrue(best <= SOON_MILLIS, large.getKey() + " after " + delay + " ms: " + best);
      }
    }
  }

  private static double millisToCancel(String sql, int delay) throws Exception {
    try (Connection connection = DriverManager.getConnection(URL);
        Statement statement = connection.createStatement()) {
      AtomicLong cancelled = new AtomicLong();
      CompletableFuture<Void> canceller =
          CompletableFuture.runAsync(
              () -> {
                try {
                  cancelled.set(System.nanoTime());
                  statement.cancel();
                } catch (SQLException e) {
                  throw new IllegalStateException(e);
                }
              },
              CompletableFuture.delayedExecutor(delay, TimeUnit.MILLISECONDS));
      SQLException error =
          assertThrows(SQLException.class, () -> statement.executeQuery("EXPLAIN PLAN FOR " + sql));
      long ended = System.nanoTime();
      canceller.get();
      assertEquals("57014", error.getSQLState(), error.getMessage());
      return (ended - cancelled.get()) / 1e6;
    }
  }
}
