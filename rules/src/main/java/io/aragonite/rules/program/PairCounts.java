package io.aragonite.rules.program;

import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.logical.LogicalAggregate;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;

/**
 * REGR_COUNT, of users and of covariances that were reduced to sums, as a COUNT of the rows in
 * which both arguments have a value: nothing on the device counts pairs.
 */
final class PairCounts extends RelHomogeneousShuttle {
  @Override
  public RelNode visit(RelNode other) {
    RelNode rel = super.visit(other);
    return rel instanceof LogicalAggregate aggregate
            && aggregate.getAggCallList().stream().anyMatch(PairCounts::is)
        ? counted(aggregate)
        : rel;
  }

  private static boolean is(AggregateCall call) {
    return call.getAggregation().equals(SqlStdOperatorTable.REGR_COUNT) && !call.isDistinct();
  }

  private static RelNode counted(LogicalAggregate aggregate) {
    RelNode input = aggregate.getInput();
    RexBuilder rexBuilder = input.getCluster().getRexBuilder();
    List<RexNode> columns = new ArrayList<>(rexBuilder.identityProjects(input.getRowType()));
    List<AggregateCall> calls = new ArrayList<>();
    for (AggregateCall call : aggregate.getAggCallList()) {
      if (!is(call)) {
        calls.add(call);
        continue;
      }
      List<RexNode> conditions = new ArrayList<>();
      if (call.hasFilter()) {
        conditions.add(columns.get(call.filterArg));
      }
      for (int arg : call.getArgList()) {
        RexNode value = columns.get(arg);
        if (value.getType().isNullable()) {
          conditions.add(rexBuilder.makeCall(SqlStdOperatorTable.IS_NOT_NULL, value));
        }
      }
      RexNode condition = RexUtil.composeConjunction(rexBuilder, conditions);
      int filter = conditions.isEmpty() ? -1 : place(columns, condition);
      calls.add(
          AggregateCall.create(
              call.getParserPosition(),
              SqlStdOperatorTable.COUNT,
              false,
              call.isApproximate(),
              false,
              call.rexList,
              List.of(),
              filter,
              call.distinctKeys,
              call.collation,
              call.getType(),
              call.getName()));
    }
    return aggregate.copy(
        aggregate.getTraitSet(),
        Projections.of(input, columns),
        aggregate.getGroupSet(),
        aggregate.getGroupSets(),
        calls);
  }

  private static int place(List<RexNode> columns, RexNode condition) {
    int known = columns.indexOf(condition);
    if (known >= 0) {
      return known;
    }
    columns.add(condition);
    return columns.size() - 1;
  }
}
