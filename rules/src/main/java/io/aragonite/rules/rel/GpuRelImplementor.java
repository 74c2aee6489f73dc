package io.aragonite.rules.rel;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.WorkingTable;
import io.aragonite.exec.type.DataType;
import io.aragonite.rules.runtime.EngineProvider;
import io.aragonite.rules.runtime.GpuQuery;
import io.aragonite.rules.translate.RexTranslator;
import io.aragonite.rules.translate.RuntimeValues;
import io.aragonite.rules.translate.TypeMapping;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.apache.calcite.adapter.enumerable.EnumerableRel;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelOptTable;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexNode;
import org.jspecify.annotations.Nullable;

/**
 * Turns a tree of {@link GpuRel}s into a {@link PhysicalPlan} and remembers which node became which
 * plan.
 */
public final class GpuRelImplementor {
  private final RuntimeValues runtimeValues = new RuntimeValues();
  private final RexTranslator rex;
  private final Map<RelNode, PhysicalPlan> plans = new IdentityHashMap<>();

  /** Of the recursions around, the innermost first. */
  private final Deque<WorkingTable> workingTables = new ArrayDeque<>();

  /** Where the plan is to run; null if neither the planner nor a table says so. */
  private @Nullable EngineProvider engines;

  public GpuRelImplementor(RelOptCluster cluster) {
    this.rex = new RexTranslator(cluster.getRexBuilder(), runtimeValues);
    this.engines =
        cluster.getPlanner().getContext() == null
            ? null
            : cluster.getPlanner().getContext().unwrap(EngineProvider.class);
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
    return new PhysicalPlan.RowInput(
        runtimeValues.addRows(rel), columns, columns.stream().map(types::get).toList());
  }

  /** Names the engines of a table; the first ones are taken. */
  public void offerEngines(EngineProvider provider) {
    if (engines == null) {
      engines = provider;
    }
  }

  /**
   * The plan of a recursion's step, or of a query of a CTE. Names of working tables are resolved as
   * SQL has it: the innermost recursion of a name is meant, and recursions beside each other may
   * have one name. So it does not matter that the planner takes their scans for the same node.
   */
  public PhysicalPlan step(RelNode step, WorkingTable table) {
    workingTables.push(table);
    try {
      return visit(step);
    } finally {
      workingTables.pop();
    }
  }

  /**
   * The working table that a scan reads within the step that is being translated.
   *
   * @throws AragoniteException EXPRESSION_UNSUPPORTED if it is that of a CTE, whose rows are made
   *     elsewhere
   */
  WorkingTable workingTable(RelOptTable scanned) {
    String name = scanned.getQualifiedName().getLast();
    return workingTables.stream()
        .filter(table -> table.toString().equals(name))
        .findFirst()
        .orElseThrow(() ->
            scanned.unwrap(CteTable.class) == null
                ? new IllegalStateException("no recursion " + name)
                : new AragoniteException(
                    ErrorCode.EXPRESSION_UNSUPPORTED,
                    "The rows of WITH %s are read by a part of the statement that runs in Calcite's code, and are made once; CREATE TEMP TABLE AS them first."
                        .formatted(name.substring(0, name.lastIndexOf('#')))));
  }

  /** Which plan a node became; for a node with several plans the topmost. */
  public Map<RelNode, PhysicalPlan> plans() {
    return plans;
  }

  /** A tree of our convention, ready to run. */
  public static GpuQuery query(RelNode rel) {
    GpuRelImplementor implementor = new GpuRelImplementor(rel.getCluster());
    return implementor.query(rel, implementor.visit(rel), rel.getRowType());
  }

  /**
   * A tree of our convention, ready to run, of whose columns the result has some: ORDER BY may sort
   * by columns that are not selected.
   *
   * @param fields columns of {@code rel}, in the result's order
   * @param rowType the result's row
   */
  public static GpuQuery query(RelNode rel, List<Integer> fields, RelDataType rowType) {
    GpuRelImplementor implementor = new GpuRelImplementor(rel.getCluster());
    PhysicalPlan input = implementor.visit(rel);
    List<Expr> all = input.references();
    PhysicalPlan plan = new PhysicalPlan.Project(input, fields.stream().map(all::get).toList());
    return implementor.query(rel, plan, rowType);
  }

  private GpuQuery query(RelNode rel, PhysicalPlan plan, RelDataType rowType) {
    runtimeValues.prepare();
    return new GpuQuery(rowType, plan, plans, runtimeValues, engines);
  }
}
