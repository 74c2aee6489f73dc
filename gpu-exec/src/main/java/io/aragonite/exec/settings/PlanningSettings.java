package io.aragonite.exec.settings;

/**
 * What the planning of a statement may take before steps that only make its plan better are left
 * out.
 *
 * @param millis of time; what every plan needs may take longer
 * @param firings of rules
 */
public record PlanningSettings(long millis, long firings) {
  /** Nothing is left out. */
  public static final PlanningSettings ENDLESS =
      new PlanningSettings(Long.MAX_VALUE / 1_000_000, Long.MAX_VALUE);

  /**
   * Enough for joins of some hundred tables, and for the first statement of a process on two cores
   * that others use too: plans should not depend on who else is busy.
   */
  static final int MILLIS = 10_000;

  /** Some hundred times what the largest queries of TPC-DS fire. */
  static final int FIRINGS = 20_000;
}
