package io.aragonite.adapter.format;

import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.tpch.ProgressListener;
import io.aragonite.tpch.TpchData;
import java.nio.file.Path;
import java.util.List;

/** Times the loading of TPC-H tables, column by column: {@code LoadBench [scale [threads]]}. */
final class LoadBench {
  private LoadBench() {}

  public static void main(String[] args) throws Exception {
    double scale = args.length > 0 ? Double.parseDouble(args[0]) : 1;
    int threads = args.length > 1 ? Integer.parseInt(args[1]) : 2;
    Path directory =
        TpchData.ensure(scale, TpchData.defaultCacheRoot(), threads, ProgressListener.NONE);
    for (int round = 0; round < 2; round++) {
      MemoryBudget budget = new MemoryBudget("memory", 20L << 30);
      long start = System.nanoTime();
      try (TableCatalog catalog = TableCatalog.open(directory, budget, threads)) {
        for (CachedTable table : catalog.tables().values()) {
          for (int c = 0; c < table.columnNames().size(); c++) {
            long before = System.nanoTime();
            table.pin(List.of(c)).close();
            System.out.printf(
                "%-10s %-16s %6.1f ms %s %s%n",
                table.name(),
                table.columnNames().get(c),
                (System.nanoTime() - before) / 1e6,
                table.pin(List.of(c)).shapes().getFirst().storage(),
                table.statistics(c));
          }
        }
        System.out.printf(
            "total %.2f s, %.2f GB%n", (System.nanoTime() - start) / 1e9, budget.used() / 1e9);
      }
    }
  }
}
