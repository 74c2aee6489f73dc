package io.aragonite.adapter.console;

import io.aragonite.exec.runtime.QueryMetrics;
import io.aragonite.rules.runtime.GpuQuery;
import java.util.Map;
import java.util.stream.Collectors;

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

  static QueryFigures of(Map<GpuQuery, QueryMetrics> counted) {
    return counted.isEmpty()
        ? NONE
        : new QueryFigures(
            counted.values().stream()
                .map(QueryMetrics::device)
                .filter(device -> !device.isEmpty())
                .distinct()
                .sorted()
                .collect(Collectors.joining(", ")),
            counted.values().stream().mapToLong(QueryMetrics::memoryBytes).sum(),
            counted.values().stream().mapToLong(QueryMetrics::peakMemoryBytes).sum(),
            counted.values().stream().mapToLong(QueryMetrics::spilledBytes).sum());
  }
}
