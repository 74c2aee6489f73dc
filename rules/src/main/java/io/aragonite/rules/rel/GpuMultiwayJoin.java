package io.aragonite.rules.rel;

import io.aragonite.exec.cost.JoinPrice.Phase;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.PhysicalPlan.RelationColumn;
import io.aragonite.exec.plan.PhysicalPlan.VariableKey;
import io.aragonite.exec.type.DataType;
import io.aragonite.rules.cost.GpuCost;
import io.aragonite.rules.translate.GpuRelImplementor;
import io.aragonite.rules.translate.TypeMapping;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelOptCost;
import org.apache.calcite.plan.RelOptPlanner;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.metadata.RelMetadataQuery;

/** A {@link MultiwayJoin} that the engine runs over tries. */
public final class GpuMultiwayJoin extends MultiwayJoin implements GpuRel {
  GpuMultiwayJoin(
      RelOptCluster cluster, RelTraitSet traits, List<RelNode> inputs, MultiwaySpec spec) {
    super(cluster, traits, inputs, spec);
  }

  @Override
  public RelNode copy(RelTraitSet traits, List<RelNode> inputs) {
    return new GpuMultiwayJoin(getCluster(), traits, inputs, spec());
  }

  @Override
  public RelOptCost computeSelfCost(RelOptPlanner planner, RelMetadataQuery mq) {
    MultiwaySpec.Estimate estimate = spec().estimate();
    return GpuCost.of(planner, estimate.nanos() + estimate.trieNanos());
  }

  /** What EXPLAIN says of it. */
  public Map<String, String> attributes() {
    MultiwaySpec.Estimate estimate = spec().estimate();
    Map<String, String> attributes = new LinkedHashMap<>();
    attributes.put("hypergraph", estimate.hypergraph());
    attributes.put("order", String.join(", ", spec().variables()));
    if (!spec().comparisons().isEmpty()) {
      attributes.put(
          "comparisons",
          String.join(
              ", ",
              spec().comparisons().stream()
                  .map(c ->
                      spec().variables().get(c.left())
                          + " "
                          + c.op()
                          + " "
                          + spec().variables().get(c.right()))
                  .toList()));
    }
    attributes.put(
        "bindings",
        String.join(
            ", ",
            estimate.bindings().stream()
                .map(rows -> String.format(Locale.ROOT, "%,.0f", rows))
                .toList()));
    attributes.put("bound", String.format(Locale.ROOT, "%,.0f", estimate.bound()));
    attributes.put("columns", String.join(", ", getRowType().getFieldNames()));
    return attributes;
  }

  /** This join, and the joins of two relations that it stands for, with their prices. */
  public List<JoinCandidate> candidates() {
    MultiwaySpec.Estimate estimate = spec().estimate();
    return List.of(
        new JoinCandidate(
            "multi-predicate, level by level",
            estimate.nanos() + estimate.trieNanos(),
            List.of(new Phase("tries", estimate.trieNanos()), new Phase("join", estimate.nanos())),
            0,
            true,
            null),
        new JoinCandidate(
            "two relations at a time", estimate.binaryNanos(), List.of(), 0, false, null));
  }

  @Override
  public PhysicalPlan implement(GpuRelImplementor implementor) {
    return implement(implementor, false);
  }

  /** The plan that says how many rows there are, in rows of one column that add up to it. */
  PhysicalPlan implementCounting(GpuRelImplementor implementor) {
    PhysicalPlan plan = implement(implementor, true);
    implementor.implemented(this, plan);
    return plan;
  }

  private PhysicalPlan implement(GpuRelImplementor implementor, boolean counting) {
    List<PhysicalPlan> relations = new ArrayList<>();
    List<RelationColumn> columns = new ArrayList<>();
    for (RelNode relation : relations()) {
      for (int c = 0; c < relation.getRowType().getFieldCount(); c++) {
        columns.add(new RelationColumn(relations.size(), c));
      }
      relations.add(implementor.visit(relation));
    }
    PhysicalPlan all = implementor.visit(otherwise());
    List<Expr> refs = GpuRelImplementor.references(all);
    List<Integer> outputs = spec().outputs();
    List<Expr> wanted =
        counting
            ? List.of(Expr.literal(1L, DataType.INT64))
            : outputs.stream().map(refs::get).toList();
    List<List<VariableKey>> keys = spec().keys();
    return new PhysicalPlan.MultiwayJoin(
        relations,
        keys,
        spec().variables().size(),
        spec().comparisons(),
        counting ? List.of() : outputs.stream().map(columns::get).toList(),
        counting,
        new PhysicalPlan.Project(all, wanted),
        counting ? List.of(DataType.INT64) : TypeMapping.ofRow(getRowType()));
  }
}
