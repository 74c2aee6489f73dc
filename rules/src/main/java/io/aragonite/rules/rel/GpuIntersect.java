package io.aragonite.rules.rel;

import io.aragonite.exec.plan.PhysicalPlan;
import java.util.List;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelOptCost;
import org.apache.calcite.plan.RelOptPlanner;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Intersect;
import org.apache.calcite.rel.metadata.RelMetadataQuery;

/** INTERSECT, all or distinct, that the engine runs. */
public final class GpuIntersect extends Intersect implements GpuRel {
  GpuIntersect(RelOptCluster cluster, RelTraitSet traits, List<RelNode> inputs, boolean all) {
    super(cluster, traits, inputs, all);
  }

  @Override
  public GpuIntersect copy(RelTraitSet traitSet, List<RelNode> inputs, boolean all) {
    return new GpuIntersect(getCluster(), traitSet, inputs, all);
  }

  @Override
  public RelOptCost computeSelfCost(RelOptPlanner planner, RelMetadataQuery mq) {
    return GpuSetOp.cost(this, planner, mq);
  }

  @Override
  public PhysicalPlan implement(GpuRelImplementor implementor) {
    return GpuSetOp.implement(
        this, PhysicalPlan.SetOperation.SetOperationKind.INTERSECT, implementor);
  }
}
