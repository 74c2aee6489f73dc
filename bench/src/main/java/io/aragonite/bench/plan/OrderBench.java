package io.aragonite.bench.plan;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.aragonite.adapter.AragoniteConnection;
import io.aragonite.bench.cold.ColdQuery;
import io.aragonite.dataset.Answer;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Times a query by the order of joins that it gets, and by others drawn at random. */
public final class OrderBench {
  /** Joins from which a query has orders worth comparing. */
  private static final int LEAST_JOINS = 3;

  /** An order is stopped once it has taken so many times as long as the best one. */
  private static final double STOPPED = 20;

  /** SQLSTATEs of an order that is stopped: time has run out, or memory has. */
  private static final String CANCELLED = "57014";

  private static final String RESOURCES = "53";

  /** Seeds that are tried for each order that is wanted, since some give the same order. */
  private static final int SEEDS = 3;

  /** A join without an equality, of which an order may have no more than the chosen one. */
  private static final String UNKEYED = "NestedLoopJoin";

  private static final Comparator<TimedOrder> BY_TIME =
      Comparator.comparingDouble(order -> order.millis);

  private static final ObjectMapper JSON = new ObjectMapper();

  private final AragoniteConnection chosen;
  private final AragoniteConnection random;
  private final int orders;
  private final int warmups;
  private final int repeat;
  private final LongSupplier nanos;

  /**
   * @param chosen of Aragonite: its plans are compared with others
   * @param random of Aragonite: runs the others; it must not join several relations at once
   * @param orders how many different ones are drawn, if there are so many
   * @param warmups runs of each before those that count: one at least
   * @param repeat timed runs of each, the quickest of which counts
   * @param nanos the clock: {@link System#nanoTime}, or that of the processors
   */
  public OrderBench(
      Connection chosen,
      Connection random,
      int orders,
      int warmups,
      int repeat,
      LongSupplier nanos)
      throws SQLException {
    this.chosen = chosen.unwrap(AragoniteConnection.class);
    this.random = random.unwrap(AragoniteConnection.class);
    this.orders = orders;
    this.warmups = warmups;
    this.repeat = repeat;
    this.nanos = nanos;
  }

  /**
   * What came of a query.
   *
   * @param joins in the chosen plan
   * @param orders that ran beside it
   * @param stopped of these
   * @param chosenMillis the quickest run of the chosen plan
   * @param quickestMillis the same of the quickest order
   * @param slowestMillis the same of the slowest one; {@link Double#POSITIVE_INFINITY} if it was
   *     stopped
   */
  public record OrderResult(
      String name,
      int joins,
      int orders,
      int stopped,
      double chosenMillis,
      double quickestMillis,
      double slowestMillis) {
    /** The quickest of all, the chosen plan among them. */
    public double best() {
      return Math.min(chosenMillis, quickestMillis);
    }

    /** The slowest of the orders over the quickest plan of all. */
    public double worstOverBest() {
      return Math.clamp(slowestMillis / best(), 1, STOPPED);
    }

    /** The regret of the chosen plan. */
    public double chosenOverBest() {
      return chosenMillis / best();
    }

    /** A line of CSV: query, joins, orders, stopped, chosen, best, worst/best, chosen/best. */
    public String line() {
      return String.format(
          Locale.ROOT,
          "%s,%d,%d,%d,%.1f,%.1f,%.2f,%.2f",
          name,
          joins,
          orders,
          stopped,
          chosenMillis,
          best(),
          worstOverBest(),
          chosenOverBest());
    }
  }

  /** The heading of {@link OrderResult#line}. */
  public static final String HEADING =
      "query,joins,orders,stopped,chosen ms,best ms,worst/best,chosen/best";

  /**
   * Draws, checks and times.
   *
   * @param seed of the first order
   * @return empty if the query has fewer than three joins, or no second order
   * @throws IllegalStateException if the answers of two orders differ
   */
  public Optional<OrderResult> compare(ColdQuery query, long seed) throws SQLException {
    String plan = "EXPLAIN AS JSON " + query.sql();
    JsonNode own = explained(chosen, null, plan);
    int joins = count(own, "Join");
    int unkeyed = count(own, UNKEYED);
    if (joins < LEAST_JOINS) {
      return Optional.empty();
    }
    List<TimedOrder> timed = new ArrayList<>();
    try {
      timed.add(new TimedOrder(chosen, null, query.sql()));
      Set<String> drawn = new HashSet<>();
      long end = seed + (long) SEEDS * orders;
      for (long next = seed; next < end && drawn.size() < orders; next++) {
        RandomOrders order = new RandomOrders(next);
        JsonNode other = explained(random, order, plan);
        if (count(other, UNKEYED) <= unkeyed && drawn.add(shape(other))) {
          timed.add(new TimedOrder(random, order, query.sql()));
        }
      }
      if (drawn.size() < 2) {
        return Optional.empty();
      }
      run(query, timed);
      return Optional.of(again(query, joins, timed));
    } finally {
      for (TimedOrder order : timed) {
        order.statement.close();
      }
    }
  }

  /** Runs all orders by turns; the first runs of each warm up, and one's answer is checked. */
  private void run(ColdQuery query, List<TimedOrder> timed) throws SQLException {
    Answer all = answer(query.unlimited());
    double best = Double.POSITIVE_INFINITY;
    for (int run = 0; run < warmups + repeat; run++) {
      for (int i = 0; i < timed.size(); i++) {
        TimedOrder order = timed.get((i + run) % timed.size()); // none is always first
        Answer answer = order.run(best, run < warmups);
        if (answer != null && run == 0) {
          check(query, order.order, all, answer);
        }
        best = Math.min(best, order.millis);
      }
    }
  }

  /**
   * Times the chosen plan beside the quickest order and the slowest one once more: the least of many
   * times is luck in part.
   */
  private OrderResult again(ColdQuery query, int joins, List<TimedOrder> timed)
      throws SQLException {
    TimedOrder own = timed.getFirst();
    List<TimedOrder> others = timed.subList(1, timed.size());
    TimedOrder quickest = Collections.min(others, BY_TIME);
    TimedOrder slowest = Collections.max(others, BY_TIME);
    List<TimedOrder> three = List.of(own, quickest, slowest);
    double best = Math.min(own.millis, quickest.millis);
    three.forEach(order -> order.millis = Double.POSITIVE_INFINITY);
    for (int run = 0; run < 2 * repeat; run++) {
      for (int i = 0; i < three.size(); i++) {
        three.get((i + run) % three.size()).run(best, false);
      }
    }
    return new OrderResult(
        query.name(),
        joins,
        others.size(),
        (int) others.stream().filter(order -> order.stopped).count(),
        own.millis,
        quickest.millis,
        slowest.millis);
  }

  /** An order with its plan and what it took. */
  private final class TimedOrder {
    private final @Nullable RandomOrders order;
    private final PreparedStatement statement;
    private double millis = Double.POSITIVE_INFINITY;
    private boolean stopped;

    TimedOrder(AragoniteConnection connection, @Nullable RandomOrders order, String sql)
        throws SQLException {
      this.order = order;
      this.statement = prepare(connection, order, sql);
    }

    /**
     * One run.
     *
     * @param best of all orders so far, infinite before the first
     * @return null if the order was stopped, now or before
     */
    @Nullable Answer run(double best, boolean warmsUp) throws SQLException {
      if (stopped) {
        return null;
      }
      boolean known = !Double.isInfinite(best);
      for (double patience = 1; ; patience *= 4) {
        statement.setQueryTimeout(known ? (int) Math.ceil(patience * best * STOPPED / 1e3) : 0);
        long begin = nanos.getAsLong();
        try (ResultSet rows = statement.executeQuery()) {
          Answer answer = Answer.of(rows);
          double taken = (nanos.getAsLong() - begin) / 1e6;
          stopped = !warmsUp && taken > best * STOPPED;
          millis = stopped || warmsUp && known ? millis : Math.min(millis, taken);
          return answer;
        } catch (SQLException e) {
          String state = e.getSQLState() == null ? "" : e.getSQLState();
          if (!known || !state.equals(CANCELLED) && !state.startsWith(RESOURCES)) {
            throw e;
          }
          // What passes is not what the processors have worked, if others keep them busy.
          double taken = (nanos.getAsLong() - begin) / 1e6;
          stopped = !state.equals(CANCELLED) || taken > best * STOPPED;
          if (stopped) {
            return null;
          }
        }
      }
    }
  }

  private Answer answer(String sql) throws SQLException {
    try (Statement statement = chosen.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      return Answer.of(rows);
    }
  }

  private static PreparedStatement prepare(
      AragoniteConnection connection, @Nullable RandomOrders order, String sql)
      throws SQLException {
    connection.setCardinalities(order);
    try {
      return connection.prepareStatement(sql);
    } finally {
      connection.setCardinalities(null);
    }
  }

  private static void check(
      ColdQuery query, @Nullable RandomOrders order, Answer all, Answer answer) {
    query
        .compareWithAll(all, answer)
        .ifPresent(
            difference -> {
              throw new IllegalStateException(
                  "%s, order %s: %s".formatted(query.name(), order, difference));
            });
  }

  private static JsonNode explained(
      AragoniteConnection connection, @Nullable RandomOrders order, String sql)
      throws SQLException {
    try (PreparedStatement statement = prepare(connection, order, sql);
        ResultSet result = statement.executeQuery()) {
      result.next();
      return JSON.readTree(result.getString(1)).path("plan");
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static int count(JsonNode node, String kind) {
    int count = node.path("node").asText().endsWith(kind) ? 1 : 0;
    for (JsonNode input : node.path("inputs")) {
      count += count(input, kind);
    }
    return count;
  }

  /** What tells orders apart: which tables are joined with which. */
  private static String shape(JsonNode node) {
    StringBuilder text = new StringBuilder();
    boolean join = node.path("node").asText().endsWith("Join");
    text.append(node.path("table").asText()).append(join ? node.path("condition").asText() : "");
    text.append('(');
    node.path("inputs").forEach(input -> text.append(shape(input)));
    return text.append(')').toString();
  }
}
