package io.aragonite.adapter.format;

import com.sun.management.OperatingSystemMXBean;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.tpch.ProgressListener;
import io.aragonite.tpch.TpchData;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Times the loading of TPC-H tables, in processor time (of the process; with one thread of that
 * one), which others on the machine hardly change: {@code LoadBench [scale [threads [rounds]]]}.
 * With {@code -Daragonite.statistics=off} what statistics take is left out; sketches of the columns
 * that TPC-H joins by, which are made when a plan first needs them, are timed by themselves. The
 * quickest round counts.
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

  public static void main(String[] args) throws Exception {
    double scale = args.length > 0 ? Double.parseDouble(args[0]) : 1;
    int threads = args.length > 1 ? Integer.parseInt(args[1]) : 2;
    int rounds = args.length > 2 ? Integer.parseInt(args[2]) : 5;
    Path directory =
        TpchData.ensure(scale, TpchData.defaultCacheRoot(), threads, ProgressListener.NONE);
    double bestLoad = Double.MAX_VALUE;
    double bestSketches = Double.MAX_VALUE;
    Map<String, Double> columns = new TreeMap<>();
    for (int round = 0; round < rounds; round++) {
      MemoryBudget budget = new MemoryBudget("memory", 20L << 30);
      try (TableCatalog catalog = TableCatalog.open(directory, budget, threads)) {
        double start = cpuMillis(threads);
        for (CachedTable table : catalog.tables().values()) {
          for (int c = 0; c < table.columnNames().size(); c++) {
            double before = cpuMillis(threads);
            table.pin(List.of(c)).close();
            columns.merge(
                table.name() + "." + table.columnNames().get(c),
                cpuMillis(threads) - before,
                Math::min);
          }
        }
        double loaded = cpuMillis(threads);
        for (CachedTable table : catalog.tables().values()) {
          for (List<String> key : KEYS.getOrDefault(table.name(), List.of())) {
            table.keySketch(key.stream().map(table.columnNames()::indexOf).toList());
          }
        }
        bestLoad = Math.min(bestLoad, loaded - start);
        bestSketches = Math.min(bestSketches, cpuMillis(threads) - loaded);
        System.out.printf(
            "round %d: load %.0f ms, sketches %.0f ms of processors, %.2f GB%n",
            round, loaded - start, cpuMillis(threads) - loaded, budget.used() / 1e9);
      }
    }
    columns.forEach((name, millis) -> System.out.printf("%-26s %8.2f ms%n", name, millis));
    System.out.printf(
        "statistics %s: load %.0f ms (sum of the columns' quickest %.0f), sketches of join keys"
            + " %.0f ms of processors%n",
        PartScan.STATISTICS ? "on" : "off",
        bestLoad,
        columns.values().stream().mapToDouble(Double::doubleValue).sum(),
        bestSketches);
  }
}
