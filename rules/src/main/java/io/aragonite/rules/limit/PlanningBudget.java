package io.aragonite.rules.limit;

import io.aragonite.exec.settings.PlanningSettings;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.calcite.plan.Context;
import org.apache.calcite.plan.RelOptPlanner;
import org.jspecify.annotations.Nullable;

/**
 * What the planning of one statement may take: time and rule firings. Once one of them is spent,
 * steps that only make a plan better are left out, and EXPLAIN says which; what every plan needs
 * runs to its end. Used by the planning thread only.
 */
public final class PlanningBudget {
  private final long startNanos = System.nanoTime();
  private final PlanningSettings limits;
  private final Set<String> leftOut = new LinkedHashSet<>();
  private long firings;
  private boolean spent;

  /** Begins now. */
  public PlanningBudget(PlanningSettings limits) {
    this.limits = limits;
  }

  /** That of a planner; one without end if it has none. */
  public static PlanningBudget of(RelOptPlanner planner) {
    return of(planner.getContext());
  }

  static PlanningBudget of(@Nullable Context context) {
    PlanningBudget budget = context == null ? null : context.unwrap(PlanningBudget.class);
    return budget == null ? new PlanningBudget(PlanningSettings.ENDLESS) : budget;
  }

  /** Counts the firing of a rule. */
  public void fired() {
    firings++;
  }

  /** Rules that have fired. */
  public long firings() {
    return firings;
  }

  /**
   * Whether a step that makes a plan better may begin, or go on.
   *
   * @param step its name for EXPLAIN, which is kept if it may not
   */
  public boolean allows(String step) {
    if (!spent) {
      spent =
          firings > limits.firings()
              || System.nanoTime() - startNanos > TimeUnit.MILLISECONDS.toNanos(limits.millis());
    }
    if (spent) {
      leftOut.add(step);
    }
    return !spent;
  }

  /** The steps that were not allowed, in their order. */
  public List<String> leftOut() {
    return List.copyOf(leftOut);
  }
}
