package io.aragonite.rules.rel;

import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.rules.cost.DeviceProfile;
import io.aragonite.rules.cost.GpuCost;
import io.aragonite.rules.cost.OperatorCosts;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.calcite.adapter.enumerable.EnumerableRel;
import org.apache.calcite.plan.ConventionTraitDef;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelOptCost;
import org.apache.calcite.plan.RelOptPlanner;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.convert.ConverterImpl;
import org.apache.calcite.rel.metadata.RelMetadataQuery;

/**
 * Reads rows of Calcite's Enumerable convention into columns, so that our operators can go on with
 * them: rows of other adapters' tables above all.
 */
public final class EnumerableToGpuConverter extends ConverterImpl implements GpuRel {
  EnumerableToGpuConverter(RelOptCluster cluster, RelTraitSet traits, RelNode input) {
    super(cluster, ConventionTraitDef.INSTANCE, traits, input);
  }

  @Override
  public RelNode copy(RelTraitSet traitSet, List<RelNode> inputs) {
    return new EnumerableToGpuConverter(getCluster(), traitSet, sole(inputs));
  }

  @Override
  public RelOptCost computeSelfCost(RelOptPlanner planner, RelMetadataQuery mq) {
    DeviceProfile device = OperatorCosts.profile(planner);
    double values = OperatorCosts.rows(getInput(), mq) * getRowType().getFieldCount();
    // What a value costs on its way out as part of a row it costs on its way in.
    return GpuCost.of(planner, device.startNanos() + values * device.rowOutNanos());
  }

  @Override
  public PhysicalPlan implement(GpuRelImplementor implementor) {
    return implement(
        implementor, IntStream.range(0, getRowType().getFieldCount()).boxed().toList());
  }

  /** The plan that reads some columns only. */
  PhysicalPlan implement(GpuRelImplementor implementor, List<Integer> columns) {
    return implementor.hostRows((EnumerableRel) getInput(), columns);
  }
}
