package io.aragonite.rules.program;

import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.plan.RelOptUtil.InputFinder;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.logical.LogicalAggregate;
import org.apache.calcite.rel.logical.LogicalJoin;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlKind;
import org.jspecify.annotations.Nullable;

/**
 * COUNT of a column behind an outer join counts the join's key instead, if the column is null only
 * where a row had no partner: the key is at hand, and the column is needed no more (TPC-H 13 counts
 * the orders of each customer by their keys, which nothing else wants).
 */
final class CountKeyRewrite extends RelHomogeneousShuttle {
  @Override
  public RelNode visit(RelNode other) {
    RelNode rel = super.visit(other);
    return rel instanceof LogicalAggregate aggregate ? counted(aggregate) : rel;
  }

  private static RelNode counted(LogicalAggregate aggregate) {
    LogicalProject project =
        aggregate.getInput() instanceof LogicalProject between ? between : null;
    RelNode below = project == null ? aggregate.getInput() : project.getInput();
    if (!(below instanceof LogicalJoin join)) {
      return aggregate;
    }
    List<RexNode> columns = new ArrayList<>();
    if (project == null) {
      for (int i = 0; i < join.getRowType().getFieldCount(); i++) {
        columns.add(RexInputRef.of(i, join.getRowType()));
      }
    } else {
      columns.addAll(project.getProjects());
    }
    List<AggregateCall> calls = new ArrayList<>();
    boolean changed = false;
    for (AggregateCall call : aggregate.getAggCallList()) {
      RexInputRef key = isCount(call) ? key(aggregate, columns, call, join) : null;
      if (key != null) {
        int place = columns.indexOf(key);
        if (place < 0) {
          place = columns.size();
          columns.add(key);
        }
        changed = true;
        calls.add(call.withArgList(List.of(place)));
      } else {
        calls.add(call);
      }
    }
    return changed
        ? aggregate.copy(
            aggregate.getTraitSet(),
            Projections.of(join, columns),
            aggregate.getGroupSet(),
            aggregate.getGroupSets(),
            calls)
        : aggregate;
  }

  private static boolean isCount(AggregateCall call) {
    return call.getAggregation().getKind() == SqlKind.COUNT
        && call.getArgList().size() == 1
        && !call.isDistinct()
        && call.distinctKeys == null;
  }

  /** The key that is null where what is counted is; null if there is none, or it gains nothing. */
  private static @Nullable RexInputRef key(
      LogicalAggregate aggregate, List<RexNode> columns, AggregateCall call, LogicalJoin join) {
    int argument = call.getArgList().getFirst();
    if (!(columns.get(argument) instanceof RexInputRef counted)
        || isWanted(aggregate, columns, counted.getIndex())) {
      return null;
    }
    int width = join.getLeft().getRowType().getFieldCount();
    boolean isLeft = counted.getIndex() < width;
    if (join.getJoinType() != (isLeft ? JoinRelType.RIGHT : JoinRelType.LEFT)) {
      return null;
    }
    List<RelDataTypeField> fields =
        (isLeft ? join.getLeft() : join.getRight()).getRowType().getFieldList();
    int field = isLeft ? counted.getIndex() : counted.getIndex() - width;
    if (fields.get(field).getType().isNullable()) {
      return null;
    }
    List<Integer> leftKeys = new ArrayList<>();
    List<Integer> rightKeys = new ArrayList<>();
    List<Boolean> filterNulls = new ArrayList<>();
    RelOptUtil.splitJoinCondition(
        join.getLeft(), join.getRight(), join.getCondition(), leftKeys, rightKeys, filterNulls);
    List<Integer> keys = isLeft ? leftKeys : rightKeys;
    if (keys.contains(field)) {
      return null;
    }
    for (int i = 0; i < keys.size(); i++) {
      // A key that is equal to another is not null; one that is not distinct may be.
      if (filterNulls.get(i) || !fields.get(keys.get(i)).getType().isNullable()) {
        return RexInputRef.of(keys.get(i) + (isLeft ? 0 : width), join.getRowType());
      }
    }
    return null;
  }

  /** Whether a column of the join is needed but for being counted. */
  private static boolean isWanted(LogicalAggregate aggregate, List<RexNode> columns, int column) {
    for (int i = 0; i < columns.size(); i++) {
      int place = i;
      if (InputFinder.bits(columns.get(i)).get(column)
          && (!(columns.get(i) instanceof RexInputRef)
              || aggregate.getGroupSet().get(place)
              || aggregate.getAggCallList().stream()
                  .anyMatch(call ->
                      call.filterArg == place
                          || call.getArgList().contains(place) && !isCount(call)))) {
        return true;
      }
    }
    return false;
  }
}
