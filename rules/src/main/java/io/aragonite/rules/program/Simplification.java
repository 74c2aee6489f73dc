package io.aragonite.rules.program;

import com.google.common.collect.Iterables;
import com.google.common.collect.Sets;
import java.util.List;
import java.util.Set;
import org.apache.calcite.plan.RelOptPredicateList;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexExecutor;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexSimplify;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.util.Util;

/**
 * Simplifies expressions, which Calcite else does while it converts a statement. There it is wrong
 * in 1.41: from {@code x NOT IN (...)} in a filter it takes x for not null, which it is not if the
 * subquery has no rows. So it comes when there are no subqueries any more.
 */
final class Simplification extends RelHomogeneousShuttle {
  private static final Set<SqlKind> ARITHMETIC_OR_COMPARISON =
      Sets.immutableEnumSet(
          Iterables.concat(
              SqlKind.COMPARISON, List.of(SqlKind.PLUS, SqlKind.MINUS, SqlKind.TIMES)));

  @Override
  public RelNode visit(RelNode other) {
    RelNode rel = super.visit(other);
    return switch (rel) {
      case Filter filter -> {
        RexNode condition = condition(rel, filter.getCondition());
        yield condition.isAlwaysTrue()
            ? filter.getInput()
            : filter.copy(filter.getTraitSet(), filter.getInput(), condition);
      }
      case Join join ->
          join.copy(
              join.getTraitSet(),
              condition(rel, join.getCondition()),
              join.getLeft(),
              join.getRight(),
              join.getJoinType(),
              join.isSemiJoinDone());
      case Project project -> {
        RexSimplify simplify = simplify(rel);
        List<RexNode> columns =
            Util.transform(project.getProjects(), column -> column(rel, column, simplify));
        yield columns.equals(project.getProjects())
            ? project
            : project.copy(
                project.getTraitSet(), project.getInput(), columns, project.getRowType());
      }
      default -> rel;
    };
  }

  private static RexNode condition(RelNode rel, RexNode condition) {
    RexNode simple = simplify(rel).simplifyFilterPredicates(RelOptUtil.conjunctions(condition));
    return simple == null
        ? rel.getCluster().getRexBuilder().makeLiteral(false)
        : retyped(rel, simple);
  }

  private static RexNode column(RelNode rel, RexNode column, RexSimplify simplify) {
    RexNode simple = retyped(rel, simplify.simplifyPreservingType(column));
    return simple.getType().equals(column.getType())
        ? simple
        : rel.getCluster().getRexBuilder().makeCast(column.getType(), simple, true, false);
  }

  /**
   * A call may still have the type of operands that might be null when its simpler ones may not,
   * and Calcite asserts that it has not when it simplifies what stands around it.
   */
  private static RexNode retyped(RelNode rel, RexNode expression) {
    RexBuilder rexBuilder = rel.getCluster().getRexBuilder();
    return expression.accept(
        new RexShuttle() {
          @Override
          public RexNode visitCall(RexCall call) {
            RexNode inner = super.visitCall(call);
            return inner instanceof RexCall changed ? neverNull(changed, rexBuilder) : inner;
          }
        });
  }

  private static RexSimplify simplify(RelNode rel) {
    RexBuilder rexBuilder = rel.getCluster().getRexBuilder();
    RexExecutor executor = rel.getCluster().getPlanner().getExecutor();
    return new RexSimplify(
        rexBuilder,
        RelOptPredicateList.EMPTY,
        new ConstantCasts(executor == null ? RexUtil.EXECUTOR : executor));
  }

  private static RexNode neverNull(RexCall call, RexBuilder rexBuilder) {
    boolean never =
        call.isA(ARITHMETIC_OR_COMPARISON)
            && call.getType().isNullable()
            && call.getOperands().stream().noneMatch(operand -> operand.getType().isNullable());
    return never
        ? call.clone(
            rexBuilder.getTypeFactory().createTypeWithNullability(call.getType(), false),
            call.getOperands())
        : call;
  }
}
