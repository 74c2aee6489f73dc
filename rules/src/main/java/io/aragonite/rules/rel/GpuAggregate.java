package io.aragonite.rules.rel;

import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.rules.cost.GpuCost;
import io.aragonite.rules.cost.GroupPricing;
import io.aragonite.rules.translate.AggregateTranslator;
import java.util.List;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelOptCost;
import org.apache.calcite.plan.RelOptPlanner;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.metadata.RelMetadataQuery;
import org.apache.calcite.util.ImmutableBitSet;
import org.jspecify.annotations.Nullable;

/** A grouping and its aggregates that the engine runs. */
public final class GpuAggregate extends Aggregate implements GpuRel {
  GpuAggregate(
      RelOptCluster cluster,
      RelTraitSet traits,
      RelNode input,
      ImmutableBitSet groupSet,
      @Nullable List<ImmutableBitSet> groupSets,
      List<AggregateCall> calls) {
    super(cluster, traits, List.of(), input, groupSet, groupSets, calls);
  }

  @Override
  public GpuAggregate copy(
      RelTraitSet traitSet,
      RelNode input,
      ImmutableBitSet groupSet,
      @Nullable List<ImmutableBitSet> groupSets,
      List<AggregateCall> calls) {
    return new GpuAggregate(getCluster(), traitSet, input, groupSet, groupSets, calls);
  }

  @Override
  public RelOptCost computeSelfCost(RelOptPlanner planner, RelMetadataQuery mq) {
    return GpuCost.of(planner, GroupPricing.nanos(this, mq));
  }

  @Override
  public PhysicalPlan implement(GpuRelImplementor implementor) {
    PhysicalPlan counting = RowCounting.of(this, implementor);
    if (counting != null) {
      return counting;
    }
    AggregateTranslator translator = new AggregateTranslator(this);
    if (getInput() instanceof GpuTableScan scan && readsNothing()) {
      PhysicalPlan rows = scan.implement(implementor, List.of());
      implementor.plans().put(scan, rows);
      return translator.implement(rows);
    }
    return translator.implement(implementor.visit(getInput()));
  }

  /** Whether rows are counted alone, so that no column is read or decoded for it. */
  private boolean readsNothing() {
    return getGroupSet().isEmpty()
        && getAggCallList().stream()
            .allMatch(call -> call.getArgList().isEmpty() && call.filterArg < 0);
  }
}
