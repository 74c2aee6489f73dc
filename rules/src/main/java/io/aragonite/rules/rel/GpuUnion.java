package io.aragonite.rules.rel;

import io.aragonite.exec.plan.PhysicalPlan;
import java.util.List;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelOptCost;
import org.apache.calcite.plan.RelOptPlanner;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Union;
import org.apache.calcite.rel.metadata.RelMetadataQuery;

/** UNION, all or distinct, that the engine runs. */
public final class GpuUnion extends Union implements GpuRel {
  GpuUnion(RelOptCluster cluster, RelTraitSet traits, List<RelNode> inputs, boolean all) {
    super(cluster, traits, inputs, all);
  }

  @Override
  public GpuUnion copy(RelTraitSet traitSet, List<RelNode> inputs, boolean all) {
    return new GpuUnion(getCluster(), traitSet, inputs, all);
  }

  @Override
  public RelOptCost computeSelfCost(RelOptPlanner planner, RelMetadataQuery mq) {
    return GpuSetOp.cost(this, planner, mq);
  }

  @Override
  public PhysicalPlan implement(GpuRelImplementor implementor) {
    return GpuSetOp.implement(this, PhysicalPlan.SetOperation.SetOperationKind.UNION, implementor);
  }
}
