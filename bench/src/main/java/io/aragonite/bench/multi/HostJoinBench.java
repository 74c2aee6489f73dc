package io.aragonite.bench.multi;

import io.aragonite.bench.multi.MultiBench.MultiResult;
import io.aragonite.exec.device.Device;
import io.aragonite.exec.engine.Engine;
import io.aragonite.exec.runtime.BatchResult;
import io.aragonite.exec.execution.QueryExecution;
import io.aragonite.exec.group.DeviceGroup;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.runtime.QueryMetrics;
import io.aragonite.exec.runtime.QueryOptions;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Queries over joins of tables in host memory that no device has seen, on 1, 2, 4 and all devices:
 * from the tables, in page-locked memory where devices have such, to the row of the answer.
 */
public final class HostJoinBench implements AutoCloseable {
  private final List<Device> devices;
  private final int runs;
  private final PrintWriter out;
  private final List<MultiResult> results = new ArrayList<>();
  private final QueryExecution inputs;
  private final ExecutorService threads =
      Executors.newCachedThreadPool(Thread.ofPlatform().daemon().factory());

  /**
   * @param devices stay the caller's
   * @param runs timed runs, of which the median counts
   */
  public HostJoinBench(List<Device> devices, int runs, PrintWriter out) {
    this.devices = devices;
    this.runs = runs;
    this.out = out;
    this.inputs =
        new QueryExecution(devices.getFirst(), threads, QueryOptions.DEFAULT, new QueryMetrics());
  }

  public List<MultiResult> results() {
    return results;
  }

  /**
   * Joins.
   *
   * @param log2 2 to this power are the rows of each side
   * @param width of keys and payload: 4 or 8 bytes
   * @param zipf how uneven the keys of S are; 0: not at all; infinite: one key only
   * @param sorted whether both sides lie in the order of their keys
   * @param counts of devices
   */
  public void joins(
      int log2,
      int width,
      double zipf,
      boolean sorted,
      List<Integer> counts,
      List<JoinAlgorithm> algorithms) {
    try (HostJoinData data = new HostJoinData(inputs.hostMemory(), log2, width, zipf, sorted)) {
      for (int count : counts) {
        List<Device> some = devices.subList(0, count);
        printBuses(some, data);
        // The engine closes none of the devices: they stay the caller's.
        Engine engine = new Engine(new DeviceGroup(some, true));
        for (JoinAlgorithm algorithm : algorithms) {
          String name =
              "tables in host memory, 2^%d rows, %d+%d bytes, zipf %s%s, %s"
                  .formatted(
                      log2, width, width, zipf, sorted ? ", sorted" : "", algorithm.label());
          run(name, engine, count, data, algorithm);
        }
      }
    }
  }

  private void printBuses(List<Device> some, HostJoinData data) {
    BusRates rates = BusRates.of(some, threads, data.buffers().get(0), data.buffers().get(2));
    out.printf(
        Locale.ROOT,
        "buses of %d devices, GB/s: in %.1f, out %.1f, both ways %.1f each%n",
        some.size(),
        rates.in(),
        rates.out(),
        rates.bothIn());
  }

  private void run(
      String name, Engine engine, int count, HostJoinData data, JoinAlgorithm algorithm) {
    double[] times = new double[runs];
    boolean right = true;
    String note = "";
    for (int run = -1; run < runs; run++) {
      PhysicalPlan plan = data.query(algorithm);
      long start = System.nanoTime();
      try (BatchResult result = engine.execute(plan, QueryOptions.DEFAULT)) {
        List<Long> row = row(result);
        times[Math.max(0, run)] = (System.nanoTime() - start) / 1e6;
        right &= row.equals(data.expected());
        note = notes(plan, result.metrics());
      }
    }
    Arrays.sort(times);
    double millis = times[runs / 2];
    MultiResult result = new MultiResult(name, count, millis, 2 * data.rows() / millis / 1e3, right);
    results.add(result);
    out.printf(
        Locale.ROOT,
        "%-62s %d devices %9.2f ms (%.2f to %.2f) %8.1f M rows/s, %.1f GB/s of input%s%n    %s%n",
        name,
        count,
        millis,
        times[0],
        times[runs - 1],
        result.rate(),
        data.bytes() / millis / 1e6,
        right ? "" : "  WRONG",
        note);
    out.flush();
  }

  private static List<Long> row(BatchResult result) {
    List<Long> row = new ArrayList<>();
    ColumnBatch batch = result.next();
    if (batch != null && batch.rows() == 1) {
      for (Column column : batch.columns()) {
        row.add(Mem.getLong(column.values().address()));
      }
    }
    return row;
  }

  /** What the plan's nodes say of how they were run. */
  private static String notes(PhysicalPlan plan, QueryMetrics metrics) {
    StringBuilder text = new StringBuilder(metrics.node(plan).note);
    for (PhysicalPlan input : plan.inputs()) {
      String more = notes(input, metrics);
      text.append(text.isEmpty() || more.isEmpty() ? "" : "; ").append(more);
    }
    return text.toString();
  }

  @Override
  public void close() {
    inputs.close();
    threads.shutdownNow();
  }
}
