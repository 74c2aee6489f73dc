package io.aragonite.bench.outofcore;

import io.aragonite.bench.data.CsvColumns;
import io.aragonite.exec.engine.Engine;
import io.aragonite.exec.runtime.QueryMetrics;
import io.aragonite.exec.runtime.QueryOptions;
import io.aragonite.exec.runtime.BatchResult;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.DeviceUsage;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.NativeQueryMemory;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.plan.AggregateCall;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.exec.plan.JoinType;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.type.DataType;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.LongFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Joins of R and S whose rows are in host memory and more than the device holds, as queries of the
 * engine, so that what is timed is what a user gets. Every run's answer is checked: the number of
 * rows and the sums of both payloads; of rows that come out some of each batch, and all of the
 * first run's.
 */
public final class OutOfCoreBench {
  /** What is measured. */
  public enum Case {
    /** R stays on the device, S streams through it, one row comes out. */
    PROBE,
    /** As PROBE, and as many bytes come out as S has. */
    OUTPUT,
    /** Neither side fits the device's budget. */
    JOIN,
    /** R and S of equal size, from half of the budget to eight times the budget, each run cold. */
    CURVE
  }

  /**
   * What was measured.
   *
   * @param input bytes of both sides' rows
   * @param output bytes of the rows that came out
   * @param budget bytes of the device's memory
   * @param seconds of the median run
   * @param usage of the device in that run
   * @param notes what its scans and joins noted
   * @param error what is wrong with the answer; null if nothing
   */
  public record OutOfCoreResult(
      Case what,
      long input,
      long output,
      long budget,
      double seconds,
      DeviceUsage usage,
      String notes,
      @Nullable String error) {
    /** Gigabytes of input a second. */
    public double inputRate() {
      return input / seconds / 1e9;
    }
  }

  /**
   * How large all is.
   *
   * @param probeBytes of S for PROBE and OUTPUT
   * @param buildRows of R for these
   * @param memory the device's budget for JOIN and CURVE; PROBE and OUTPUT have three quarters of S
   *     if that is more
   * @param sideBytes of each side for JOIN
   */
  public record Sizes(long probeBytes, long buildRows, long memory, long sideBytes) {}

  private static final DataType KEY = DataType.INT32;
  private static final DataType SUM = DataType.INT64.withNullable(true);

  /** Rows of a batch that are looked at one by one. */
  private static final int SAMPLES = 1000;

  private static final double[] TIMES = {0.5, 0.75, 1, 1.5, 2, 3, 4, 6, 8};

  private final LongFunction<Device> devices;
  private final JoinAlgorithm algorithm;
  private final int runs;
  private final PrintWriter out;

  /**
   * @param devices opens a device with a budget of so many bytes
   * @param algorithm what JOIN and CURVE ask for; what the device's memory does not hold is
   *     partitioned whatever it is, unless it sorts in host memory
   * @param runs timed runs after one that warms up, whose median counts
   */
  public OutOfCoreBench(
      LongFunction<Device> devices, JoinAlgorithm algorithm, int runs, PrintWriter out) {
    this.devices = devices;
    this.algorithm = algorithm;
    this.runs = runs;
    this.out = out;
  }

  /** Runs cases, a line each. */
  public List<OutOfCoreResult> run(List<Case> cases, Sizes sizes) {
    List<OutOfCoreResult> results = new ArrayList<>();
    List<Case> streams =
        cases.stream().filter(c -> c == Case.PROBE || c == Case.OUTPUT).distinct().toList();
    if (!streams.isEmpty()) {
      results.addAll(streamed(streams, sizes));
    }
    if (cases.contains(Case.JOIN) || cases.contains(Case.CURVE)) {
      Device device = devices.apply(sizes.memory);
      try (Engine engine = new Engine(device)) {
        if (cases.contains(Case.JOIN)) {
          results.add(sides(Case.JOIN, engine, 2 * sizes.sideBytes, runs));
        }
        for (double times : cases.contains(Case.CURVE) ? TIMES : new double[0]) {
          results.add(sides(Case.CURVE, engine, (long) (times * sizes.memory), 1));
        }
      }
    }
    return results;
  }

  private List<OutOfCoreResult> streamed(List<Case> cases, Sizes sizes) {
    long rows = sizes.probeBytes / StreamTable.ROW_BYTES;
    List<OutOfCoreResult> results = new ArrayList<>();
    // So much that R stays and S does not.
    Device device = devices.apply(Math.max(sizes.memory, sizes.probeBytes / 4 * 3));
    try (Engine engine = new Engine(device);
        QueryMemory data = memory(device, sizes.probeBytes + 16 * sizes.buildRows)) {
      long begin = System.nanoTime();
      StreamTable build = StreamTable.build(sizes.buildRows, data);
      StreamTable probe = StreamTable.probe(rows, sizes.buildRows, data);
      made(begin, build, probe);
      for (Case what : cases) {
        results.add(run(what, engine, build, probe, runs, false));
      }
    }
    return results;
  }

  private OutOfCoreResult sides(Case what, Engine engine, long input, int times) {
    long rows = input / 2 / StreamTable.ROW_BYTES;
    try (QueryMemory data = memory(engine.device(), input)) {
      long begin = System.nanoTime();
      StreamTable build = StreamTable.build(rows, data);
      StreamTable probe = StreamTable.probe(rows, rows, data);
      made(begin, build, probe);
      return run(what, engine, build, probe, times, true);
    }
  }

  /** Host memory for tables: page-locked where the device is a GPU, beside the budget on a CPU. */
  private static QueryMemory memory(Device device, long bytes) {
    return device.traits().hostMemory()
        ? new NativeQueryMemory(new MemoryBudget("data", 2 * bytes + (64 << 20)), 0)
        : device.newHostMemory(0);
  }

  private void made(long begin, StreamTable build, StreamTable probe) {
    out.printf(
        Locale.ROOT,
        "R %.3g GB, S %.3g GB in host memory, made in %.1f s%n",
        build.bytes() / 1e9,
        probe.bytes() / 1e9,
        (System.nanoTime() - begin) / 1e9);
    out.flush();
  }

  /** A run's time, and what it left. */
  private record Timed(double seconds, DeviceUsage usage, String notes) {}

  private OutOfCoreResult run(
      Case what, Engine engine, StreamTable build, StreamTable probe, int times, boolean cold) {
    String error = null;
    List<Timed> timed = new ArrayList<>();
    for (int run = 0; run <= times && error == null; run++) {
      StreamTable r = cold ? build.again() : build;
      StreamTable s = cold ? probe.again() : probe;
      PhysicalPlan plan = plan(what, r, s);
      long begin = System.nanoTime();
      QueryMetrics metrics;
      try (BatchResult result = engine.execute(plan, QueryOptions.DEFAULT)) {
        metrics = result.metrics();
        error = what == Case.OUTPUT ? checkRows(result, r, s, run == 0) : checkSums(result, s);
      }
      double seconds = (System.nanoTime() - begin) / 1e9;
      if (run == 0) {
        out.printf(Locale.ROOT, "%-6s first run, which warms up: %.3f s%n", what, seconds);
        out.flush();
      } else {
        timed.add(new Timed(seconds, metrics.usage(), notes(plan, metrics)));
      }
    }
    timed.sort(Comparator.comparingDouble(Timed::seconds));
    Timed median =
        timed.isEmpty() ? new Timed(Double.NaN, DeviceUsage.NONE, "") : timed.get(timed.size() / 2);
    OutOfCoreResult result =
        new OutOfCoreResult(
            what,
            build.bytes() + probe.bytes(),
            what == Case.OUTPUT ? probe.bytes() : 24,
            engine.device().memory().limit(),
            median.seconds,
            median.usage,
            median.notes,
            error);
    print(result, probe);
    return result;
  }

  private PhysicalPlan plan(Case what, StreamTable build, StreamTable probe) {
    List<Integer> both = List.of(0, 1);
    PhysicalPlan join =
        new PhysicalPlan.Join(
            new PhysicalPlan.Scan(probe, both, List.of(KEY, KEY)),
            new PhysicalPlan.Scan(build, both, List.of(KEY, KEY)),
            JoinType.INNER,
            List.of(new PhysicalPlan.JoinKey(0, 0, false)),
            null,
            what == Case.JOIN || what == Case.CURVE
                ? algorithm
                : JoinAlgorithm.NON_PARTITIONED_HASH,
            false,
            List.of(KEY, KEY, KEY, KEY));
    PhysicalPlan payloads =
        new PhysicalPlan.Project(join, List.of(Expr.ref(1, KEY), Expr.ref(3, KEY)));
    if (what == Case.OUTPUT) {
      return payloads;
    }
    return new PhysicalPlan.Aggregate(
        payloads,
        List.of(),
        List.of(List.of()),
        List.of(
            AggregateCall.of(AggregateFunction.COUNT, DataType.INT64),
            AggregateCall.of(AggregateFunction.SUM, SUM, 0),
            AggregateCall.of(AggregateFunction.SUM, SUM, 1)),
        false,
        List.of(DataType.INT64, SUM, SUM));
  }

  private static @Nullable String checkSums(BatchResult result, StreamTable probe) {
    ColumnBatch row = result.next();
    if (row == null || row.rows() != 1) {
      return "there is not one row of sums";
    }
    long[] values = new long[3];
    for (int c = 0; c < values.length; c++) {
      values[c] = Mem.getLong(row.column(c).values().address());
    }
    if (result.next() != null) {
      return "there is more than one row of sums";
    }
    return checked(values[0], values[1], values[2], probe);
  }

  private static @Nullable String checked(
      long rows, long payloads, long partners, StreamTable probe) {
    if (rows != probe.rows()) {
      return "%,d rows were joined, not %,d".formatted(rows, probe.rows());
    }
    return payloads == probe.payloads() && partners == probe.partners()
        ? null
        : "the sums of the payloads are wrong";
  }

  private static @Nullable String checkRows(
      BatchResult result, StreamTable build, StreamTable probe, boolean all) {
    long rows = 0;
    long payloads = 0;
    long partners = 0;
    for (ColumnBatch batch = result.next(); batch != null; batch = result.next()) {
      long own = batch.column(0).values().address();
      long other = batch.column(1).values().address();
      rows += batch.rows();
      int step = Math.max(1, batch.rows() / SAMPLES);
      for (int i = 0; i < batch.rows(); i += step) {
        int payload = Mem.getInt(own + 4L * i);
        if (Mem.getInt(other + 4L * i) != StreamTable.expected(payload, build.rows())) {
          return "a row has the payload of another";
        }
      }
      if (all) {
        payloads += sum(own, batch.rows());
        partners += sum(other, batch.rows());
      }
    }
    return all
        ? checked(rows, payloads, partners, probe)
        : checked(rows, probe.payloads(), probe.partners(), probe);
  }

  private static long sum(long address, int count) {
    int task = 1 << 20;
    return IntStream.range(0, (count + task - 1) / task)
        .parallel()
        .mapToLong(t -> {
          long sum = 0;
          for (int i = t * task; i < Math.min(count, (t + 1) * task); i++) {
            sum += Mem.getInt(address + 4L * i);
          }
          return sum;
        })
        .sum();
  }

  private static String notes(PhysicalPlan plan, QueryMetrics metrics) {
    StringBuilder text = new StringBuilder();
    QueryMetrics.NodeMetrics node = metrics.node(plan);
    if (!node.note.isEmpty()) {
      text.append("; ").append(node.note);
    }
    for (String figure :
        List.of(
            "partitions",
            "passes",
            "parts joined by partitions",
            "partitions with packed keys",
            "spilled to host memory, bytes")) {
      Long value = node.figures.get(figure);
      if (value != null) {
        text.append(String.format(Locale.ROOT, "; %s %,d", figure, value));
      }
    }
    plan.inputs().forEach(input -> text.append(notes(input, metrics)));
    return text.toString();
  }

  private void print(OutOfCoreResult r, StreamTable probe) {
    out.printf(
        Locale.ROOT,
        "%-6s input %.3g GB, budget %.3g GB: %.3f s, %.1f GB/s of input%s; bus: %.3g GB in, %.3g GB"
            + " out%s%s%n",
        r.what,
        r.input / 1e9,
        r.budget / 1e9,
        r.seconds,
        r.inputRate(),
        r.what == Case.OUTPUT
            ? String.format(Locale.ROOT, ", %.1f GB/s of output", r.output / r.seconds / 1e9)
            : "",
        r.usage.toDeviceBytes() / 1e9,
        r.usage.toHostBytes() / 1e9,
        r.notes,
        r.error == null ? "" : "; WRONG: " + r.error);
    out.flush();
  }

  private static final CsvColumns<OutOfCoreResult> COLUMNS =
      new CsvColumns<OutOfCoreResult>()
          .add("case", OutOfCoreResult::what)
          .add("inputBytes", OutOfCoreResult::input)
          .add("outputBytes", OutOfCoreResult::output)
          .add("budgetBytes", OutOfCoreResult::budget)
          .add("seconds", "%.6f", OutOfCoreResult::seconds)
          .add("inputGBs", "%.3f", OutOfCoreResult::inputRate)
          .add("busInBytes", r -> r.usage.toDeviceBytes())
          .add("busOutBytes", r -> r.usage.toHostBytes())
          .add("kernels", r -> r.usage.kernels())
          .add("right", r -> r.error == null);

  /** Results as CSV, with a line of names. */
  public static String csv(List<OutOfCoreResult> results) {
    return COLUMNS.text(results);
  }

  /**
   * The largest step of the curve: by how much time a byte grows from one point to the next (1.5 is
   * what it may be).
   */
  public static double largestStep(List<OutOfCoreResult> results) {
    double largest = 0;
    @Nullable OutOfCoreResult last = null;
    for (OutOfCoreResult r : results) {
      if (r.what == Case.CURVE) {
        if (last != null) {
          largest = Math.max(largest, last.inputRate() / r.inputRate());
        }
        last = r;
      }
    }
    return largest;
  }

  /** The curve of time over input size, drawn; the line is the trend through its last point. */
  public static String svg(List<OutOfCoreResult> results, String title) {
    List<OutOfCoreResult> curve = results.stream().filter(r -> r.what == Case.CURVE).toList();
    double most = curve.stream().mapToDouble(r -> (double) r.input / r.budget).max().orElse(1);
    double slowest = curve.stream().mapToDouble(OutOfCoreResult::seconds).max().orElse(1);
    StringBuilder body = new StringBuilder();
    StringBuilder path = new StringBuilder();
    for (OutOfCoreResult r : curve) {
      double x = 60 + 500 * r.input / r.budget / most;
      double y = 300 - 250 * r.seconds / slowest;
      path.append(String.format(Locale.ROOT, "%s%.1f,%.1f", path.isEmpty() ? "" : " ", x, y));
      body.append(
          String.format(
              Locale.ROOT,
              "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"#1f6f8b\"/>"
                  + "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%.3g s</text>%n"
                  + "<text x=\"%.1f\" y=\"316\" text-anchor=\"middle\">%.3g</text>%n",
              x,
              y,
              x,
              y - 8,
              r.seconds,
              x,
              (double) r.input / r.budget));
    }
    return """
    <svg xmlns="http://www.w3.org/2000/svg" width="600" height="350" font-family="sans-serif" \
    font-size="10">
    <rect width="600" height="350" fill="white"/>
    <text x="60" y="20" font-size="12">%s</text>
    <line x1="60" y1="300" x2="560" y2="300" stroke="#999"/>
    <line x1="60" y1="300" x2="560" y2="50" stroke="#ccc" stroke-dasharray="4"/>
    <polyline points="%s" fill="none" stroke="#1f6f8b"/>
    %s<text x="310" y="335" text-anchor="middle">input over the device's budget</text>
    </svg>
    """
        .formatted(title, path, body);
  }
}
