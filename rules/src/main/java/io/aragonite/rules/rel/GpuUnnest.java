package io.aragonite.rules.rel;

import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.rules.cost.DeviceProfile;
import io.aragonite.rules.cost.GpuCost;
import io.aragonite.rules.cost.OperatorCosts;
import java.util.List;
import org.apache.calcite.plan.RelOptCost;
import org.apache.calcite.plan.RelOptPlanner;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.metadata.RelMetadataQuery;
import org.apache.calcite.rel.type.RelDataTypeField;

/**
 * UNNEST that the engine runs: rows are repeated on the device, host functions count elements and
 * read them.
 */
public final class GpuUnnest extends UnnestRel implements GpuRel {
  GpuUnnest(
      RelTraitSet traits,
      RelNode input,
      UnnestForm form,
      List<? extends RelDataTypeField> elements) {
    super(traits, input, form, elements);
  }

  @Override
  public RelNode copy(RelTraitSet traitSet, List<RelNode> inputs) {
    return new GpuUnnest(traitSet, sole(inputs), form, elements());
  }

  @Override
  public RelOptCost computeSelfCost(RelOptPlanner planner, RelMetadataQuery mq) {
    DeviceProfile device = OperatorCosts.profile(planner);
    double evaluated =
        OperatorCosts.rows(getInput(), mq) + OperatorCosts.rows(this, mq) * elements().size();
    double bytes = OperatorCosts.rows(this, mq) * OperatorCosts.rowBytes(getRowType());
    return GpuCost.of(
        planner,
        device.startNanos() + evaluated * device.expressionNanos() + device.sequential(2 * bytes));
  }

  @Override
  public PhysicalPlan implement(GpuRelImplementor implementor) {
    UnnestExpressions expressions = new UnnestExpressions(this);
    PhysicalPlan counted =
        new PhysicalPlan.Project(
            implementor.visit(getInput()), implementor.translate(expressions.counted()));
    return new PhysicalPlan.Project(
        new PhysicalPlan.Repeat(counted), implementor.translate(expressions.elements()));
  }
}
