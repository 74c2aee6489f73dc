package io.aragonite.rules.rel;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.type.DataType;
import io.aragonite.rules.cost.DeviceProfile;
import io.aragonite.rules.cost.GpuCost;
import io.aragonite.rules.cost.OperatorCosts;
import io.aragonite.rules.translate.TypeMapping;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.plan.RelOptCost;
import org.apache.calcite.plan.RelOptPlanner;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.SetOp;
import org.apache.calcite.rel.metadata.RelMetadataQuery;

/** What UNION, INTERSECT and EXCEPT share. */
final class GpuSetOp {
  private GpuSetOp() {}

  static RelOptCost cost(SetOp rel, RelOptPlanner planner, RelMetadataQuery mq) {
    DeviceProfile device = OperatorCosts.profile(planner);
    double nanos = device.startNanos();
    boolean concatenation = rel.all && rel instanceof org.apache.calcite.rel.core.Union;
    for (RelNode input : rel.getInputs()) {
      double rows = OperatorCosts.rows(input, mq);
      double bytes = OperatorCosts.rowBytes(rel.getRowType());
      nanos +=
          concatenation
              ? device.sequential(rows * bytes)
              : rows * device.buildNanos() + device.random(rows, bytes, rows * bytes);
    }
    return GpuCost.of(planner, nanos);
  }

  static PhysicalPlan implement(
      SetOp rel, PhysicalPlan.SetOperation.SetOperationKind kind, GpuRelImplementor implementor) {
    List<DataType> types = TypeMapping.ofRow(rel.getRowType());
    List<PhysicalPlan> inputs = new ArrayList<>();
    for (RelNode input : rel.getInputs()) {
      inputs.add(cast(implementor.visit(input), types));
    }
    return new PhysicalPlan.SetOperation(kind, rel.all, inputs, types);
  }

  /** The plan with columns of the types wanted, nullability and text lengths aside. */
  static PhysicalPlan cast(PhysicalPlan plan, List<DataType> types) {
    List<Expr> expressions = new ArrayList<>(plan.references());
    boolean changed = false;
    for (int i = 0; i < types.size(); i++) {
      Expr column = expressions.get(i);
      DataType type = types.get(i);
      boolean text = column.type().kind().isVariable() && type.kind().isVariable();
      if (!column.type().sameAs(type) && !text) {
        expressions.set(i, Expr.call(Op.CAST, type.withNullable(column.type().nullable()), column));
        changed = true;
      }
    }
    return changed ? new PhysicalPlan.Project(plan, expressions) : plan;
  }
}
