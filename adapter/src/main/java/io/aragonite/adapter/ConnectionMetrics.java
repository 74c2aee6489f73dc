package io.aragonite.adapter;

import java.util.Map;

/**
 * Counts of a connection.
 *
 * @param plannedStatements statements planned
 * @param cachedPlans statements that found their plan ready
 * @param fallbackStatements planned statements with a part that runs in Calcite's Enumerable
 *     convention
 * @param fallbackNodes plan nodes of those that do not run on the device
 * @param fallbackReasons how often each reason was met
 */
public record ConnectionMetrics(
    long plannedStatements,
    long cachedPlans,
    long fallbackStatements,
    long fallbackNodes,
    Map<String, Long> fallbackReasons) {
  public ConnectionMetrics {
    fallbackReasons = Map.copyOf(fallbackReasons);
  }
}
