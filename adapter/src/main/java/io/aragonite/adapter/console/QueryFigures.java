package io.aragonite.adapter.console;

import io.aragonite.exec.runtime.QueryMetrics;
import io.aragonite.rules.runtime.GpuQuery;
import java.util.Map;

/**
 * What a run has used, as the engine counts it.
 *
 * @param device where it runs; empty if nothing of it does
 * @param memoryBytes that it holds now
 * @param peakMemoryBytes the most that it held
 * @param spilledBytes that it has written to spill files
 */
record QueryFigures(String device, long memoryBytes, long peakMemoryBytes, long spilledBytes) {
  static final QueryFigures NONE = new QueryFigures("", 0, 0, 0);

  /** Loops, not streams: each query pays for this at its end. */
  static QueryFigures of(Map<GpuQuery, QueryMetrics> counted) {
    if (counted.isEmpty()) {
      return NONE;
    }
    String device = "";
    long memory = 0;
    long peak = 0;
    long spilled = 0;
    for (QueryMetrics metrics : counted.values()) {
      String next = metrics.device();
      if (!device.contains(next)) {
        device = device.isEmpty() ? next : device + ", " + next;
      }
      memory += metrics.memoryBytes();
      peak += metrics.peakMemoryBytes();
      spilled += metrics.spilledBytes();
    }
    return new QueryFigures(device, memory, peak, spilled);
  }
}
