package io.aragonite.bench.plan;

import io.aragonite.adapter.AragoniteConnection;
import io.aragonite.adapter.statement.ConnectionMetrics;
import io.aragonite.bench.plan.PlanningQueries.NamedQuery;
import io.aragonite.rules.limit.PlanningPhase;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Times the planning of queries, first and warm, with its phases. */
public final class PlanningBench {
  /** What a first planning may take, once three other statements were planned. */
  private static final double FIRST_MILLIS = 300;

  private static final int PLANNED_BEFORE = 3;

  /** What a warm planning may take. */
  private static final double WARM_MILLIS = 50;

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private final AragoniteConnection connection;
  private final PrintWriter out;

  /**
   * One planning.
   *
   * @param cpuMillis of the thread that plans: others load statistics beside it, and take its processor
   * @param phases nanoseconds
   */
  record Planning(double millis, double cpuMillis, long firings, Map<PlanningPhase, Long> phases) {}

  /**
   * @param connection of Aragonite
   */
  public PlanningBench(Connection connection, PrintWriter out) throws SQLException {
    this.connection = connection.unwrap(AragoniteConnection.class);
    this.out = out;
  }

  /**
   * Plans all queries in their order, and that several times again, and prints a line for each.
   *
   * @param repeat the quickest of so many counts as warm
   */
  public void run(List<NamedQuery> queries, int repeat) throws SQLException {
    Map<String, Planning> first = new LinkedHashMap<>();
    Map<String, Planning> warm = new LinkedHashMap<>();
    for (int round = 0; round <= repeat; round++) {
      for (NamedQuery query : queries) {
        Planning planning = plan(query, round);
        if (planning != null && round == 0) {
          first.put(query.name(), planning);
        } else if (planning != null) {
          warm.merge(query.name(), planning, (a, b) -> a.millis <= b.millis ? a : b);
        }
      }
    }
    out.printf(
        "%-10s %8s %8s %8s %8s %8s", "query", "first", "(cpu)", "warm", "(cpu)", "firings");
    for (PlanningPhase phase : PlanningPhase.values()) {
      out.printf(" %10s", phase.name().toLowerCase(Locale.ROOT));
    }
    out.println("   (ms of the warm one)");
    warm.forEach(
        (name, planning) -> print(name, first.get(name), planning, List.of(planning)));
    List<Planning> all = List.copyOf(warm.values());
    print("warm", null, sum(all), all);
    List<Planning> firsts = List.copyOf(first.values());
    print("first", null, sum(firsts), firsts);
    summary(new ArrayList<>(firsts), all);
  }

  private void summary(List<Planning> first, List<Planning> warm) {
    List<Planning> later = first.subList(Math.min(PLANNED_BEFORE, first.size()), first.size());
    out.printf(
        Locale.ROOT,
        "first plannings after %d others: longest %.0f ms, %d of %d over %.0f ms; warm: longest"
            + " %.1f ms, %d over %.0f ms%n",
        PLANNED_BEFORE,
        later.stream().mapToDouble(Planning::millis).max().orElse(0),
        later.stream().filter(planning -> planning.millis > FIRST_MILLIS).count(),
        later.size(),
        FIRST_MILLIS,
        warm.stream().mapToDouble(Planning::millis).max().orElse(0),
        warm.stream().filter(planning -> planning.millis > WARM_MILLIS).count(),
        WARM_MILLIS);
    out.flush();
  }

  /** Another text each time, since the connection keeps plans by text; null if it has no plan. */
  private @Nullable Planning plan(NamedQuery query, int round) {
    ConnectionMetrics before = connection.metrics();
    long start = System.nanoTime();
    long cpuStart = THREADS.getCurrentThreadCpuTime();
    try {
      connection.prepareStatement(" ".repeat(round) + query.sql()).close();
    } catch (SQLException e) {
      if (round == 0) {
        out.println(query.name() + ": " + e.getMessage());
      }
      return null;
    }
    double cpuMillis = (THREADS.getCurrentThreadCpuTime() - cpuStart) / 1e6;
    double millis = (System.nanoTime() - start) / 1e6;
    ConnectionMetrics after = connection.metrics();
    Map<PlanningPhase, Long> phases = new EnumMap<>(PlanningPhase.class);
    after
        .phaseNanos()
        .forEach(
            (phase, nanos) ->
                phases.put(phase, nanos - before.phaseNanos().getOrDefault(phase, 0L)));
    return new Planning(millis, cpuMillis, after.ruleFirings() - before.ruleFirings(), phases);
  }

  private static Planning sum(List<Planning> plannings) {
    return new Planning(
        plannings.stream().mapToDouble(Planning::millis).sum(),
        plannings.stream().mapToDouble(Planning::cpuMillis).sum(),
        plannings.stream().mapToLong(Planning::firings).sum(),
        Map.of());
  }

  /**
   * @param first null where a line is of one of both
   * @param parts what the phases are the sum of
   */
  private void print(
      String name, @Nullable Planning first, Planning planning, List<Planning> parts) {
    out.printf(
        Locale.ROOT,
        "%-10s %8s %8s %8.1f %8.1f %8d",
        name,
        first == null ? "" : String.format(Locale.ROOT, "%.1f", first.millis),
        first == null ? "" : String.format(Locale.ROOT, "%.1f", first.cpuMillis),
        planning.millis,
        planning.cpuMillis,
        planning.firings);
    for (PlanningPhase phase : PlanningPhase.values()) {
      long nanos = parts.stream().mapToLong(part -> part.phases.getOrDefault(phase, 0L)).sum();
      out.printf(Locale.ROOT, " %10.1f", nanos / 1e6);
    }
    out.println();
  }
}
