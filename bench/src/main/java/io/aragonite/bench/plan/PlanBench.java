package io.aragonite.bench.plan;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.aragonite.adapter.AragoniteConnection;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * Compares the plan that a query gets with the one it would get if the planner knew the rows of
 * every filter, join and grouping. They are counted by running plans: what a plan's nodes gave is
 * what the next one is made from, until a plan has no node that was not counted.
 */
public final class PlanBench {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Plans that are tried until all of their rows are known. */
  private static final int MOST_ROUNDS = 10;

  private static final String FILTERS = "aragonite.join.filter";

  private final AragoniteConnection connection;

  /**
   * @param connection of Aragonite
   */
  public PlanBench(Connection connection) throws SQLException {
    this.connection = connection.unwrap(AragoniteConnection.class);
  }

  /**
   * What came of a query.
   *
   * @param rounds plans that were run to count rows
   * @param known whether all rows of the last plan were known when it was made
   * @param same whether it is the plan that the query gets anyway
   * @param millis the quickest run of the plan that the query gets
   * @param perfectMillis the same of the plan with known rows
   */
  public record PlanResult(
      String name, int rounds, boolean known, boolean same, double millis, double perfectMillis) {
    public double ratio() {
      return same ? 1 : millis / perfectMillis;
    }

    @Override
    public String toString() {
      return String.format(
          Locale.ROOT,
          "%-4s %d rounds%s  %s %8.1f ms, with known rows %8.1f ms, %.2f",
          name,
          rounds,
          known ? "" : " (not all known)",
          same ? "same plan " : "other plan",
          millis,
          perfectMillis,
          ratio());
    }
  }

  /**
   * Counts, plans, and times both plans by turns.
   *
   * @param repeat timed runs of each, the quickest of which counts
   */
  public PlanResult compare(String name, String sql, int repeat) throws Exception {
    Map<String, Double> rows = new HashMap<>();
    // A build side's keys drop rows of other relations, which would be counted without them.
    String filter = System.setProperty(FILTERS, "off");
    String usual = shape(explained(Map.of(), "EXPLAIN AS JSON " + sql));
    String perfect = "";
    boolean known = false;
    int round = 0;
    while (!known && round < MOST_ROUNDS) {
      round++;
      perfect = shape(explained(rows, "EXPLAIN AS JSON " + sql));
      Map<String, Double> counted = new HashMap<>();
      collect(explained(rows, "EXPLAIN ANALYZE AS JSON " + sql), counted);
      known = rows.keySet().containsAll(counted.keySet());
      counted.forEach(rows::putIfAbsent);
    }
    if (filter == null) {
      System.clearProperty(FILTERS);
    } else {
      System.setProperty(FILTERS, filter);
    }
    try (PreparedStatement plain = connection.prepareStatement(sql);
        PreparedStatement best = prepare(sql, new KnownRows(rows))) {
      double millis = Double.MAX_VALUE;
      double perfectMillis = Double.MAX_VALUE;
      for (int run = 0; run <= repeat; run++) {
        double first = run(plain);
        double second = run(best);
        // The first run of each warms up.
        millis = run == 0 ? millis : Math.min(millis, first);
        perfectMillis = run == 0 ? perfectMillis : Math.min(perfectMillis, second);
      }
      return new PlanResult(name, round, known, usual.equals(perfect), millis, perfectMillis);
    }
  }

  private PreparedStatement prepare(String sql, KnownRows rows) throws SQLException {
    connection.setCardinalities(rows);
    try {
      return connection.prepareStatement(sql);
    } finally {
      connection.setCardinalities(null);
    }
  }

  private static double run(PreparedStatement statement) throws SQLException {
    long begin = System.nanoTime();
    try (ResultSet rows = statement.executeQuery()) {
      while (rows.next()) {
        rows.getObject(1);
      }
    }
    return (System.nanoTime() - begin) / 1e6;
  }

  private JsonNode explained(Map<String, Double> rows, String sql) throws Exception {
    connection.setCardinalities(new KnownRows(rows));
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      result.next();
      return JSON.readTree(result.getString(1)).path("plan");
    } catch (IOException e) {
      throw new IllegalStateException(e);
    } finally {
      connection.setCardinalities(null);
    }
  }

  private static void collect(JsonNode node, Map<String, Double> counted) {
    if (node.has("relation") && node.has("actualRows")) {
      counted.putIfAbsent(
          node.path("relation").asText(), Math.max(1, node.path("actualRows").asDouble()));
    }
    node.path("inputs").forEach(input -> collect(input, counted));
  }

  /** What tells plans apart: nodes with what they join, and how. */
  private static String shape(JsonNode node) {
    StringBuilder text = new StringBuilder();
    text.append(node.path("node").asText())
        .append(' ')
        .append(node.path("variant").asText())
        .append(' ')
        .append(node.path("relation").asText())
        .append('(');
    node.path("inputs").forEach(input -> text.append(shape(input)));
    return text.append(')').toString();
  }
}
