package io.aragonite.rules.program;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.logical.LogicalAggregate;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlKind;

/**
 * GROUPING is 0 where there is one set of keys. Rules that leave out keys, or the grouping of rows
 * that are different anyway, would have to keep it so.
 */
final class GroupingConstants extends RelHomogeneousShuttle {
  @Override
  public RelNode visit(RelNode other) {
    RelNode rel = super.visit(other);
    return rel instanceof LogicalAggregate aggregate
            && aggregate.getGroupType() == Aggregate.Group.SIMPLE
            && aggregate.getAggCallList().stream().anyMatch(GroupingConstants::isGrouping)
        ? without(aggregate)
        : rel;
  }

  private static RelNode without(LogicalAggregate aggregate) {
    List<AggregateCall> calls = new ArrayList<>(aggregate.getAggCallList());
    calls.removeIf(GroupingConstants::isGrouping);
    RelNode groups =
        LogicalAggregate.create(
            aggregate.getInput(),
            aggregate.getHints(),
            aggregate.getGroupSet(),
            aggregate.getGroupSets(),
            calls);
    List<RexNode> columns = new ArrayList<>();
    for (int key = 0; key < aggregate.getGroupCount(); key++) {
      columns.add(RexInputRef.of(key, groups.getRowType()));
    }
    int next = aggregate.getGroupCount();
    for (AggregateCall call : aggregate.getAggCallList()) {
      columns.add(
          isGrouping(call)
              ? aggregate
                  .getCluster()
                  .getRexBuilder()
                  .makeExactLiteral(BigDecimal.ZERO, call.getType())
              : RexInputRef.of(next++, groups.getRowType()));
    }
    return Projections.of(groups, columns);
  }

  private static boolean isGrouping(AggregateCall call) {
    SqlKind kind = call.getAggregation().getKind();
    return kind == SqlKind.GROUPING || kind == SqlKind.GROUPING_ID;
  }
}
