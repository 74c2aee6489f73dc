package io.aragonite.rules.rel;

import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.rules.cost.DeviceProfile;
import io.aragonite.rules.cost.GpuCost;
import io.aragonite.rules.cost.OperatorCosts;
import io.aragonite.rules.translate.WindowTranslator;
import java.util.List;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelOptCost;
import org.apache.calcite.plan.RelOptPlanner;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Window;
import org.apache.calcite.rel.metadata.RelMetadataQuery;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexLiteral;

/** Window functions that the engine runs. */
public final class GpuWindow extends Window implements GpuRel {
  GpuWindow(
      RelOptCluster cluster,
      RelTraitSet traits,
      RelNode input,
      List<RexLiteral> constants,
      RelDataType rowType,
      List<Group> groups) {
    super(cluster, traits, List.of(), input, constants, rowType, groups);
  }

  @Override
  public RelNode copy(RelTraitSet traitSet, List<RelNode> inputs) {
    return new GpuWindow(getCluster(), traitSet, sole(inputs), constants, getRowType(), groups);
  }

  @Override
  public Window copy(List<RexLiteral> newConstants) {
    return new GpuWindow(
        getCluster(), getTraitSet(), getInput(), newConstants, getRowType(), groups);
  }

  @Override
  public RelOptCost computeSelfCost(RelOptPlanner planner, RelMetadataQuery mq) {
    DeviceProfile device = OperatorCosts.profile(planner);
    double rows = OperatorCosts.rows(getInput(), mq);
    double sort = rows * Math.log(Math.max(2, rows)) / Math.log(2) * device.compareNanos();
    int calls = groups.stream().mapToInt(group -> group.aggCalls.size()).sum();
    return GpuCost.of(
        planner,
        device.startNanos()
            + groups.size() * sort
            + calls * rows * device.buildNanos()
            + device.sequential(rows * OperatorCosts.rowBytes(getRowType())));
  }

  @Override
  public PhysicalPlan implement(GpuRelImplementor implementor) {
    return new WindowTranslator(this).implement(implementor.visit(getInput()));
  }
}
