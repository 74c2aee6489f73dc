package io.aragonite.adapter.table;

import com.sun.management.OperatingSystemMXBean;
import io.aragonite.adapter.format.TableFile;
import io.aragonite.adapter.format.TestUnpacking;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.NativeQueryMemory;
import io.aragonite.exec.memory.QueryMemory;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Times the reading of a file: decoding alone, and loading with statistics and dictionaries. Rates
 * are for a second of CPU, since other work on the machine does not count in them. {@code FileBench
 * file [threads [rounds]]}
 */
final class FileBench {
  private static final OperatingSystemMXBean SYSTEM =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

  private FileBench() {}

  public static void main(String[] args) throws Exception {
    Path path = Path.of(args[0]);
    int threads = args.length > 1 ? Integer.parseInt(args[1]) : 2;
    int rounds = args.length > 2 ? Integer.parseInt(args[2]) : 5;
    TableFormat format = TableFormat.of(path);
    if (format == null) {
      throw new IllegalArgumentException(path + " is of no known format");
    }
    double megabytes = Files.size(path) / 1e6;
    for (int round = 0; round < rounds; round++) {
      long start = System.nanoTime();
      long cpu = SYSTEM.getProcessCpuTime();
      long[] columnNanos;
      long parts;
      try (TableFile file = format.open(path, TestUnpacking.ANY)) {
        parts = file.parts().size();
        columnNanos = decode(file, threads);
      }
      double decode = (System.nanoTime() - start) / 1e9;
      double decodeCpu = (SYSTEM.getProcessCpuTime() - cpu) / 1e9;
      start = System.nanoTime();
      cpu = SYSTEM.getProcessCpuTime();
      MemoryBudget budget = new MemoryBudget("memory", 20L << 30);
      try (CachedTable table =
          new CachedTable(
              "t", path, format.open(path, TestUnpacking.ANY), budget, new LoadWorkers(threads))) {
        for (int c = 0; c < table.columnNames().size(); c++) {
          table.pin(List.of(c)).close();
        }
      }
      double load = (System.nanoTime() - start) / 1e9;
      double loadCpu = (SYSTEM.getProcessCpuTime() - cpu) / 1e9;
      System.out.printf(
          "%s, %d parts, %d threads: decode %.2f s (%.2f s of CPU, %.0f MB/s), load %.2f s (%.2f s"
              + " of CPU, %.0f MB/s)%n",
          path.getFileName(),
          parts,
          threads,
          decode,
          decodeCpu,
          megabytes / decodeCpu,
          load,
          loadCpu,
          megabytes / loadCpu);
      if (round == rounds - 1) {
        for (int c = 0; c < columnNanos.length; c++) {
          System.out.printf("  column %d: %.1f ms%n", c, columnNanos[c] / 1e6);
        }
      }
    }
  }

  private static long[] decode(TableFile file, int threads) {
    MemoryBudget budget = new MemoryBudget("memory", 20L << 30);
    LoadWorkers workers = new LoadWorkers(threads);
    long[] nanos = new long[file.columns().size()];
    for (int c = 0; c < nanos.length; c++) {
      int column = c;
      long start = System.nanoTime();
      try (QueryMemory memory = new NativeQueryMemory(budget, 0)) {
        workers.forEach(file.parts().size(), i -> file.parts().get(i).read(column, memory).close());
      }
      nanos[c] = System.nanoTime() - start;
    }
    return nanos;
  }
}
