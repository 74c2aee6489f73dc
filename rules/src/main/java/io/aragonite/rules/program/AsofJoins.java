package io.aragonite.rules.program;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.logical.LogicalAsofJoin;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.tools.RelBuilder;
import org.apache.calcite.util.ImmutableBitSet;
import org.jspecify.annotations.Nullable;

/**
 * ASOF joins as joins: each row of the right side gets the value of the next one with the same
 * keys, and a row of the left side has its partner where its own value lies between the two.
 * Calcite's operator of its own returns other rows than the nearest (in 1.42).
 */
final class AsofJoins extends RelHomogeneousShuttle {
  @Override
  public RelNode visit(LogicalAsofJoin join) {
    return joined((LogicalAsofJoin) super.visit(join));
  }

  private static RelNode joined(LogicalAsofJoin join) {
    int left = join.getLeft().getRowType().getFieldCount();
    int right = join.getRight().getRowType().getFieldCount();
    RexCall match = oriented(join, left);
    RexNode rightValue = RexUtil.shift(match.getOperands().get(1), -left);
    boolean latest =
        match.getKind() == SqlKind.GREATER_THAN || match.getKind() == SqlKind.GREATER_THAN_OR_EQUAL;
    List<RexNode> keys = rightKeys(join, left);
    RelBuilder builder = Simplification.NONE.create(join.getCluster(), null);
    builder.push(join.getLeft());
    builder.push(join.getRight()).filter(builder.isNotNull(rightValue));
    List<RexNode> columns = new ArrayList<>(builder.fields());
    columns.add(
        builder
            .aggregateCall(SqlStdOperatorTable.LEAD, rightValue)
            .over()
            .partitionBy(keys)
            .orderBy(latest ? rightValue : builder.desc(rightValue))
            .rowsUnbounded()
            .toRex());
    builder.project(columns, List.of(), true);
    RexNode next = builder.field(2, 1, right);
    RexNode before =
        builder.call(
            Objects.requireNonNull(opposite(match.getKind())), match.getOperands().get(0), next);
    RexNode condition =
        builder.and(join.getCondition(), match, builder.or(before, builder.isNull(next)));
    builder.join(
        join.getJoinType() == JoinRelType.LEFT_ASOF ? JoinRelType.LEFT : JoinRelType.INNER,
        condition);
    return builder
        .project(
            builder.fields(ImmutableBitSet.range(left + right)),
            join.getRowType().getFieldNames(),
            true)
        .build();
  }

  /** The right sides of the equalities. */
  private static List<RexNode> rightKeys(LogicalAsofJoin join, int left) {
    List<RexNode> keys = new ArrayList<>();
    for (RexNode condition : RelOptUtil.conjunctions(join.getCondition())) {
      if (condition.isAlwaysTrue()) {
        continue;
      }
      RexNode key = null;
      if (condition instanceof RexCall call && call.getKind() == SqlKind.EQUALS) {
        RexNode first = call.getOperands().get(0);
        RexNode second = call.getOperands().get(1);
        if (side(first, left, true) && side(second, left, false)) {
          key = second;
        } else if (side(first, left, false) && side(second, left, true)) {
          key = first;
        }
      }
      if (key == null) {
        throw new AragoniteException(
            ErrorCode.EXPRESSION_UNSUPPORTED,
            "Beside its inequality an ASOF join has equalities between its sides only; '%s' goes into WHERE or a subquery."
                .formatted(condition));
      }
      keys.add(RexUtil.shift(key, -left));
    }
    return keys;
  }

  /** The comparison with the left side's value first. */
  private static RexCall oriented(LogicalAsofJoin join, int left) {
    RexNode match = join.getMatchCondition();
    if (match instanceof RexCall call && call.getOperands().size() == 2) {
      boolean inOrder =
          side(call.getOperands().get(0), left, true)
              && side(call.getOperands().get(1), left, false);
      boolean reversed =
          side(call.getOperands().get(0), left, false)
              && side(call.getOperands().get(1), left, true);
      if ((inOrder || reversed) && opposite(call.getKind()) != null) {
        return inOrder
            ? call
            : (RexCall)
                Objects.requireNonNull(RexUtil.invert(join.getCluster().getRexBuilder(), call));
      }
    }
    throw new AragoniteException(
        ErrorCode.EXPRESSION_UNSUPPORTED,
        "The inequality of an ASOF join compares a value of the left side with one of the right by <, <=, > or >=; '%s' does not."
            .formatted(match));
  }

  private static boolean side(RexNode value, int left, boolean isLeft) {
    for (int field : RelOptUtil.InputFinder.bits(value)) {
      if (field < left != isLeft) {
        return false;
      }
    }
    return true;
  }

  /** What holds for the next value: that it lies on the other side. */
  private static @Nullable SqlOperator opposite(SqlKind kind) {
    return switch (kind) {
      case GREATER_THAN -> SqlStdOperatorTable.LESS_THAN_OR_EQUAL;
      case GREATER_THAN_OR_EQUAL -> SqlStdOperatorTable.LESS_THAN;
      case LESS_THAN -> SqlStdOperatorTable.GREATER_THAN_OR_EQUAL;
      case LESS_THAN_OR_EQUAL -> SqlStdOperatorTable.GREATER_THAN;
      default -> null;
    };
  }
}
