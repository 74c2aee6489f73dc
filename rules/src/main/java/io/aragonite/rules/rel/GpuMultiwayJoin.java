package io.aragonite.rules.rel;

import io.aragonite.exec.cost.JoinPrice.Phase;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.PhysicalPlan.RelationColumn;
import io.aragonite.exec.plan.PhysicalPlan.VariableKey;
import io.aragonite.exec.type.DataType;
import io.aragonite.rules.cost.GpuCost;
import io.aragonite.rules.translate.TypeMapping;
import java.util.ArrayList;
import java.util.Comparator;
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

/** A {@link LogicalMultiwayJoin} that the engine runs over tries. */
public final class GpuMultiwayJoin extends LogicalMultiwayJoin implements GpuRel {
  private static final String DEPTH_FIRST = "multi-predicate, depth first";
  private static final String LEVEL_BY_LEVEL = "multi-predicate, level by level";

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
    return GpuCost.of(planner, spec().nanos() + spec().estimate().trieNanos());
  }

  /** What EXPLAIN says of it. */
  public Map<String, String> attributes() {
    MultiwaySpec.MultiwayEstimate estimate = spec().estimate();
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
    MultiwaySpec.MultiwayEstimate estimate = spec().estimate();
    boolean walk = spec().depthFirst();
    List<JoinCandidate> candidates = new ArrayList<>();
    candidates.add(candidate(DEPTH_FIRST, estimate.walkNanos(), walk));
    candidates.add(candidate(LEVEL_BY_LEVEL, estimate.levelNanos(), !walk));
    candidates.sort(Comparator.comparing(candidate -> !candidate.chosen()));
    candidates.add(
        new JoinCandidate(
            "two relations at a time", estimate.binaryNanos(), List.of(), 0, false, null));
    return candidates;
  }

  private JoinCandidate candidate(String name, double nanos, boolean chosen) {
    double tries = spec().estimate().trieNanos();
    return new JoinCandidate(
        name,
        nanos + tries,
        List.of(new Phase("tries", tries), new Phase("join", nanos)),
        0,
        chosen,
        null);
  }

  /** How it runs, for people. */
  public String algorithm() {
    return spec().depthFirst() ? DEPTH_FIRST : LEVEL_BY_LEVEL;
  }

  @Override
  public PhysicalPlan implement(GpuRelImplementor implementor) {
    return implement(implementor, false, spec().outputs());
  }

  /** Whether a column is joined by a variable other than the last one. */
  boolean isBoundBeforeLast(int column) {
    int place = spec().outputs().get(column);
    for (int relation = 0; relation < relations().size(); relation++) {
      int width = relations().get(relation).getRowType().getFieldCount();
      if (place < width) {
        int own = place;
        return spec().keys().get(relation).stream()
            .anyMatch(key -> key.column() == own && key.variable() < spec().variables().size() - 1);
      }
      place -= width;
    }
    return false;
  }

  /**
   * The plan that says how often combinations of columns come out: these, and a number.
   *
   * @param columns of the join's row, bound before the last variable
   */
  PhysicalPlan implementCounting(GpuRelImplementor implementor, List<Integer> columns) {
    PhysicalPlan plan =
        implement(implementor, true, columns.stream().map(spec().outputs()::get).toList());
    implementor.implemented(this, plan);
    return plan;
  }

  private PhysicalPlan implement(
      GpuRelImplementor implementor, boolean counting, List<Integer> outputs) {
    List<PhysicalPlan> relations = new ArrayList<>();
    List<RelationColumn> columns = new ArrayList<>();
    for (RelNode relation : relations()) {
      for (int c = 0; c < relation.getRowType().getFieldCount(); c++) {
        columns.add(new RelationColumn(relations.size(), c));
      }
      relations.add(implementor.visit(relation));
    }
    PhysicalPlan all = implementor.visit(otherwise());
    List<Expr> refs = all.references();
    List<Expr> wanted = new ArrayList<>();
    outputs.forEach(output -> wanted.add(refs.get(output)));
    List<DataType> types = new ArrayList<>();
    wanted.forEach(expression -> types.add(expression.type()));
    if (counting) {
      wanted.add(Expr.literal(1L, DataType.INT64));
      types.add(DataType.INT64);
    }
    List<List<VariableKey>> keys = spec().keys();
    return new PhysicalPlan.MultiwayJoin(
        relations,
        keys,
        spec().variables().size(),
        spec().comparisons(),
        outputs.stream().map(columns::get).toList(),
        counting,
        spec().traversal(),
        new PhysicalPlan.Project(all, wanted),
        counting ? types : TypeMapping.ofRow(getRowType()));
  }
}
