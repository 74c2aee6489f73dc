package io.aragonite.rules.program;

import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.logical.LogicalAggregate;
import org.apache.calcite.rel.logical.LogicalCorrelate;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;

/**
 * Makes left correlations of inner ones whose right side is always one row: an aggregate without
 * keys, as in {@code FROM a, LATERAL (SELECT MAX(x) FROM b WHERE b.k = a.k)}. A row of the left
 * side is kept either way, but Calcite decorrelates a left one to a left join, and an inner one to
 * an inner join, which would lose rows; it finds its own mistake by the type and gives up.
 */
final class SingleRowCorrelates extends RelHomogeneousShuttle {
  @Override
  public RelNode visit(RelNode other) {
    RelNode rel = super.visit(other);
    return rel instanceof LogicalCorrelate correlate
            && correlate.getJoinType() == JoinRelType.INNER
            && isSingleRow(correlate.getRight())
        ? left(correlate)
        : rel;
  }

  private static boolean isSingleRow(RelNode rel) {
    return switch (rel) {
      case LogicalProject project -> isSingleRow(project.getInput());
      case LogicalAggregate aggregate ->
          aggregate.getGroupType() == Aggregate.Group.SIMPLE && aggregate.getGroupCount() == 0;
      default -> false;
    };
  }

  /** The right side's columns, nullable after a left correlation, get their type back. */
  private static RelNode left(LogicalCorrelate inner) {
    RelNode left =
        LogicalCorrelate.create(
            inner.getLeft(),
            inner.getRight(),
            inner.getHints(),
            inner.getCorrelationId(),
            inner.getRequiredColumns(),
            JoinRelType.LEFT);
    RexBuilder rexBuilder = inner.getCluster().getRexBuilder();
    List<RexNode> columns = new ArrayList<>();
    for (int i = 0; i < left.getRowType().getFieldCount(); i++) {
      RexNode column = RexInputRef.of(i, left.getRowType());
      RelDataType type = inner.getRowType().getFieldList().get(i).getType();
      columns.add(
          column.getType().equals(type) ? column : rexBuilder.makeCast(type, column, true, false));
    }
    return RelOptUtil.createProject(left, columns, inner.getRowType().getFieldNames());
  }
}
