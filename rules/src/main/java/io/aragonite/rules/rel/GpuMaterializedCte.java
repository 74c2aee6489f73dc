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
import org.apache.calcite.rel.BiRel;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.calcite.rel.metadata.RelMetadataQuery;
import org.apache.calcite.rel.type.RelDataType;

/** Rows of WITH that the engine makes once for a query that reads them several times. */
public final class GpuMaterializedCte extends BiRel implements GpuRel {
  private final CteTable table;

  GpuMaterializedCte(RelTraitSet traits, RelNode rows, RelNode query, CteTable table) {
    super(query.getCluster(), traits, rows, query);
    this.table = table;
  }

  CteTable table() {
    return table;
  }

  @Override
  public RelNode copy(RelTraitSet traitSet, List<RelNode> inputs) {
    return new GpuMaterializedCte(traitSet, inputs.get(0), inputs.get(1), table);
  }

  @Override
  protected RelDataType deriveRowType() {
    return right.getRowType();
  }

  @Override
  public double estimateRowCount(RelMetadataQuery mq) {
    return mq.getRowCount(right);
  }

  @Override
  public RelWriter explainTerms(RelWriter writer) {
    return writer.input("rows", left).input("query", right).item("table", table);
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
