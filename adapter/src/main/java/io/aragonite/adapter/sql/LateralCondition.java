package io.aragonite.adapter.sql;

import com.google.common.collect.ImmutableSet;
import io.aragonite.rules.program.subquery.OuterColumns;
import java.util.List;
import java.util.function.Predicate;
import org.apache.calcite.rel.core.CorrelationId;
import org.apache.calcite.rel.logical.LogicalCorrelate;
import org.apache.calcite.rel.logical.LogicalFilter;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexNode;

/**
 * ON of a lateral join. Calcite's converter makes it a filter of the right rows, but forgets its
 * subqueries: their variable stands for a row of both sides, which no node has.
 */
final class LateralCondition {
  private LateralCondition() {}

  /**
   * The join with two variables in place of each of ON: the join's own for the left row, and one
   * for the right row.
   *
   * @param join with a filter of ON on its right
   * @param ofOn whether a variable stands for a row of both sides
   * @param rightRow a new variable
   */
  static LogicalCorrelate split(
      LogicalCorrelate join, Predicate<CorrelationId> ofOn, CorrelationId rightRow) {
    LogicalFilter filter = (LogicalFilter) join.getRight();
    RexBuilder rexBuilder = join.getCluster().getRexBuilder();
    int leftColumns = join.getLeft().getRowType().getFieldCount();
    RexNode condition =
        OuterColumns.replace(
            filter.getCondition(),
            (variable, row, field) -> {
              if (!ofOn.test(variable)) {
                return null;
              }
              List<RelDataTypeField> fields = row.getFieldList();
              boolean left = field < leftColumns;
              RelDataType side =
                  rexBuilder
                      .getTypeFactory()
                      .createStructType(
                          left
                              ? fields.subList(0, leftColumns)
                              : fields.subList(leftColumns, fields.size()));
              return rexBuilder.makeFieldAccess(
                  rexBuilder.makeCorrel(side, left ? join.getCorrelationId() : rightRow),
                  left ? field : field - leftColumns);
            });
    LogicalFilter changed =
        LogicalFilter.create(
            filter.getInput(),
            condition,
            OuterColumns.fields(condition, rightRow).isEmpty()
                ? ImmutableSet.of()
                : ImmutableSet.of(rightRow));
    return LogicalCorrelate.create(
        join.getLeft(),
        changed,
        join.getHints(),
        join.getCorrelationId(),
        join.getRequiredColumns().union(OuterColumns.fields(changed, join.getCorrelationId())),
        join.getJoinType());
  }
}
