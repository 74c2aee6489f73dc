package io.aragonite.adapter.statement;

import io.aragonite.rules.limit.PlanningPhase;
import java.util.Map;

/**
 * Counts of a connection.
 *
 * @param plannedStatements statements planned
 * @param planningSteps what planning them took, as a count that does not depend on the machine:
 *     expressions looked at and built, estimates asked for, plans considered
 * @param ruleFirings rules of the planner that fired for them
 * @param phaseNanos how long the phases of planning them took
 * @param cachedPlans statements that found their plan ready
 * @param sharedPlans statements that ran by the plan of others, which differ in literals alone
 * @param fallbackStatements planned statements with a part that runs in Calcite's Enumerable
 *     convention
 * @param fallbackNodes plan nodes of those that do not run on the device
 * @param fallbackReasons how often each reason was met
 * @param hostFunctionStatements planned statements that run on the device, but with a host function
 * @param hostFunctions how often a query was run with each host function: one that the device does
 *     not know itself and calls in Java, row by row
 */
public record ConnectionMetrics(
    long plannedStatements,
    long planningSteps,
    long ruleFirings,
    Map<PlanningPhase, Long> phaseNanos,
    long cachedPlans,
    long sharedPlans,
    long fallbackStatements,
    long fallbackNodes,
    Map<String, Long> fallbackReasons,
    long hostFunctionStatements,
    Map<String, Long> hostFunctions) {
  public ConnectionMetrics {
    phaseNanos = Map.copyOf(phaseNanos);
    fallbackReasons = Map.copyOf(fallbackReasons);
    hostFunctions = Map.copyOf(hostFunctions);
  }
}
