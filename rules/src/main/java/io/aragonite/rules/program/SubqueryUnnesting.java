package io.aragonite.rules.program;

import io.aragonite.rules.rel.NullAwareAnti;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelCollations;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.CorrelationId;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.logical.LogicalFilter;
import org.apache.calcite.rel.logical.LogicalJoin;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.logical.LogicalSort;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexSubQuery;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.jspecify.annotations.Nullable;

/**
 * Turns EXISTS and IN in the conjuncts of a filter into semi-joins, and their negations into
 * anti-joins, with correlated conditions as conditions of the join. Calcite's own way makes inner
 * joins with distinct values and, for correlation by inequality, with a copy of the outer table.
 * What does not fit is left to it.
 */
final class SubqueryUnnesting extends RelHomogeneousShuttle {
  @Override
  public RelNode visit(RelNode other) {
    RelNode rel = super.visit(other);
    rel = rel.accept(new Nested());
    return rel instanceof LogicalFilter filter ? unnest(filter) : rel;
  }

  /** Goes into the subqueries that expressions hold. */
  private final class Nested extends RexShuttle {
    @Override
    public RexNode visitSubQuery(RexSubQuery subQuery) {
      RexSubQuery call = (RexSubQuery) super.visitSubQuery(subQuery);
      RelNode rel = call.rel.accept(SubqueryUnnesting.this);
      return rel.equals(call.rel) ? call : call.clone(rel);
    }
  }

  private static RelNode unnest(LogicalFilter filter) {
    List<RexNode> plain = new ArrayList<>();
    List<RexNode> left = new ArrayList<>();
    List<RexNode> joins = new ArrayList<>();
    for (RexNode term : RelOptUtil.conjunctions(filter.getCondition())) {
      if (RexUtil.SubQueryFinder.find(term) == null) {
        plain.add(term);
      } else if (subQuery(term) != null) {
        joins.add(term);
      } else {
        left.add(term);
      }
    }
    if (joins.isEmpty()) {
      return filter;
    }
    RexBuilder rexBuilder = filter.getCluster().getRexBuilder();
    RelNode rel = filter.getInput();
    if (!plain.isEmpty()) {
      rel = LogicalFilter.create(rel, RexUtil.composeConjunction(rexBuilder, plain));
    }
    Set<CorrelationId> variables = filter.getVariablesSet();
    boolean changed = false;
    for (RexNode term : joins) {
      RelNode joined = join(rel, term, variables);
      if (joined == null) {
        left.add(term);
      } else {
        rel = joined;
        changed = true;
      }
    }
    if (!changed) {
      return filter;
    }
    if (left.isEmpty()) {
      return rel;
    }
    return LogicalFilter.create(
        rel,
        RexUtil.composeConjunction(rexBuilder, left),
        com.google.common.collect.ImmutableSet.copyOf(variables));
  }

  private static @Nullable RexSubQuery subQuery(RexNode term) {
    RexNode node = term.isA(SqlKind.NOT) ? ((RexCall) term).getOperands().get(0) : term;
    boolean known = node.isA(SqlKind.EXISTS) || node.isA(SqlKind.IN);
    if (!known || !(node instanceof RexSubQuery subQuery)) {
      return null;
    }
    boolean nested =
        subQuery.getOperands().stream()
            .anyMatch(operand -> RexUtil.SubQueryFinder.find(operand) != null);
    return nested ? null : subQuery;
  }

  private static @Nullable RelNode join(RelNode input, RexNode term, Set<CorrelationId> variables) {
    RexSubQuery subQuery = subQuery(term);
    if (subQuery == null) {
      return null;
    }
    boolean exists = subQuery.isA(SqlKind.EXISTS);
    boolean negated = term.isA(SqlKind.NOT);
    RelNode body = exists ? withoutProjects(subQuery.rel) : subQuery.rel;
    Decorrelated inner = Decorrelated.of(body, variables);
    if (inner == null || !RelOptUtil.getVariablesUsed(inner.rel()).isEmpty()) {
      // What is left is correlated with a query further out, or in a way that cannot be pulled up.
      return null;
    }
    RexBuilder rexBuilder = input.getCluster().getRexBuilder();
    int width = input.getRowType().getFieldCount();
    List<RexNode> conditions = new ArrayList<>();
    boolean nullable = false;
    for (int i = 0; i < subQuery.getOperands().size(); i++) {
      RexNode operand = subQuery.getOperands().get(i);
      RelDataType type = inner.rel().getRowType().getFieldList().get(i).getType();
      nullable |= operand.getType().isNullable() || type.isNullable();
      conditions.add(
          rexBuilder.makeCall(
              SqlStdOperatorTable.EQUALS, operand, rexBuilder.makeInputRef(type, width + i)));
    }
    boolean nullAware = negated && !exists && nullable;
    if (nullAware && (!inner.conditions().isEmpty() || !NullAwareAnti.allow(input.getCluster()))) {
      return null;
    }
    for (RexNode condition : inner.conditions()) {
      conditions.add(inner.overJoin(condition, input, rexBuilder));
    }
    return join(input, inner.rel(), conditions, negated, nullAware);
  }

  private static RelNode join(
      RelNode left, RelNode inner, List<RexNode> conditions, boolean negated, boolean nullAware) {
    RexBuilder rexBuilder = left.getCluster().getRexBuilder();
    RelNode right = conditions.isEmpty() ? firstRow(inner) : inner;
    JoinInput outer = new JoinInput(left);
    List<RexNode> keyed = new ArrayList<>();
    for (RexNode condition : conditions) {
      keyed.add(outer.withKey(condition));
    }
    int added = outer.addedColumns();
    int width = left.getRowType().getFieldCount();
    List<RexNode> shifted = new ArrayList<>();
    for (RexNode condition : keyed) {
      shifted.add(outer.place(condition, width, added));
    }
    LogicalJoin join =
        LogicalJoin.create(
            outer.rel(),
            right,
            List.of(),
            RexUtil.composeConjunction(rexBuilder, shifted),
            Set.of(),
            negated ? JoinRelType.ANTI : JoinRelType.SEMI);
    return outer.restore(nullAware ? NullAwareAnti.mark(join) : join);
  }

  /** Whether there is a row at all is all that is asked. */
  private static RelNode firstRow(RelNode rel) {
    RexBuilder rexBuilder = rel.getCluster().getRexBuilder();
    return LogicalSort.create(
        rel, RelCollations.EMPTY, null, rexBuilder.makeExactLiteral(java.math.BigDecimal.ONE));
  }

  /** The columns of an EXISTS do not matter. */
  private static RelNode withoutProjects(RelNode rel) {
    RelNode result = rel;
    while (result instanceof LogicalProject project && !project.containsOver()) {
      result = project.getInput();
    }
    return result;
  }

  /** The outer side, with computed keys as columns so that the join can hash them. */
  private static final class JoinInput {
    private final RelNode rel;
    private final List<RexNode> columns = new ArrayList<>();
    private final int width;

    JoinInput(RelNode rel) {
      this.rel = rel;
      this.width = rel.getRowType().getFieldCount();
      for (int i = 0; i < width; i++) {
        columns.add(RexInputRef.of(i, rel.getRowType()));
      }
    }

    int addedColumns() {
      return columns.size() - width;
    }

    /** An equality whose left operand is computed from outer columns gets a column for it. */
    RexNode withKey(RexNode condition) {
      if (!condition.isA(SqlKind.EQUALS)) {
        return condition;
      }
      RexCall call = (RexCall) condition;
      RexNode key = call.getOperands().get(0);
      boolean outerOnly =
          RelOptUtil.InputFinder.bits(key).asList().stream().allMatch(column -> column < width);
      boolean inner = call.getOperands().get(1) instanceof RexInputRef;
      if (key instanceof RexInputRef || !outerOnly || !inner || RexUtil.isConstant(key)) {
        return condition;
      }
      columns.add(key);
      // A negative place stands for an added column until all are known.
      RexNode ref = new Added(columns.size() - 1, key.getType());
      return call.clone(call.getType(), List.of(ref, call.getOperands().get(1)));
    }

    /** Moves references of the inner side behind the added columns. */
    RexNode place(RexNode condition, int outerWidth, int added) {
      return condition.accept(
          new RexShuttle() {
            @Override
            public RexNode visitInputRef(RexInputRef ref) {
              if (ref instanceof Added) {
                return new RexInputRef(ref.getIndex(), ref.getType());
              }
              return ref.getIndex() < outerWidth || added == 0
                  ? ref
                  : new RexInputRef(ref.getIndex() + added, ref.getType());
            }
          });
    }

    RelNode rel() {
      return addedColumns() == 0 ? rel : Projections.of(rel, columns);
    }

    RelNode restore(RelNode join) {
      return addedColumns() == 0
          ? join
          : RelOptUtil.createProject(
              join, columns.subList(0, width), rel.getRowType().getFieldNames());
    }
  }

  private static final class Added extends RexInputRef {
    Added(int index, RelDataType type) {
      super(index, type);
    }
  }
}
