package io.aragonite.rules.rel;

import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.WorkingTable;
import io.aragonite.exec.type.DataType;
import io.aragonite.rules.cost.DeviceProfile;
import io.aragonite.rules.cost.GpuCost;
import io.aragonite.rules.cost.OperatorCosts;
import io.aragonite.rules.translate.TypeMapping;
import java.util.List;
import java.util.Objects;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelOptCost;
import org.apache.calcite.plan.RelOptPlanner;
import org.apache.calcite.plan.RelOptTable;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.calcite.rel.core.RepeatUnion;
import org.apache.calcite.rel.metadata.RelMetadataQuery;

/** WITH RECURSIVE that the engine runs: each step of it runs on the device. */
public final class GpuRecursion extends RepeatUnion implements GpuRel {
  GpuRecursion(
      RelOptCluster cluster,
      RelTraitSet traits,
      RelNode seed,
      RelNode step,
      boolean all,
      RelOptTable table) {
    super(cluster, traits, seed, step, all, -1, table);
  }

  @Override
  public RelNode copy(RelTraitSet traitSet, List<RelNode> inputs) {
    return new GpuRecursion(getCluster(), traitSet, inputs.get(0), inputs.get(1), all, table());
  }

  private RelOptTable table() {
    return Objects.requireNonNull(getTransientTable());
  }

  @Override
  public RelWriter explainTerms(RelWriter writer) {
    return writer
        .input("seed", getSeedRel())
        .input("step", getIterativeRel())
        .item("table", table().getQualifiedName().getLast())
        .item("all", all);
  }

  @Override
  public RelOptCost computeSelfCost(RelOptPlanner planner, RelMetadataQuery mq) {
    DeviceProfile device = OperatorCosts.profile(planner);
    double rows = OperatorCosts.rows(this, mq);
    double bytes = OperatorCosts.rowBytes(getRowType());
    return GpuCost.of(planner, device.startNanos() + device.sequential(rows * bytes));
  }

  @Override
  public PhysicalPlan implement(GpuRelImplementor implementor) {
    List<DataType> types = TypeMapping.ofRow(getRowType());
    WorkingTable working = new WorkingTable(table().getQualifiedName().getLast());
    return new PhysicalPlan.Recursion(
        GpuSetOp.cast(implementor.visit(getSeedRel()), types),
        GpuSetOp.cast(implementor.step(getIterativeRel(), working), types),
        working,
        all,
        types);
  }
}
