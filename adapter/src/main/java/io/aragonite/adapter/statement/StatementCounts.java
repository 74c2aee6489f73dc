package io.aragonite.adapter.statement;

import io.aragonite.adapter.execution.PreparedPlan;
import io.aragonite.rules.limit.PlanningPhase;
import io.aragonite.rules.rel.FallbackReasons;
import io.aragonite.rules.runtime.GpuQuery;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** Counts what statements of a connection have cost to plan, and what ran outside the engine. */
final class StatementCounts {
  private final LongAdder planned = new LongAdder();
  private final LongAdder planningSteps = new LongAdder();
  private final LongAdder ruleFirings = new LongAdder();
  private final Map<PlanningPhase, LongAdder> phaseNanos = new ConcurrentHashMap<>();
  private final LongAdder cached = new LongAdder();
  private final LongAdder shared = new LongAdder();
  private final LongAdder fallbackStatements = new LongAdder();
  private final LongAdder fallbackNodes = new LongAdder();
  private final LongAdder hostFunctionStatements = new LongAdder();
  private final Map<String, AtomicLong> reasons = new ConcurrentHashMap<>();
  private final Map<String, AtomicLong> hostFunctions = new ConcurrentHashMap<>();

  void cached() {
    cached.increment();
    PlanSource.CACHED.count();
  }

  void shared() {
    shared.increment();
    PlanSource.SHARED.count();
  }

  void planned(PreparedPlan plan, long steps, long firings, Map<PlanningPhase, Long> nanos) {
    List<FallbackReasons.Fallback> fallbacks = plan.fallbacks();
    GpuQuery query = plan.query();
    planned.increment();
    PlanSource.PLANNED.count();
    planningSteps.add(steps);
    ruleFirings.add(firings);
    nanos.forEach(
        (phase, time) -> phaseNanos.computeIfAbsent(phase, key -> new LongAdder()).add(time));
    if (query != null && !query.hostFunctions().isEmpty()) {
      hostFunctionStatements.increment();
    }
    if (!fallbacks.isEmpty()) {
      fallbackStatements.increment();
      fallbackNodes.add(fallbacks.size());
      for (FallbackReasons.Fallback fallback : fallbacks) {
        count(reasons, fallback.node() + ": " + fallback.reason());
      }
    }
  }

  /** The functions of a query that the host evaluates. */
  void started(GpuQuery query) {
    query.hostFunctions().forEach(name -> count(hostFunctions, name));
  }

  private static void count(Map<String, AtomicLong> counts, String key) {
    counts.computeIfAbsent(key, k -> new AtomicLong()).incrementAndGet();
  }

  private static Map<String, Long> values(Map<String, AtomicLong> counts) {
    Map<String, Long> values = new HashMap<>();
    counts.forEach((key, count) -> values.put(key, count.get()));
    return values;
  }

  ConnectionMetrics metrics() {
    Map<PlanningPhase, Long> phases = new EnumMap<>(PlanningPhase.class);
    phaseNanos.forEach((phase, time) -> phases.put(phase, time.sum()));
    return new ConnectionMetrics(
        planned.sum(),
        planningSteps.sum(),
        ruleFirings.sum(),
        phases,
        cached.sum(),
        shared.sum(),
        fallbackStatements.sum(),
        fallbackNodes.sum(),
        values(reasons),
        hostFunctionStatements.sum(),
        values(hostFunctions));
  }
}
