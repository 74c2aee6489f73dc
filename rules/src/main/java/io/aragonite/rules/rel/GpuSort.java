package io.aragonite.rules.rel;

import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.SortKey;
import io.aragonite.rules.cost.DeviceProfile;
import io.aragonite.rules.cost.GpuCost;
import io.aragonite.rules.cost.OperatorCosts;
import io.aragonite.rules.translate.Collations;
import java.util.List;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelOptCost;
import org.apache.calcite.plan.RelOptPlanner;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelCollation;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Sort;
import org.apache.calcite.rel.metadata.RelMetadataQuery;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.jspecify.annotations.Nullable;

/** ORDER BY, OFFSET and FETCH, any of them, that the engine runs. */
public final class GpuSort extends Sort implements GpuRel {
  GpuSort(
      RelOptCluster cluster,
      RelTraitSet traits,
      RelNode input,
      RelCollation collation,
      @Nullable RexNode offset,
      @Nullable RexNode fetch) {
    super(cluster, traits, input, collation, offset, fetch);
  }

  @Override
  public GpuSort copy(
      RelTraitSet traitSet,
      RelNode input,
      RelCollation collation,
      @Nullable RexNode offset,
      @Nullable RexNode fetch) {
    return new GpuSort(getCluster(), traitSet, input, collation, offset, fetch);
  }

  @Override
  public RelOptCost computeSelfCost(RelOptPlanner planner, RelMetadataQuery mq) {
    DeviceProfile device = OperatorCosts.profile(planner);
    double rows = OperatorCosts.rows(getInput(), mq);
    double kept =
        fetch instanceof RexLiteral ? Math.min(rows, OperatorCosts.rows(this, mq) + 1) : rows;
    double compares = collation.getFieldCollations().isEmpty() ? 0 : rows * log2(kept);
    double moved = device.sequential(rows * OperatorCosts.rowBytes(getRowType()));
    return GpuCost.of(planner, device.startNanos() + compares * device.compareNanos() + moved);
  }

  private static double log2(double value) {
    return Math.log(Math.max(2, value)) / Math.log(2);
  }

  @Override
  public PhysicalPlan implement(GpuRelImplementor implementor) {
    PhysicalPlan input = implementor.visit(getInput());
    PhysicalPlan.Project decoding = LateDecoding.of(input);
    List<SortKey> keys = Collations.keys(collation);
    PhysicalPlan sorted =
        new PhysicalPlan.Sort(
            decoding == null ? input : decoding.input(),
            decoding == null ? keys : LateDecoding.keysBelow(keys, decoding),
            offset == null ? null : implementor.translate(offset),
            fetch == null ? null : implementor.translate(fetch));
    if (decoding == null) {
      return sorted;
    }
    implementor.plans().put(getInput(), decoding.input());
    return new PhysicalPlan.Project(sorted, decoding.expressions());
  }
}
