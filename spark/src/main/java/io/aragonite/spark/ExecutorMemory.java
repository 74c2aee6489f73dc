package io.aragonite.spark;

import com.sun.management.OperatingSystemMXBean;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.lang.management.ManagementFactory;
import org.apache.spark.SparkConf;

/** The host memory of an executor's engine, by Spark's settings. */
final class ExecutorMemory {
  /** Bytes for the tasks of an executor together. */
  static final String MEMORY = "spark.aragonite.memory";

  private static final long MIB = 1 << 20;

  /** Below this no join of more than some rows runs without spilling. */
  private static final long LEAST = 64 * MIB;

  /** What of an executor's overhead the JVM itself, its threads and Netty need. */
  private static final long JVM = 256 * MIB;

  private static final int LOCAL_SHARE = 4;

  private ExecutorMemory() {}

  /**
   * What the settings give.
   *
   * @throws AragoniteException INVALID_PROPERTY, with the numbers, if that is too little to work
   */
  static long bytes(SparkConf conf) {
    if (conf.contains(MEMORY)) {
      long bytes = conf.getSizeAsBytes(MEMORY);
      return enough(bytes, "%s is %d MiB".formatted(MEMORY, bytes / MIB));
    }
    long offHeap = conf.getSizeAsBytes("spark.memory.offHeap.size", "0");
    if (conf.getBoolean("spark.memory.offHeap.enabled", false)) {
      return enough(
          offHeap / 2,
          "half of spark.memory.offHeap.size is %d MiB".formatted(offHeap / 2 / MIB));
    }
    if (conf.get("spark.master", "local").startsWith("local")
        && !conf.get("spark.master", "local").startsWith("local-cluster")) {
      OperatingSystemMXBean system =
          (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
      long share = system.getTotalMemorySize() / LOCAL_SHARE;
      return enough(share, "a quarter of this machine's memory is %d MiB".formatted(share / MIB));
    }
    long heap = conf.getSizeAsMb("spark.executor.memory", "1g") * MIB;
    double factor = conf.getDouble("spark.executor.memoryOverheadFactor", 0.1);
    long least = conf.getSizeAsMb("spark.executor.minMemoryOverhead", "384m") * MIB;
    long overhead =
        conf.contains("spark.executor.memoryOverhead")
            ? conf.getSizeAsMb("spark.executor.memoryOverhead") * MIB
            : Math.max((long) (factor * heap), least);
    return enough(
        overhead - JVM,
        "of spark.executor.memoryOverhead, %d MiB, %d MiB are left beside %d MiB for the JVM"
            .formatted(overhead / MIB, (overhead - JVM) / MIB, JVM / MIB));
  }

  private static long enough(long bytes, String what) {
    if (bytes < LEAST) {
      throw new AragoniteException(
          ErrorCode.INVALID_PROPERTY,
          "%s, but Aragonite needs %d MiB of memory outside the heap in an executor at least; raise it, or set %s."
              .formatted(what, LEAST / MIB, MEMORY));
    }
    return bytes;
  }
}
