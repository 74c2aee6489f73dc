package io.aragonite.rules.limit;

import io.aragonite.exec.limit.StopCheck;
import java.io.PrintWriter;
import org.apache.calcite.plan.Context;
import org.apache.calcite.plan.ConventionTraitDef;
import org.apache.calcite.plan.RelOptCostFactory;
import org.apache.calcite.plan.RelOptRuleCall;
import org.apache.calcite.plan.volcano.RelSubset;
import org.apache.calcite.plan.volcano.VolcanoPlanner;
import org.apache.calcite.rel.RelCollationTraitDef;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rex.RexExecutor;
import org.jspecify.annotations.Nullable;

/**
 * Calcite's planner by cost, which ends with the statement's error when its time is up, and whose
 * own errors hold no picture of all that it has considered: that takes longer than planning, and
 * says nothing to whoever wrote the statement.
 */
public final class StoppablePlanner extends VolcanoPlanner {
  private final PlanningBudget budget;

  /**
   * @param constants computes constants, whatever executor Calcite's Prepare sets later
   */
  public StoppablePlanner(RelOptCostFactory costs, Context context, RexExecutor constants) {
    super(costs, context);
    super.setExecutor(constants);
    this.budget = PlanningBudget.of(context);
    addRelTraitDef(ConventionTraitDef.INSTANCE);
    addRelTraitDef(RelCollationTraitDef.INSTANCE);
  }

  /** Calcite's Prepare sets its own, which computes in other ways than the engine. */
  @Override
  public void setExecutor(@Nullable RexExecutor executor) {}

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

  @Override
  public RelSubset ensureRegistered(RelNode rel, @Nullable RelNode equivRel) {
    StopCheck.current().check();
    return super.ensureRegistered(rel, equivRel);
  }

  @Override
  public void dump(PrintWriter writer) {
    writer.println("(what the planner considered is left out)");
  }
}
