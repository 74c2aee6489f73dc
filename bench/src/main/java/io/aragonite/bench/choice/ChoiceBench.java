package io.aragonite.bench.choice;

import io.aragonite.bench.data.JoinQuery;
import io.aragonite.bench.join.JoinBench;
import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.bench.timing.BenchClock;

import io.aragonite.exec.runtime.QueryMetrics;
import io.aragonite.exec.runtime.QueryOptions;
import io.aragonite.bench.choice.ChoiceResult.Built;
import io.aragonite.bench.choice.ChoiceResult.Candidate;
import io.aragonite.exec.cost.JoinModel;
import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.execution.QueryExecution;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Times every candidate of the points of a grid: each algorithm with either side built. Each
 * candidate's first run is checked and warms up; the quickest of the runs after it counts, since
 * others on a machine only ever make things slower. One that is far from the best is not run again.
 */
public final class ChoiceBench implements AutoCloseable {
  /** A candidate whose first run takes this many times as long as the best is not run again. */
  private static final double HOPELESS = 2.5;

  /** The same of cores, whose first run may get memory from the system that nobody had before. */
  private static final double HOPELESS_CPU = 8;

  /** One within this factor of the best is timed a second time where others use the cores too. */
  private static final double AGAIN = 2;

  /** Of joins that take longer, one timed run is enough: they hardly differ on a GPU. */
  private static final double LONG_MILLIS = 8;

  private static final double LONG_MILLIS_CPU = 400;

  /** Runs that take less are warmed up first, whatever the first one takes. */
  private static final double SHORT_MILLIS = 4;

  /** Regret from which on a point is timed once more, with the rest of the grid behind it. */
  public static final double DOUBTFUL = 1.3;

  /** Points that are run before: what launches kernels is compiled while it runs, too. */
  private static final int WARM_UP = 32;

  private static final int WARM_UP_LOG2 = 15;

  /** Queries that share the memory: the one that holds the sides, and the one that is timed. */
  private static final int QUERIES = 2;

  private final Device device;
  private final int runs;
  private final PrintWriter log;
  private final List<String> errors = new ArrayList<>();
  private final BenchClock clock;
  private final ExecutorService threads;

  /**
   * @param device stays the caller's
   * @param runs timed runs of a candidate that may be the best
   * @param processor whether times are those of processors, which others on the machine hardly
   *     change, over the number of the device's workers
   * @param log gets a line for what could not be run
   */
  public ChoiceBench(Device device, int runs, boolean processor, PrintWriter log) {
    this.device = device;
    this.runs = runs;
    this.log = log;
    this.clock = new BenchClock(processor ? device.properties().workers() : 0);
    this.threads = Executors.newCachedThreadPool(clock);
  }

  /** What was wrong with outputs; empty if nothing was. */
  public List<String> errors() {
    return errors;
  }

  /**
   * Times points until the time is up.
   *
   * @param seconds no point is begun after these
   */
  public List<ChoiceResult> run(List<ChoicePoint> points, double seconds) {
    long begin = System.nanoTime();
    // The first point loads kernels and makes the device leave its sleep, so it is run once more.
    List<ChoicePoint> first = new ArrayList<>(points.subList(0, 1));
    if (points.size() > WARM_UP) {
      first.addAll(ChoicePoint.grid(-1, WARM_UP, WARM_UP_LOG2 - 4, WARM_UP_LOG2, 1e9));
    }
    for (ChoicePoint point : first) {
      try (QueryExecution inputs = execution()) {
        inputs.work(context -> point(point, context));
      }
    }
    List<ChoiceResult> results = new ArrayList<>();
    for (ChoicePoint point : points) {
      if ((System.nanoTime() - begin) / 1e9 > seconds) {
        log.printf("%d of %d points in %.0f s%n", results.size(), points.size(), seconds);
        break;
      }
      try (QueryExecution inputs = execution()) {
        results.add(inputs.work(context -> point(point, context)));
      } catch (AragoniteException e) {
        log.printf("point %d not run: %s%n", point.id(), e.getMessage());
      }
    }
    timeAgain(points, results);
    log.flush();
    return results;
  }

  /**
   * Times the points with a regret above {@link #DOUBTFUL} again, all candidates: a pause of the
   * machine, or code that was loaded or compiled meanwhile, looks like regret, but does not come
   * back. The quicker time of each candidate counts.
   */
  private void timeAgain(List<ChoicePoint> points, List<ChoiceResult> results) {
    JoinModel model = new JoinModel(device.profile());
    for (int i = 0; i < results.size(); i++) {
      ChoiceResult first = results.get(i);
      double regret = first.regret(model);
      if (regret <= DOUBTFUL) {
        continue;
      }
      ChoicePoint point =
          points.stream().filter(p -> p.id() == first.id()).findFirst().orElseThrow();
      try (QueryExecution inputs = execution()) {
        ChoiceResult again = first.quickest(inputs.work(context -> point(point, context)));
        results.set(i, again);
        log.printf(
            Locale.ROOT,
            "point %d timed again: regret %.2f, %.2f before%n",
            first.id(),
            again.regret(model),
            regret);
      }
    }
  }

  private QueryExecution execution() {
    return new QueryExecution(device, threads, QueryOptions.DEFAULT, new QueryMetrics());
  }

  private ChoiceResult point(ChoicePoint point, ExecContext context) {
    ChoiceData data = new ChoiceData(point, context);
    List<Candidate> candidates = new ArrayList<>();
    double most = device.traits().hostMemory() ? HOPELESS_CPU : HOPELESS;
    long rows = -1;
    double best = Double.MAX_VALUE;
    for (boolean buildLeft : new boolean[] {true, false}) {
      for (JoinAlgorithm algorithm : JoinBench.ALGORITHMS.values()) {
        Checked checked = checked(data, algorithm, buildLeft);
        if (rows < 0) {
          rows = checked.rows;
        }
        if (checked.wrong > 0 || checked.rows != rows) {
          errors.add(
              "%s, %s with %s built: %,d rows (%,d by the first), %,d wrong values"
                  .formatted(
                      point,
                      algorithm.shortName(),
                      buildLeft ? "R" : "S",
                      checked.rows,
                      rows,
                      checked.wrong));
        }
        boolean hopeless = checked.millis > Math.max(SHORT_MILLIS, most * best);
        double millis =
            hopeless ? checked.millis : timed(data.plan(algorithm, buildLeft), best);
        best = Math.min(best, millis);
        candidates.add(new Candidate(algorithm, buildLeft, millis));
      }
    }
    if (device.traits().hostMemory()) {
      // What slows a core down for a moment slows all runs of one candidate down: once more.
      for (int i = 0; i < candidates.size(); i++) {
        Candidate first = candidates.get(i);
        if (first.millis() <= AGAIN * best) {
          double again = timed(data.plan(first.algorithm(), first.buildLeft()), best);
          candidates.set(
              i,
              new Candidate(
                  first.algorithm(), first.buildLeft(), Math.min(again, first.millis())));
        }
      }
    }
    Built built = new Built(data.shape(true, rows), data.shape(false, rows));
    return new ChoiceResult(
        point.id(), built, (double) device.memory().limit() / QUERIES, candidates);
  }

  private record Checked(long rows, long wrong, double millis) {}

  private Checked checked(ChoiceData data, JoinAlgorithm algorithm, boolean buildLeft) {
    long[] counts = new long[2];
    try (QueryExecution query = execution()) {
      double millis =
          JoinQuery.run(
              query,
              data.plan(algorithm, buildLeft),
              clock,
              batch -> {
                counts[0] += batch.rows();
                counts[1] += query.work(context -> data.wrong(context, batch, buildLeft));
              });
      return new Checked(counts[0], counts[1], millis);
    }
  }

  private double timed(PhysicalPlan plan, double bestSoFar) {
    double enough = device.traits().hostMemory() ? LONG_MILLIS_CPU : LONG_MILLIS;
    double millis = Double.MAX_VALUE;
    for (int run = 0; run < runs; run++) {
      try (QueryExecution query = execution()) {
        millis = Math.min(millis, JoinQuery.run(query, plan, clock, batch -> {}));
      }
      if (millis > Math.min(enough, 1.5 * bestSoFar)) {
        break;
      }
    }
    return millis;
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
