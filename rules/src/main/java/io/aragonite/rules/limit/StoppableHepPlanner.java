package io.aragonite.rules.limit;

import io.aragonite.exec.limit.StopCheck;
import org.apache.calcite.plan.Context;
import org.apache.calcite.plan.RelOptCostFactory;
import org.apache.calcite.plan.RelOptListener;
import org.apache.calcite.plan.RelOptRuleCall;
import org.apache.calcite.plan.hep.HepPlanner;
import org.apache.calcite.plan.hep.HepProgram;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * Calcite's planner by rules alone, which ends with the statement's error when its time is up. It
 * transforms equal parts of a plan once: unnesting repeats a subquery's outer side, so that a plan
 * as a tree grows exponentially with the depth of its subqueries.
 */
public final class StoppableHepPlanner extends HepPlanner {
  private final PlanningBudget budget;

  public StoppableHepPlanner(HepProgram program, Context context, RelOptCostFactory costs) {
    super(program, context, false, null, costs);
    this.budget = PlanningBudget.of(context);
    // A rule that changed nothing is not tried again on the same nodes after each change elsewhere.
    setEnableFiredRulesCache(true);
  }

  @Override
  public void checkCancel() {
    StopCheck.current().check();
    super.checkCancel();
  }

  @Override
  protected void fireRule(RelOptRuleCall call) {
    budget.fired();
    super.fireRule(call);
  }

  /**
   * None: Calcite always has one, which writes debug logs, and walks over the whole plan after each
   * transformation so that it hears of no garbage.
   */
  @Override
  public @Nullable RelOptListener getListener() {
    return null;
  }
}
