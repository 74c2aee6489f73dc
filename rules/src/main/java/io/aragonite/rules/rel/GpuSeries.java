package io.aragonite.rules.rel;

import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.rules.cost.DeviceProfile;
import io.aragonite.rules.cost.GpuCost;
import io.aragonite.rules.cost.OperatorCosts;
import java.util.List;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelOptCost;
import org.apache.calcite.plan.RelOptPlanner;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.metadata.RelMetadataQuery;
import org.apache.calcite.rel.type.RelDataType;

/** A series that the engine makes. */
public final class GpuSeries extends SeriesRel implements GpuRel {
  GpuSeries(RelOptCluster cluster, RelTraitSet traits, RelDataType rowType, int rows) {
    super(cluster, traits, rowType, rows);
  }

  @Override
  public RelNode copy(RelTraitSet traitSet, List<RelNode> inputs) {
    return new GpuSeries(getCluster(), traitSet, getRowType(), rows);
  }

  @Override
  public RelOptCost computeSelfCost(RelOptPlanner planner, RelMetadataQuery mq) {
    DeviceProfile device = OperatorCosts.profile(planner);
    return GpuCost.of(
        planner, device.startNanos() + device.sequential((double) rows * Integer.BYTES));
  }

  @Override
  public PhysicalPlan implement(GpuRelImplementor implementor) {
    return new PhysicalPlan.Series(rows);
  }
}
