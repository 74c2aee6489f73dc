package io.aragonite.adapter.table;

import com.sun.management.OperatingSystemMXBean;
import io.aragonite.adapter.format.TestUnpacking;
import io.aragonite.dataset.DatasetCache;
import io.aragonite.dataset.ProgressListener;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.tpch.TpchData;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Times the loading of TPC-H tables, in processor time (of the process; with one thread of that
 * one), which others on the machine hardly change: {@code LoadBench [scale [threads [rounds]]]}.
 * Each column is loaded with and without its statistics, by turns; the quickest of each counts.
 * Sketches of the columns that TPC-H joins by, which are made when a plan first needs them, are
 * timed by themselves.
 */
final class LoadBench {
  private static final Map<String, List<List<String>>> KEYS =
      Map.of(
          "lineitem",
          List.of(
              List.of("l_orderkey"),
              List.of("l_partkey"),
              List.of("l_suppkey"),
              List.of("l_partkey", "l_suppkey")),
          "orders",
          List.of(List.of("o_orderkey"), List.of("o_custkey")),
          "customer",
          List.of(List.of("c_custkey"), List.of("c_nationkey")),
          "supplier",
          List.of(List.of("s_suppkey"), List.of("s_nationkey")),
          "part",
          List.of(List.of("p_partkey")),
          "partsupp",
          List.of(
              List.of("ps_partkey"), List.of("ps_suppkey"), List.of("ps_partkey", "ps_suppkey")),
          "nation",
          List.of(List.of("n_nationkey"), List.of("n_regionkey")),
          "region",
          List.of(List.of("r_regionkey")));

  private LoadBench() {}

  /** A single thread's time is known to the nanosecond, a process's to ten milliseconds. */
  private static double cpuMillis(int threads) {
    return (threads == 1
            ? ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime()
            : ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                .getProcessCpuTime())
        / 1e6;
  }

  private static Map<String, CachedTable> tables(
      Path directory, MemoryBudget budget, int threads, boolean counts) throws IOException {
    Map<String, CachedTable> tables = new TreeMap<>();
    try (Stream<Path> files = Files.list(directory)) {
      for (Path path : files.toList()) {
        TableFormat format = TableFormat.of(path);
        if (format != null) {
          String name = TableFormat.tableName(path);
          tables.put(
              name,
              new CachedTable(
                  name,
                  new FileStamp(path),
                  format.open(path, TestUnpacking.ANY),
                  budget,
                  new LoadWorkers(threads),
                  counts,
                  null));
        }
      }
    }
    return tables;
  }

  public static void main(String[] args) throws Exception {
    double scale = args.length > 0 ? Double.parseDouble(args[0]) : 1;
    int threads = args.length > 1 ? Integer.parseInt(args[1]) : 2;
    int rounds = args.length > 2 ? Integer.parseInt(args[2]) : 5;
    Path directory =
        TpchData.ensure(scale, DatasetCache.defaultRoot(), threads, ProgressListener.NONE);
    double sketches = Double.MAX_VALUE;
    Map<String, double[]> columns = new TreeMap<>();
    for (int round = 0; round < rounds; round++) {
      MemoryBudget budget = new MemoryBudget("memory", 20L << 30);
      double[] sums = new double[2];
      Map<String, CachedTable> with = tables(directory, budget, threads, true);
      Map<String, CachedTable> without = tables(directory, budget, threads, false);
      try {
        for (String name : with.keySet()) {
          for (int c = 0; c < with.get(name).columnNames().size(); c++) {
            for (int turn = round; turn < round + 2; turn++) {
              CachedTable table = (turn % 2 == 0 ? with : without).get(name);
              double before = cpuMillis(threads);
              table.pin(List.of(c)).close();
              double time = cpuMillis(threads) - before;
              int which = turn % 2;
              sums[which] += time;
              double[] best =
                  columns.computeIfAbsent(
                      name + "." + table.columnNames().get(c),
                      any -> new double[] {Double.MAX_VALUE, Double.MAX_VALUE});
              best[which] = Math.min(best[which], time);
            }
          }
        }
        double loaded = cpuMillis(threads);
        for (CachedTable table : with.values()) {
          for (List<String> key : KEYS.getOrDefault(table.name(), List.of())) {
            table.statistics().sketch(key.stream().map(table.columnNames()::indexOf).toList());
          }
        }
        double took = cpuMillis(threads) - loaded;
        sketches = Math.min(sketches, took);
        System.out.printf(
            "round %d: with statistics %.0f ms, without %.0f, sketches %.0f ms of processors%n",
            round, sums[0], sums[1], took);
      } finally {
        with.values().forEach(CachedTable::close);
        without.values().forEach(CachedTable::close);
      }
    }
    double[] sums = new double[2];
    columns.forEach((name, best) -> {
      System.out.printf(
          "%-26s %8.2f ms, without %8.2f, %6.2f more%n", name, best[0], best[1], best[0] - best[1]);
      sums[0] += best[0];
      sums[1] += best[1];
    });
    System.out.printf(
        "all columns %.0f ms, without statistics %.0f: they take %.1f %% of a load; sketches of"
            + " join keys %.0f ms of processors%n",
        sums[0], sums[1], 100 * (1 - sums[1] / sums[0]), sketches);
  }
}
