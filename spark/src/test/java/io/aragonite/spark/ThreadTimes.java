package io.aragonite.spark;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.HashMap;
import java.util.Map;

/**
 * The processor time of this process's threads but the JVM's own: in a local Spark its tasks,
 * planning, broadcasts and listeners. Of threads that have ended nothing is known.
 */
final class ThreadTimes {
  private static final double NANOS = 1e6;

  private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
  private Map<Long, Long> before = Map.of();

  /** Counts what comes now. */
  void reset() {
    before = nanos();
  }

  private Map<Long, Long> nanos() {
    Map<Long, Long> nanos = new HashMap<>();
    for (long id : threads.getAllThreadIds()) {
      nanos.put(id, Math.max(0, threads.getThreadCpuTime(id)));
    }
    return nanos;
  }

  /** Milliseconds since then. */
  double processor() {
    long sum = 0;
    for (Map.Entry<Long, Long> thread : nanos().entrySet()) {
      sum += Math.max(0, thread.getValue() - before.getOrDefault(thread.getKey(), 0L));
    }
    return sum / NANOS;
  }
}
