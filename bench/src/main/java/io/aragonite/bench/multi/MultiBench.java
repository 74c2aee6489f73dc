package io.aragonite.bench.multi;

import io.aragonite.bench.data.CsvColumns;
import io.aragonite.exec.engine.Engine;
import io.aragonite.exec.runtime.QueryMetrics;
import io.aragonite.exec.runtime.QueryOptions;
import io.aragonite.exec.runtime.BatchResult;
import io.aragonite.bench.multi.Timeline.Line;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.device.Device;
import io.aragonite.exec.engine.LinkCalibration;
import io.aragonite.exec.group.DeviceGroup;
import io.aragonite.exec.group.DeviceGroup.InPlace;
import io.aragonite.exec.group.DeviceGroup.DeviceShare;
import io.aragonite.exec.collective.Rank.TimeSpan;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.execution.QueryExecution;
import io.aragonite.exec.plan.JoinAlgorithm;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;

/**
 * Several devices: how quickly they copy from each other, and joins of R and S of so many rows a
 * device, which are spread over the devices before and whose wide result stays on them.
 */
public final class MultiBench implements AutoCloseable {
  /**
   * What was measured.
   *
   * @param devices how many
   * @param millis median
   * @param rate GB/s of copies, million rows a second of joins
   * @param right whether the answer was checked and right
   */
  public record MultiResult(String name, int devices, double millis, double rate, boolean right) {}

  private final List<Device> devices;
  private final int runs;
  private final PrintWriter out;
  private final List<MultiResult> results = new ArrayList<>();
  private final Map<String, List<Line>> timelines = new LinkedHashMap<>();
  private final ExecutorService threads =
      Executors.newCachedThreadPool(Thread.ofPlatform().daemon().factory());

  /**
   * @param devices stay the caller's
   * @param runs timed runs, of which the median counts
   */
  public MultiBench(List<Device> devices, int runs, PrintWriter out) {
    this.devices = devices;
    this.runs = runs;
    this.out = out;
  }

  public List<MultiResult> results() {
    return results;
  }

  private QueryExecution execution(Device device) {
    return new QueryExecution(device, threads, QueryOptions.DEFAULT, new QueryMetrics());
  }

  private void add(MultiResult result, String rate) {
    results.add(result);
    out.printf(
        Locale.ROOT,
        "%-34s %d devices %9.2f ms %8.1f %s%s%n",
        result.name(),
        result.devices(),
        result.millis(),
        result.rate(),
        rate,
        result.right() ? "" : "  WRONG");
    out.flush();
  }

  private static double median(double[] times) {
    Arrays.sort(times);
    return times[times.length / 2];
  }

  /**
   * Copies between each two devices, then of all at once.
   *
   * @return bytes a nanosecond to a device, from another; through the host's memory where it is not
   *     reached
   */
  public double[][] copies(long bytes) {
    return new LinkCalibration(devices, runs, threads)
        .measure(
            bytes,
            copy ->
                add(
                    new MultiResult(
                        copy.name(), copy.devices(), copy.millis(), copy.rate(), copy.right()),
                    "GB/s"));
  }

  /**
   * The wide join of 2^{@code log2} with as many rows a device, on the first 1, 2, 4 and all.
   *
   * @param zipf how uneven the keys of S are; 0: not at all; infinite: one key only
   */
  public void joins(int log2, double zipf, List<JoinAlgorithm> algorithms) {
    double[] single = new double[algorithms.size()];
    for (int count = 1; count <= devices.size(); count *= 2) {
      DeviceGroup group = new DeviceGroup(devices.subList(0, count), true);
      Engine engine = new Engine(group);
      Device host = devices.getFirst().host();
      try (QueryExecution inputs = execution(host)) {
        long rows = (long) count << log2;
        MultiData data = inputs.work(context -> new MultiData(context, rows, zipf));
        for (int a = 0; a < algorithms.size(); a++) {
          JoinAlgorithm algorithm = algorithms.get(a);
          boolean right = data.expected().equals(row(engine, data, algorithm));
          double[] times = new double[runs];
          boolean complete = true;
          InPlace plan = group.inPlace(data.join(algorithm));
          List<DeviceShare> last = List.of();
          List<Line> lines = List.of();
          // The last run is for the picture: its streams' clocks are read, which takes time.
          for (int run = -1; run <= runs; run++) {
            boolean drawn = run == runs;
            long start = System.nanoTime();
            List<DeviceShare> joined = group.collect(threads, plan, drawn);
            long end = System.nanoTime();
            complete &= joined.stream().mapToLong(DeviceShare::rows).sum() == rows;
            if (drawn) {
              lines = lines(new TimeSpan("all", start, end), joined);
            } else {
              times[Math.max(0, run)] = (end - start) / 1e6;
              last = joined;
            }
          }
          double millis = median(times);
          double rate = 2 * rows / millis / 1e3;
          single[a] = count == 1 ? rate : single[a];
          String name = "2^%d rows a device, zipf %s, %s".formatted(log2, zipf, algorithm.label());
          add(
              new MultiResult(name, count, millis, rate, right && complete),
              String.format(Locale.ROOT, "M rows/s, %.2f times one device's", rate / single[a]));
          out.println("    of the last run, by device, ms: " + spent(last));
          timelines.put(name + " on " + count, lines);
        }
      }
    }
  }

  /** What the time of each device went into. */
  private static String spent(List<DeviceShare> parts) {
    List<String> texts = new ArrayList<>();
    for (DeviceShare part : parts) {
      Map<String, Double> sums = new TreeMap<>();
      part.spans().forEach(s -> sums.merge(s.what(), (s.to() - s.from()) / 1e6, Double::sum));
      texts.add(
          sums.entrySet().stream()
              .map(e -> String.format(Locale.ROOT, "%s %.2f", e.getKey(), e.getValue()))
              .collect(Collectors.joining(" ")));
    }
    return String.join(" | ", texts);
  }

  private static List<Line> lines(TimeSpan all, List<DeviceShare> parts) {
    List<Line> lines = new ArrayList<>();
    lines.add(new Line("all", List.of(all)));
    for (int i = 0; i < parts.size(); i++) {
      lines.addAll(Timeline.lines(i, parts.get(i).spans(), parts.get(i).stretches()));
    }
    return lines;
  }

  /** What devices and their streams did when, by file: as pictures, and to read. */
  public Map<String, String> pictures() {
    Map<String, String> pictures = new TreeMap<>();
    timelines.forEach((name, lines) -> {
      String file = name.replaceAll("[^A-Za-z0-9]+", "-");
      pictures.put(file + ".svg", Timeline.svg(name, lines));
      pictures.put(file + ".txt", Timeline.text(lines));
    });
    return pictures;
  }

  private static List<Long> row(Engine engine, MultiData data, JoinAlgorithm algorithm) {
    List<Long> row = new ArrayList<>();
    try (BatchResult result = engine.execute(data.check(algorithm), QueryOptions.DEFAULT)) {
      ColumnBatch batch = result.next();
      if (batch != null && batch.rows() == 1) {
        for (Column column : batch.columns()) {
          row.add(Mem.getLong(column.values().address()));
        }
      }
    }
    return row;
  }

  private static final CsvColumns<MultiResult> COLUMNS =
      new CsvColumns<MultiResult>()
          .add("name", MultiResult::name)
          .add("devices", MultiResult::devices)
          .add("millis", "%.3f", MultiResult::millis)
          .add("rate", "%.2f", MultiResult::rate)
          .add("right", MultiResult::right);

  /** The figures as CSV, with a line of names. */
  public static String csv(List<MultiResult> results) {
    return COLUMNS.text(results);
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
