package io.aragonite.rules.rel;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.rules.cost.DeviceProfile;
import io.aragonite.rules.cost.GpuCost;
import io.aragonite.rules.cost.OperatorCosts;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelOptCost;
import org.apache.calcite.plan.RelOptPlanner;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.CorrelationId;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.metadata.RelMetadataQuery;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.util.ImmutableBitSet;
import org.apache.calcite.util.mapping.Mappings;

/** A projection that the engine runs. Directly over a scan it settles which columns are read. */
public final class GpuProject extends Project implements GpuRel {
  GpuProject(
      RelOptCluster cluster,
      RelTraitSet traits,
      RelNode input,
      List<? extends RexNode> projects,
      RelDataType rowType) {
    super(cluster, traits, List.of(), input, projects, rowType, Set.<CorrelationId>of());
  }

  @Override
  public GpuProject copy(
      RelTraitSet traitSet, RelNode input, List<RexNode> projects, RelDataType rowType) {
    return new GpuProject(getCluster(), traitSet, input, projects, rowType);
  }

  @Override
  public RelOptCost computeSelfCost(RelOptPlanner planner, RelMetadataQuery mq) {
    DeviceProfile device = OperatorCosts.profile(planner);
    double rows = OperatorCosts.rows(getInput(), mq);
    long computed = exps.stream().filter(exp -> !(exp instanceof RexInputRef)).count();
    return GpuCost.of(planner, device.startNanos() + rows * computed * device.expressionNanos());
  }

  @Override
  public PhysicalPlan implement(GpuRelImplementor implementor) {
    ImmutableBitSet used = RelOptUtil.InputFinder.bits(exps, null);
    List<Integer> columns = used.asList();
    PhysicalPlan narrow =
        switch (getInput()) {
          case GpuTableScan scan -> scan.implement(implementor, columns);
          case EnumerableToGpuConverter rows -> rows.implement(implementor, columns);
          default -> null;
        };
    if (narrow == null) {
      return project(implementor, implementor.visit(getInput()), implementor.translate(exps));
    }
    implementor.plans().put(getInput(), narrow);
    int width = getInput().getRowType().getFieldCount();
    Map<Integer, Integer> places = new HashMap<>();
    columns.forEach(column -> places.put(column, places.size()));
    List<RexNode> moved =
        RexUtil.apply(Mappings.target(places, width, Math.max(1, columns.size())), exps);
    List<Expr> expressions = implementor.translate(moved);
    return expressions.equals(narrow.references())
        ? narrow
        : project(implementor, narrow, expressions);
  }

  private PhysicalPlan project(
      GpuRelImplementor implementor, PhysicalPlan input, List<Expr> expressions) {
    PhysicalPlan.Project decoding = LateDecoding.of(input);
    if (decoding == null) {
      return new PhysicalPlan.Project(input, expressions);
    }
    implementor.plans().put(getInput(), decoding.input());
    return new PhysicalPlan.Project(decoding.input(), LateDecoding.below(expressions, decoding));
  }
}
