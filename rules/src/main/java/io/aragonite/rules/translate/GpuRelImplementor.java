package io.aragonite.rules.translate;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.WorkingTable;
import io.aragonite.exec.type.DataType;
import io.aragonite.rules.EngineProvider;
import io.aragonite.rules.rel.GpuRel;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.calcite.adapter.enumerable.EnumerableRel;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelOptTable;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.schema.TransientTable;
import org.jspecify.annotations.Nullable;

/**
 * Turns a tree of {@link GpuRel}s into a {@link PhysicalPlan} and remembers which node became which
 * plan.
 */
public final class GpuRelImplementor {
  private final RuntimeValues runtimeValues = new RuntimeValues();
  private final RexTranslator rex;
  private final RelOptCluster cluster;
  private final Map<RelNode, PhysicalPlan> plans = new IdentityHashMap<>();
  private final Map<TransientTable, WorkingTable> workingTables = new IdentityHashMap<>();
  private @Nullable EngineProvider engines;

  public GpuRelImplementor(RelOptCluster cluster) {
    this.cluster = cluster;
    this.rex = new RexTranslator(cluster.getRexBuilder(), runtimeValues);
    this.engines =
        cluster.getPlanner().getContext() == null
            ? null
            : cluster.getPlanner().getContext().unwrap(EngineProvider.class);
  }

  public RelOptCluster cluster() {
    return cluster;
  }

  /** The plan of an input. */
  public PhysicalPlan visit(RelNode rel) {
    PhysicalPlan plan = ((GpuRel) rel).implement(this);
    implemented(rel, plan);
    return plan;
  }

  /** Notes which plan a node became. */
  public void implemented(RelNode rel, PhysicalPlan plan) {
    plans.put(rel, plan);
  }

  /** Expressions over an input's row. */
  public Expr translate(RexNode node) {
    return rex.translate(node);
  }

  /** Expressions over an input's row. */
  public List<Expr> translate(List<RexNode> nodes) {
    return nodes.stream().map(rex::translate).toList();
  }

  /**
   * The plan that reads the rows of a tree of Calcite's Enumerable convention.
   *
   * @param columns of the tree's row, in the order wanted
   */
  public PhysicalPlan hostRows(EnumerableRel rel, List<Integer> columns) {
    List<DataType> types = TypeMapping.ofRow(rel.getRowType());
    return new PhysicalPlan.HostRows(
        runtimeValues.addRows(rel), columns, columns.stream().map(types::get).toList());
  }

  /** Names the engines of a table; the first ones are taken. */
  public void offerEngines(EngineProvider provider) {
    if (engines == null) {
      engines = provider;
    }
  }

  /** What stands for the working table of a recursion, the same for it and those who read it. */
  public WorkingTable workingTable(RelOptTable table) {
    return workingTables.computeIfAbsent(
        Objects.requireNonNull(table.unwrap(TransientTable.class)),
        known -> new WorkingTable(table.getQualifiedName().getLast()));
  }

  /** Where the plan is to run, null if neither the planner nor a table says so. */
  public @Nullable EngineProvider engines() {
    return engines;
  }

  public RuntimeValues runtimeValues() {
    return runtimeValues;
  }

  /** Which plan a node became; for a node with several plans the topmost. */
  public Map<RelNode, PhysicalPlan> plans() {
    return plans;
  }

  /** References to all columns of a plan. */
  public static List<Expr> references(PhysicalPlan plan) {
    List<DataType> types = plan.types();
    List<Expr> refs = new ArrayList<>(types.size());
    for (int i = 0; i < types.size(); i++) {
      refs.add(Expr.ref(i, types.get(i)));
    }
    return refs;
  }
}
