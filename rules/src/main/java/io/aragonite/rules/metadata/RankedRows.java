package io.aragonite.rules.metadata;

import java.math.BigDecimal;
import java.util.List;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.core.Window;
import org.apache.calcite.rel.metadata.RelMetadataQuery;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexOver;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.util.ImmutableBitSet;

/**
 * Rows that a condition on their rank leaves: {@code rank() over (...) <= 10} leaves ten of each
 * partition.
 */
final class RankedRows {
  private RankedRows() {}

  /** Infinite if no condition is one on a rank. Rows of equal rank count once. */
  static double most(Filter filter, RelMetadataQuery mq) {
    double most = Double.POSITIVE_INFINITY;
    for (RexNode condition : RelOptUtil.conjunctions(filter.getCondition())) {
      double ranks = ranks(condition);
      if (ranks < most) {
        RexInputRef rank = (RexInputRef) ((RexCall) condition).getOperands().getFirst();
        most = Math.min(most, Math.max(1, ranks) * partitions(filter.getInput(), rank, mq));
      }
    }
    return most;
  }

  /** How many ranks satisfy a condition; infinite if it is none of a column and a constant. */
  private static double ranks(RexNode condition) {
    if (!(condition instanceof RexCall call)
        || call.getOperands().size() != 2
        || !(call.getOperands().get(0) instanceof RexInputRef)
        || !(call.getOperands().get(1) instanceof RexLiteral literal)
        || !(literal.getValue() instanceof BigDecimal bound)) {
      return Double.POSITIVE_INFINITY;
    }
    return switch (condition.getKind()) {
      case EQUALS -> 1;
      case LESS_THAN -> Math.ceil(bound.doubleValue()) - 1;
      case LESS_THAN_OR_EQUAL -> Math.floor(bound.doubleValue());
      default -> Double.POSITIVE_INFINITY;
    };
  }

  /** How many partitions the window of a rank has; infinite if a column is no rank. */
  private static double partitions(RelNode input, RexInputRef rank, RelMetadataQuery mq) {
    RelNode rel = input.stripped();
    int column = rank.getIndex();
    return switch (rel) {
      case Filter filter -> partitions(filter.getInput(), rank, mq);
      case Project project -> {
        RexNode expression = project.getProjects().get(column);
        if (expression instanceof RexInputRef below) {
          yield partitions(project.getInput(), below, mq);
        }
        yield expression instanceof RexOver over && isRank(over.getOperator().getKind())
            ? partitions(project.getInput(), over.getWindow().partitionKeys, mq)
            : Double.POSITIVE_INFINITY;
      }
      case Window window -> partitions(window, rank, mq);
      default -> Double.POSITIVE_INFINITY;
    };
  }

  private static double partitions(Window window, RexInputRef rank, RelMetadataQuery mq) {
    int columns = window.getInput().getRowType().getFieldCount();
    int call = rank.getIndex() - columns;
    if (call < 0) {
      return partitions(window.getInput(), rank, mq);
    }
    for (Window.Group group : window.groups) {
      if (call < group.aggCalls.size()) {
        return isRank(group.aggCalls.get(call).getOperator().getKind())
            ? JoinEstimates.distinct(window.getInput(), mq, group.keys)
            : Double.POSITIVE_INFINITY;
      }
      call -= group.aggCalls.size();
    }
    return Double.POSITIVE_INFINITY;
  }

  private static double partitions(RelNode input, List<RexNode> keys, RelMetadataQuery mq) {
    ImmutableBitSet.Builder columns = ImmutableBitSet.builder();
    for (RexNode key : keys) {
      if (!(key instanceof RexInputRef ref)) {
        return Double.POSITIVE_INFINITY;
      }
      columns.set(ref.getIndex());
    }
    return JoinEstimates.distinct(input, mq, columns.build());
  }

  private static boolean isRank(SqlKind kind) {
    return kind == SqlKind.RANK || kind == SqlKind.ROW_NUMBER;
  }
}
