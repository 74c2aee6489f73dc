package io.aragonite.rules.rel;

import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.rules.cost.GpuCost;
import io.aragonite.rules.cost.OperatorCosts;
import io.aragonite.rules.translate.TypeMapping;
import java.util.List;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelOptCost;
import org.apache.calcite.plan.RelOptPlanner;
import org.apache.calcite.plan.RelOptTable;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.core.TableScan;
import org.apache.calcite.rel.metadata.RelMetadataQuery;

/** The rows that the last step of a {@link GpuRecursion} has made, or those of a CTE. */
public final class GpuWorkingRows extends TableScan implements GpuRel {
  GpuWorkingRows(RelOptCluster cluster, RelTraitSet traits, RelOptTable table) {
    super(cluster, traits, List.of(), table);
  }

  @Override
  public RelOptCost computeSelfCost(RelOptPlanner planner, RelMetadataQuery mq) {
    return GpuCost.of(planner, OperatorCosts.profile(planner).startNanos());
  }

  @Override
  public PhysicalPlan implement(GpuRelImplementor implementor) {
    return new PhysicalPlan.WorkingRows(
        implementor.workingTable(getTable()), TypeMapping.ofRow(getRowType()));
  }
}
