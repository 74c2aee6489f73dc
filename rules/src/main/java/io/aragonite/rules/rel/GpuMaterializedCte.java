package io.aragonite.rules.rel;

import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.WorkingTable;
import io.aragonite.rules.cost.DeviceProfile;
import io.aragonite.rules.cost.GpuCost;
import io.aragonite.rules.cost.OperatorCosts;
import java.util.List;
import org.apache.calcite.plan.RelOptCost;
import org.apache.calcite.plan.RelOptPlanner;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.metadata.RelMetadataQuery;

/** Rows of WITH that the engine makes once for a query that reads them several times. */
public final class GpuMaterializedCte extends MaterializedCteRel implements GpuRel {
  GpuMaterializedCte(RelTraitSet traits, RelNode rows, RelNode query, CteTable table) {
    super(traits, rows, query, table);
  }

  @Override
  public RelNode copy(RelTraitSet traitSet, List<RelNode> inputs) {
    return new GpuMaterializedCte(traitSet, inputs.get(0), inputs.get(1), table);
  }

  @Override
  public RelOptCost computeSelfCost(RelOptPlanner planner, RelMetadataQuery mq) {
    DeviceProfile device = OperatorCosts.profile(planner);
    double bytes = OperatorCosts.rows(left, mq) * OperatorCosts.rowBytes(left.getRowType());
    return GpuCost.of(planner, device.startNanos() + device.sequential(bytes));
  }

  @Override
  public PhysicalPlan implement(GpuRelImplementor implementor) {
    WorkingTable working = new WorkingTable(table.toString());
    PhysicalPlan rows = implementor.visit(left);
    return new PhysicalPlan.MaterializedCte(rows, implementor.step(right, working), working);
  }
}
