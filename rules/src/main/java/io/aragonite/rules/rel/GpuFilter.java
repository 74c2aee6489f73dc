package io.aragonite.rules.rel;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.rules.cost.DeviceProfile;
import io.aragonite.rules.cost.GpuCost;
import io.aragonite.rules.cost.OperatorCosts;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelOptCost;
import org.apache.calcite.plan.RelOptPlanner;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.metadata.RelMetadataQuery;
import org.apache.calcite.rex.RexNode;

/** A filter that the engine runs. */
public final class GpuFilter extends Filter implements GpuRel {
  GpuFilter(RelOptCluster cluster, RelTraitSet traits, RelNode input, RexNode condition) {
    super(cluster, traits, input, condition);
  }

  @Override
  public GpuFilter copy(RelTraitSet traitSet, RelNode input, RexNode condition) {
    return new GpuFilter(getCluster(), traitSet, input, condition);
  }

  @Override
  public RelOptCost computeSelfCost(RelOptPlanner planner, RelMetadataQuery mq) {
    DeviceProfile device = OperatorCosts.profile(planner);
    double rows = OperatorCosts.rows(getInput(), mq);
    int terms = RelOptUtil.conjunctions(condition).size();
    return GpuCost.of(planner, device.startNanos() + rows * terms * device.expressionNanos());
  }

  @Override
  public PhysicalPlan implement(GpuRelImplementor implementor) {
    PhysicalPlan input = implementor.visit(getInput());
    Expr predicate = implementor.translate(condition);
    double expected = OperatorCosts.rows(this, getCluster().getMetadataQuery());
    PhysicalPlan.Project decoding = LateDecoding.of(input);
    if (decoding == null) {
      return new PhysicalPlan.Filter(input, predicate, expected);
    }
    implementor.plans().put(getInput(), decoding.input());
    return new PhysicalPlan.Project(
        new PhysicalPlan.Filter(
            decoding.input(), LateDecoding.below(predicate, decoding), expected),
        decoding.expressions());
  }
}
