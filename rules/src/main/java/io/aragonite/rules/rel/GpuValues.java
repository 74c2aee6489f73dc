package io.aragonite.rules.rel;

import com.google.common.collect.ImmutableList;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.type.DataType;
import io.aragonite.rules.cost.GpuCost;
import io.aragonite.rules.cost.OperatorCosts;
import io.aragonite.rules.translate.LiteralTranslator;
import io.aragonite.rules.translate.TypeMapping;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelOptCost;
import org.apache.calcite.plan.RelOptPlanner;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Values;
import org.apache.calcite.rel.metadata.RelMetadataQuery;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexLiteral;

/** Constant rows that the engine hands out. */
public final class GpuValues extends Values implements GpuRel {
  GpuValues(
      RelOptCluster cluster,
      RelTraitSet traits,
      RelDataType rowType,
      ImmutableList<ImmutableList<RexLiteral>> tuples) {
    super(cluster, rowType, tuples, traits);
  }

  @Override
  public RelNode copy(RelTraitSet traitSet, List<RelNode> inputs) {
    return new GpuValues(getCluster(), traitSet, getRowType(), tuples);
  }

  @Override
  public RelOptCost computeSelfCost(RelOptPlanner planner, RelMetadataQuery mq) {
    return GpuCost.of(planner, OperatorCosts.profile(planner).startNanos() + tuples.size());
  }

  /** The rows in the engine's form. */
  static List<List<Expr>> rows(Values values) {
    List<DataType> types = TypeMapping.ofRow(values.getRowType());
    List<List<Expr>> rows = new ArrayList<>();
    for (List<RexLiteral> tuple : values.getTuples()) {
      List<Expr> row = new ArrayList<>();
      for (int i = 0; i < types.size(); i++) {
        row.add(LiteralTranslator.literal(tuple.get(i), types.get(i)));
      }
      rows.add(row);
    }
    return rows;
  }

  @Override
  public PhysicalPlan implement(GpuRelImplementor implementor) {
    return new PhysicalPlan.Values(rows(this), TypeMapping.ofRow(getRowType()));
  }
}
