package io.aragonite.rules.program.subquery;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelCollations;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.logical.LogicalAggregate;
import org.apache.calcite.rel.logical.LogicalFilter;
import org.apache.calcite.rel.logical.LogicalJoin;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.logical.LogicalSort;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexFieldAccess;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexOver;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.SqlAggFunction;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.type.SqlTypeUtil;
import org.apache.calcite.util.ImmutableBitSet;
import org.jspecify.annotations.Nullable;

/** Relational nodes and expressions, by the positions of columns. */
final class Rels {
  private Rels() {}

  static int width(RelNode rel) {
    return rel.getRowType().getFieldCount();
  }

  static RexInputRef ref(RelNode rel, int column) {
    return RexInputRef.of(column, rel.getRowType());
  }

  static List<RexNode> refs(RelNode rel, int from, int to) {
    List<RexNode> refs = new ArrayList<>();
    for (int i = from; i < to; i++) {
      refs.add(ref(rel, i));
    }
    return refs;
  }

  static RelNode project(RelNode input, List<? extends RexNode> columns) {
    return LogicalProject.create(input, List.of(), columns, (List<String>) null, Set.of());
  }

  /** The input itself if there is no condition. */
  static RelNode filter(RelNode input, List<RexNode> conditions) {
    if (conditions.isEmpty()) {
      return input;
    }
    RexNode condition = RexUtil.composeConjunction(input.getCluster().getRexBuilder(), conditions);
    // Calcite asserts that a condition is no cast which only adds nulls.
    return LogicalFilter.create(
        input, RexUtil.removeNullabilityCast(input.getCluster().getTypeFactory(), condition));
  }

  static LogicalJoin join(RelNode left, RelNode right, List<RexNode> conditions, JoinRelType type) {
    RexBuilder rexBuilder = left.getCluster().getRexBuilder();
    return LogicalJoin.create(
        left, right, List.of(), RexUtil.composeConjunction(rexBuilder, conditions), Set.of(), type);
  }

  /** The distinct values of expressions. */
  static RelNode distinct(RelNode input, List<? extends RexNode> columns) {
    RelNode projected = project(input, columns);
    return LogicalAggregate.create(
        projected, List.of(), ImmutableBitSet.range(columns.size()), null, List.of());
  }

  static AggregateCall call(SqlAggFunction function, RelNode input, Integer... args) {
    return AggregateCall.create(
        SqlParserPos.ZERO,
        function,
        false,
        false,
        false,
        List.of(),
        List.of(args),
        -1,
        null,
        RelCollations.EMPTY,
        true,
        input,
        null,
        null);
  }

  /** One row: aggregates over all rows. */
  static RelNode aggregate(RelNode input, List<AggregateCall> calls) {
    return LogicalAggregate.create(input, List.of(), ImmutableBitSet.of(), null, calls);
  }

  /** At most one row. */
  static RelNode firstRow(RelNode input) {
    RexBuilder rexBuilder = input.getCluster().getRexBuilder();
    return LogicalSort.create(
        input, RelCollations.EMPTY, null, rexBuilder.makeExactLiteral(BigDecimal.ONE));
  }

  /** The same rows with columns of the wanted types, as the tree around it expects them. */
  static RelNode typed(RelNode rel, RelDataType wanted) {
    return typed(rel, refs(rel, 0, wanted.getFieldCount()), wanted);
  }

  /** Columns cast to the wanted types where they differ, with the wanted names. */
  static RelNode typed(RelNode rel, List<RexNode> columns, RelDataType wanted) {
    RexBuilder rexBuilder = rel.getCluster().getRexBuilder();
    List<RexNode> cast = new ArrayList<>();
    boolean same = wanted.getFieldCount() == width(rel);
    for (int i = 0; i < wanted.getFieldCount(); i++) {
      RelDataType type = wanted.getFieldList().get(i).getType();
      RexNode column = columns.get(i);
      boolean as = column.getType().equals(type);
      cast.add(as ? column : rexBuilder.makeCast(type, column, true, false));
      same &= as && column instanceof RexInputRef ref && ref.getIndex() == i;
    }
    return same ? rel : RelOptUtil.createProject(rel, cast, wanted.getFieldNames());
  }

  /** A value cast to a type if it has another. */
  static RexNode as(RelDataType type, RexNode value, RexBuilder rexBuilder) {
    return value.getType().equals(type) ? value : rexBuilder.makeCast(type, value, true, false);
  }

  static RexNode isNotNull(RelNode rel, RexNode value) {
    return rel.getCluster().getRexBuilder().makeCall(SqlStdOperatorTable.IS_NOT_NULL, value);
  }

  /** An equality for which nulls are equal, if there may be nulls on both sides. */
  static RexNode same(RexBuilder rexBuilder, RexNode left, RexNode right) {
    boolean nulls = left.getType().isNullable() && right.getType().isNullable();
    return rexBuilder.makeCall(
        nulls ? SqlStdOperatorTable.IS_NOT_DISTINCT_FROM : SqlStdOperatorTable.EQUALS, left, right);
  }

  /** Moves references to other places; types are those of the row there. */
  static RexNode move(RexNode expression, Places places, RelNode rel) {
    RexBuilder rexBuilder = rel.getCluster().getRexBuilder();
    return expression.accept(
        new RexShuttle() {
          @Override
          public RexNode visitInputRef(RexInputRef ref) {
            return Rels.ref(rel, places.of(ref.getIndex()));
          }

          @Override
          public RexNode visitCall(RexCall call) {
            RexNode moved = super.visitCall(call);
            return moved instanceof RexCall changed ? retyped(changed, rexBuilder) : moved;
          }

          /** Behind an outer join the fields of a struct may be null. */
          @Override
          public RexNode visitFieldAccess(RexFieldAccess access) {
            RexNode struct = access.getReferenceExpr().accept(this);
            return struct.getType().equals(access.getReferenceExpr().getType())
                ? super.visitFieldAccess(access)
                : rexBuilder.makeFieldAccess(struct, access.getField().getIndex());
          }
        });
  }

  /**
   * A call that may be null where its operands may: columns may be null after a join that could not
   * before, and the other way about, and Calcite asserts that calls know.
   */
  static RexNode retyped(RexCall call, RexBuilder rexBuilder) {
    boolean known =
        !(call instanceof RexOver)
            && switch (call.getKind()) {
              case EQUALS,
                  NOT_EQUALS,
                  LESS_THAN,
                  LESS_THAN_OR_EQUAL,
                  GREATER_THAN,
                  GREATER_THAN_OR_EQUAL,
                  AND,
                  OR,
                  NOT,
                  PLUS,
                  MINUS,
                  TIMES,
                  DIVIDE,
                  CASE,
                  COALESCE ->
                  true;
              default -> false;
            };
    if (!known) {
      return call;
    }
    RelDataType type =
        call.getOperator().equals(SqlStdOperatorTable.MINUS_DATE)
            ? ofDifference(call, rexBuilder)
            : rexBuilder.deriveReturnType(call.getOperator(), call.getOperands());
    return !type.equals(call.getType()) && SqlTypeUtil.equalSansNullability(type, call.getType())
        ? call.clone(type, call.getOperands())
        : call;
  }

  /** The operator itself takes its type from an operand that only a syntax tree has. */
  private static RelDataType ofDifference(RexCall difference, RexBuilder rexBuilder) {
    return rexBuilder
        .getTypeFactory()
        .createTypeWithNullability(
            difference.getType(),
            difference.getOperands().stream().anyMatch(each -> each.getType().isNullable()));
  }

  /** Where a column is now. */
  @FunctionalInterface
  interface Places {
    int of(int column);
  }

  /** The columns of an EXISTS do not matter. */
  static RelNode withoutProjects(RelNode rel) {
    RelNode result = rel;
    while (result instanceof LogicalProject project
        && !project.containsOver()
        && project.getProjects().stream().noneMatch(Rels::hasSubQuery)) {
      result = project.getInput();
    }
    return result;
  }

  static boolean hasSubQuery(@Nullable RexNode expression) {
    return expression != null && RexUtil.SubQueryFinder.find(expression) != null;
  }
}
