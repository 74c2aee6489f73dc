package io.aragonite.rules.limit;

/** The parts of planning that {@link PlanningClock} tells apart, in their order. */
public enum PlanningPhase {
  /** Text to a syntax tree. */
  PARSE,
  /** Names and types. */
  VALIDATE,
  /** The tree to a plan of Calcite's nodes. */
  CONVERT,
  /** Subqueries to joins, decorrelation. */
  SUBQUERIES,
  /** Filters down, columns trimmed, groupings by fewer keys. */
  REWRITE,
  /** Join order. */
  JOIN_ORDER,
  /** The choice of operators by cost. */
  PHYSICAL,
  /** The engine's plan. */
  IMPLEMENT
}
