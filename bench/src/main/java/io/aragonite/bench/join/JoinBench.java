package io.aragonite.bench.join;

import io.aragonite.bench.data.CsvColumns;
import io.aragonite.bench.timing.BenchClock;

import io.aragonite.exec.runtime.QueryMetrics;
import io.aragonite.exec.runtime.QueryOptions;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.device.Device;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.bench.data.JoinQuery;
import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.execution.QueryExecution;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs the join algorithms over configurations of the papers, as queries run them, checks what comes
 * out, and prints time, peak memory and what others needed.
 */
public final class JoinBench implements AutoCloseable {

  /**
   * What was measured.
   *
   * @param millis of the median run
   * @param spread the slowest run's time over the quickest's
   * @param peakBytes the most memory held at once beside the inputs: intermediates and output
   * @param error what is wrong with the output; null if nothing
   */
  public record JoinResult(
      JoinCase config,
      JoinAlgorithm algorithm,
      double millis,
      double spread,
      long peakBytes,
      @Nullable String error) {}

  /** The algorithms that join by equality in a device's memory, by their short names. */
  public static final Map<String, JoinAlgorithm> ALGORITHMS = new LinkedHashMap<>();

  static {
    for (JoinAlgorithm algorithm : JoinAlgorithm.EQUI_JOINS) {
      if (algorithm != JoinAlgorithm.HOST_SORT_MERGE) {
        ALGORITHMS.put(algorithm.shortName(), algorithm);
      }
    }
  }

  /** Joins of fewer rows are not worth warming up for: they are tests. */
  private static final int WARM_ROWS = 1 << 24;

  /**
   * Runs between the first and those that are timed. Looking at the output takes memory of another
   * stream, so that a device's pool goes on growing for some runs, by 0.7 ms a gigabyte.
   */
  private static final int SETTLING = 4;

  /** Memory that a configuration takes of a pool at most, over its inputs: these are in it too. */
  private static final double POOL = 8;

  private static final int WARM_LOG2 = 22;
  private static final int WARM_RUNS = 100;
  private static final List<String> WARM_CASES = List.of("wide", "match-1/4", "sparse", "m:n");

  private final Device device;
  private final int runs;
  private final PrintWriter out;
  private final Map<String, Supplier<JoinTables>> tables = new HashMap<>();
  private final ExecutorService threads =
      Executors.newCachedThreadPool(Thread.ofPlatform().daemon().factory());

  /**
   * @param device stays the caller's
   * @param runs how many timed runs there are after a first one, which is checked row by row and
   *     warms up
   */
  public JoinBench(Device device, int runs, PrintWriter out) {
    this.device = device;
    this.runs = runs;
    this.out = out;
  }

  private static int largest(List<JoinCase> cases) {
    return cases.stream().mapToInt(c -> Math.max(c.buildRows(), c.probeRows())).max().orElse(0);
  }

  /**
   * Small joins, so that what is timed runs as in a process that has been up for a while: the JVM
   * takes some hundred microseconds a join longer while it interprets the calls between kernels.
   */
  private void warmUp(List<JoinAlgorithm> algorithms) {
    for (JoinCase config : JoinCase.all(WARM_LOG2)) {
      if (WARM_CASES.contains(config.name())) {
        try (QueryExecution inputs = execution()) {
          BenchWork data = inputs.work(context -> new JoinData(config, context));
          for (int i = 0; i < WARM_RUNS * algorithms.size(); i++) {
            once(data.plan(algorithms.get(i % algorithms.size())), batch -> {});
          }
        }
      }
    }
  }

  /**
   * Has the device's pool take once what joins will take, as that of a process has that has been up
   * for a while: else it grows in the runs of the first configuration, by 0.7 ms a gigabyte.
   */
  private void grow(List<JoinCase> cases) {
    double inputs =
        cases.stream()
            .mapToDouble(c ->
                width(c.keyBytes(), c.buildPayload()) * c.buildRows()
                    + width(c.keyBytes(), c.probePayload()) * c.probeRows())
            .max()
            .orElse(0);
    long bytes = (long) Math.min(device.memory().limit() / 2.0, POOL * inputs);
    try (QueryExecution query = execution()) {
      query.work(context -> context.memory().allocate(bytes));
    }
  }

  private static double width(int key, List<Integer> payload) {
    return key + payload.stream().mapToInt(Integer::intValue).sum();
  }

  /** Runs configurations, a line each. */
  public List<JoinResult> run(List<JoinCase> cases, List<JoinAlgorithm> algorithms) {
    boolean warm = largest(cases) > WARM_ROWS;
    out.printf(
        "Joins on %s, as queries run them, median of %d runs, all of which are checked, after one"
            + " whose rows are checked one by one%s; milliseconds. Tables and outputs are in the"
            + " device's memory; a time covers everything from tables to output columns, allocation"
            + " too. MiB: peak beside the tables. Peers: one H200, 2026-11-21, allocation outside"
            + " the time.%n",
        device.name(),
        runs,
        warm ? ", in a process that has warmed up" : "");
    if (warm) {
      warmUp(algorithms);
      if (!device.traits().hostMemory()) {
        grow(cases);
      }
    }
    List<JoinResult> results = new ArrayList<>();
    for (JoinCase config : cases) {
      results.addAll(run(config, algorithms));
    }
    return results;
  }

  /** Has a configuration's rows be those of real tables, in place of generated ones. */
  public void tables(String name, Supplier<JoinTables> rows) {
    tables.put(name, rows);
  }

  private List<JoinResult> run(JoinCase planned, List<JoinAlgorithm> algorithms) {
    List<JoinResult> results = new ArrayList<>();
    Supplier<JoinTables> from = tables.get(planned.name());
    JoinTables rows = from == null ? null : from.get();
    JoinCase config = rows == null ? planned : planned.of(rows);
    try (QueryExecution inputs = execution()) {
      BenchWork data =
          inputs.work(context ->
              rows != null
                  ? new ShuffledTables(config, rows, context)
                  : config.sequence()
                      ? new SequenceData(config, context)
                      : new JoinData(config, context));
      for (JoinAlgorithm algorithm : algorithms) {
        results.add(run(config, inputs, data, algorithm));
      }
    } catch (AragoniteException e) {
      out.printf("%-12s not run: %s%n", config.name(), e.getMessage());
      out.flush();
      return results;
    }
    print(config, results);
    return results;
  }

  private JoinResult run(
      JoinCase config, QueryExecution inputs, BenchWork data, JoinAlgorithm algorithm) {
    List<Double> times = new ArrayList<>();
    long[] peak = new long[1];
    String error = null;
    BenchSum first = new BenchSum(inputs);
    PhysicalPlan plan = data.plan(algorithm);
    int untimed = Math.max(config.buildRows(), config.probeRows()) > WARM_ROWS ? SETTLING : 0;
    for (int run = 0; run <= untimed + runs; run++) {
      BenchCheck check = run == 0 ? data.newCheck() : null;
      BenchSum sum = run == 0 ? first : new BenchSum(inputs);
      Run done =
          once(
              plan,
              batch -> {
                if (check != null) {
                  inputs.work(context -> {
                    check.add(context, batch);
                    return batch;
                  });
                }
                sum.add(batch);
              });
      peak[0] = Math.max(peak[0], done.peakBytes);
      if (check != null) {
        error = check.error();
      } else {
        if (run > untimed) {
          times.add(done.millis);
        }
        if (error == null && !sum.agrees(first)) {
          error =
              "run %d has other rows than the first (%,d of %,d)"
                  .formatted(run, sum.rows(), first.rows());
        }
      }
    }
    times.sort(Comparator.naturalOrder());
    double spread = times.isEmpty() ? 1 : times.getLast() / times.getFirst();
    double median = times.isEmpty() ? 0 : times.get(times.size() / 2);
    return new JoinResult(config, algorithm, median, spread, peak[0], error);
  }

  private QueryExecution execution() {
    return new QueryExecution(device, threads, QueryOptions.DEFAULT, new QueryMetrics());
  }

  /**
   * @param peakBytes the most memory held at once until the output was there
   */
  private record Run(double millis, long peakBytes) {}

  private Run once(PhysicalPlan plan, Consumer<ColumnBatch> taker) {
    long[] peak = new long[1];
    try (QueryExecution query = execution()) {
      double millis =
          JoinQuery.run(
              query,
              plan,
              BenchClock.WALL,
              batch -> {
                peak[0] = peak[0] == 0 ? query.memory().peak() : peak[0];
                taker.accept(batch);
              });
      return new Run(millis, peak[0]);
    }
  }

  private void print(JoinCase config, List<JoinResult> results) {
    StringBuilder line = new StringBuilder("%-12s".formatted(config.name()));
    for (JoinResult result : results) {
      line.append(
          String.format(
              Locale.ROOT,
              " | %s %s%s %,d MiB%s",
              result.algorithm().shortName(),
              figure(result.millis()),
              result.spread() > 1.2 ? " +-%.0f%%".formatted(100 * (result.spread() - 1)) : "",
              result.peakBytes() >> 20,
              result.error() == null ? "" : " WRONG: " + result.error()));
    }
    results.stream()
        .min(Comparator.comparingDouble(JoinResult::millis))
        .ifPresent(best -> line.append(verdict(config, best.millis())));
    out.println(line);
    out.flush();
  }

  private static String verdict(JoinCase config, double millis) {
    // How many pairs skew on both sides has is known to the run only, and so is their floor.
    String floor =
        config.buildZipf() > 0
            ? ""
            : String.format(
                Locale.ROOT, " | %.0f GB/s of the floor", config.floorBytes() / millis / 1e6);
    if (config.peers().isEmpty()) {
      return floor;
    }
    int best = 0;
    for (int i = 1; i < config.peers().size(); i++) {
      best = config.peers().get(i) < config.peers().get(best) ? i : best;
    }
    double peer = Objects.requireNonNull(config.peers().get(best));
    return floor
        + String.format(
            Locale.ROOT,
            " | best peer %s %.1f: %.2fx",
            JoinCase.PEERS.get(best),
            peer,
            peer / millis);
  }

  private static String figure(double millis) {
    return String.format(Locale.ROOT, millis < 9.95 ? "%.2f" : "%.1f", millis);
  }

  private static final CsvColumns<JoinResult> COLUMNS =
      new CsvColumns<JoinResult>()
          .add("name", r -> r.config().name())
          .add("buildRows", r -> r.config().buildRows())
          .add("probeRows", r -> r.config().probeRows())
          .add("keyBytes", r -> r.config().keyBytes())
          .add("buildPayload", r -> r.config().buildPayload())
          .add("probePayload", r -> r.config().probePayload())
          .add("matchOneIn", r -> r.config().matchOneIn())
          .add("zipf", r -> r.config().zipf())
          .add("buildZipf", r -> r.config().buildZipf())
          .add("keys", r -> r.config().keys())
          .add("copies", r -> r.config().copies())
          .add("joins", r -> r.config().joins())
          .add("algorithm", r -> r.algorithm().shortName())
          .add("millis", JoinResult::millis)
          .add("spread", JoinResult::spread)
          .add("peakBytes", JoinResult::peakBytes)
          .add("right", r -> r.error() == null)
          .add("bestPeer", r -> bestPeer(r.config()));

  private static String bestPeer(JoinCase config) {
    return config.peers().stream()
        .min(Comparator.naturalOrder())
        .map(Object::toString)
        .orElse("");
  }

  /** Results as CSV, with a line of names. */
  public static String csv(List<JoinResult> results) {
    return COLUMNS.text(results);
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
