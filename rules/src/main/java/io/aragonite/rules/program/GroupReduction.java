package io.aragonite.rules.program;

import io.aragonite.exec.cost.GroupModel;
import io.aragonite.exec.cost.JoinModel;
import io.aragonite.exec.cost.JoinShape;
import io.aragonite.exec.profile.MachineProfile;
import io.aragonite.exec.profile.Skew;
import io.aragonite.rules.cost.JoinPricing;
import io.aragonite.rules.cost.OperatorCosts;
import io.aragonite.rules.metadata.JoinEstimates;
import io.aragonite.rules.metadata.KeyStatistics;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.core.TableScan;
import org.apache.calcite.rel.logical.LogicalAggregate;
import org.apache.calcite.rel.logical.LogicalFilter;
import org.apache.calcite.rel.logical.LogicalJoin;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.metadata.RelMetadataQuery;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.util.ImmutableBitSet;
import org.jspecify.annotations.Nullable;

/**
 * Grouping only what a join will want: a grouped subquery that is joined on its keys with a small
 * filtered table gets a semi-join with that table below the grouping ("magic set"). A decorrelated
 * subquery groups a whole table otherwise (TPC-H 17: the average quantity of 200,000 parts, of
 * which the query needs 200). Whether it pays is a matter of prices: of the semi-join, of the small
 * table's second reading and of the groups that need not be made.
 */
final class GroupReduction {
  private GroupReduction() {}

  /** Whether computing a relation twice costs little: a table, filtered and projected. */
  static boolean isSimple(RelNode rel) {
    return switch (rel) {
      case TableScan scan -> true;
      case LogicalFilter filter ->
          RexUtil.isDeterministic(filter.getCondition()) && isSimple(filter.getInput());
      case LogicalProject project ->
          project.getProjects().stream().allMatch(RexUtil::isDeterministic)
              && isSimple(project.getInput());
      default -> false;
    };
  }

  /** Whether a relation is an aggregate, perhaps under projections and filters. */
  static boolean isGrouped(RelNode rel) {
    return switch (rel) {
      case LogicalAggregate aggregate -> true;
      case LogicalFilter filter -> isGrouped(filter.getInput());
      case LogicalProject project -> isGrouped(project.getInput());
      default -> false;
    };
  }

  /**
   * The grouped relation over fewer rows.
   *
   * @param grouped an aggregate, perhaps under projections and filters
   * @param columns of {@code grouped}, equal to {@code keys} of {@code small} in the join
   * @return null if it is no aggregate by these columns, or it would not pay
   */
  static @Nullable RelNode reduce(
      RelNode grouped,
      List<Integer> columns,
      RelNode small,
      List<Integer> keys,
      RelMetadataQuery mq) {
    switch (grouped) {
      case LogicalFilter filter -> {
        RelNode input = reduce(filter.getInput(), columns, small, keys, mq);
        return input == null ? null : filter.copy(filter.getTraitSet(), List.of(input));
      }
      case LogicalProject project -> {
        List<Integer> inner = new ArrayList<>();
        for (int column : columns) {
          if (!(project.getProjects().get(column) instanceof RexInputRef ref)) {
            return null;
          }
          inner.add(ref.getIndex());
        }
        RelNode input = reduce(project.getInput(), inner, small, keys, mq);
        return input == null ? null : project.copy(project.getTraitSet(), List.of(input));
      }
      case LogicalAggregate aggregate -> {
        return reduce(aggregate, columns, small, keys, mq);
      }
      default -> {
        return null;
      }
    }
  }

  private static @Nullable RelNode reduce(
      LogicalAggregate aggregate,
      List<Integer> columns,
      RelNode small,
      List<Integer> keys,
      RelMetadataQuery mq) {
    if (aggregate.getGroupType() != Aggregate.Group.SIMPLE
        || columns.stream().anyMatch(column -> column >= aggregate.getGroupCount())) {
      return null;
    }
    RelNode input = aggregate.getInput();
    List<Integer> inputColumns = columns.stream().map(aggregate.getGroupSet()::nth).toList();
    if (!pays(aggregate, inputColumns, small, keys, mq)) {
      return null;
    }
    RexBuilder rexBuilder = aggregate.getCluster().getRexBuilder();
    List<RexNode> projects = new ArrayList<>();
    List<RexNode> equal = new ArrayList<>();
    int width = input.getRowType().getFieldCount();
    for (int i = 0; i < keys.size(); i++) {
      projects.add(RexInputRef.of(keys.get(i), small.getRowType()));
      equal.add(
          rexBuilder.makeCall(
              SqlStdOperatorTable.EQUALS,
              RexInputRef.of(inputColumns.get(i), input.getRowType()),
              new RexInputRef(width + i, projects.get(i).getType())));
    }
    RelNode semi =
        LogicalJoin.create(
            input,
            Projections.of(small, projects),
            List.of(),
            RexUtil.composeConjunction(rexBuilder, equal),
            Set.of(),
            JoinRelType.SEMI);
    return aggregate.copy(aggregate.getTraitSet(), List.of(semi));
  }

  /**
   * Whether grouping the rows of the keys that are wanted takes less than grouping all of them,
   * with the semi-join and with reading the small table once more, by more than the model may err.
   *
   * @param columns of the aggregate's input, equal to {@code keys} of the small table
   */
  private static boolean pays(
      LogicalAggregate aggregate,
      List<Integer> columns,
      RelNode small,
      List<Integer> keys,
      RelMetadataQuery mq) {
    MachineProfile device = JoinPricing.profile(aggregate.getCluster().getPlanner());
    JoinModel model = new JoinModel(device);
    RelNode input = aggregate.getInput();
    double rows = JoinEstimates.rows(input, mq);
    double groups = JoinEstimates.distinct(input, mq, ImmutableBitSet.of(columns));
    double wanted = JoinEstimates.distinct(small, mq, ImmutableBitSet.of(keys));
    double share = Math.min(1, wanted / Math.max(1, groups));
    JoinShape semi =
        new JoinShape(
            JoinShape.JoinSideShape.of(JoinEstimates.rows(small, mq), 0, 0),
            JoinPricing.side(input, rows),
            Long.BYTES,
            wanted,
            KeyStatistics.range(small, keys, mq),
            share,
            rows * share,
            Skew.none(wanted),
            true);
    double read = device.sequential(stored(small, mq) * OperatorCosts.rowBytes(small, mq));
    double range = KeyStatistics.range(input, columns, mq);
    int calls = aggregate.getAggCallList().size();
    double all = grouping(device, rows, groups, range, calls);
    double some = grouping(device, rows * share, wanted, range, calls);
    return (model.nonPartitioned(semi).nanos() + read + some) * model.doubt() < all;
  }

  /** Rows of the tables below. */
  private static double stored(RelNode rel, RelMetadataQuery mq) {
    return rel.getInputs().isEmpty()
        ? JoinEstimates.rows(rel, mq)
        : rel.getInputs().stream().mapToDouble(input -> stored(input, mq)).sum();
  }

  /**
   * Nanoseconds of a grouping; of cores as a join of the rows with their groups, whose sums they
   * fetch and update (24 ms for 6 million rows and 200,000 groups of one sum, for which two cores
   * took 23).
   *
   * @param range of the keys; infinite if they are not numbers
   */
  private static double grouping(
      MachineProfile device, double rows, double groups, double range, int calls) {
    if (!device.host()) {
      double bits = Math.min(Long.SIZE, Math.log(Math.max(2, range)) / Math.log(2));
      GroupModel model = new GroupModel(device);
      GroupModel.Shape shape =
          new GroupModel.Shape(rows, groups, 1, calls, calls, bits, bits < Long.SIZE);
      return Math.min(model.table(shape), model.sort(shape)) + device.steps(8, 3);
    }
    JoinShape shape =
        new JoinShape(
            JoinShape.JoinSideShape.of(groups, calls, 8.0 * calls),
            JoinShape.JoinSideShape.of(rows, 0, 0),
            Long.BYTES,
            groups,
            range,
            1,
            rows,
            Skew.none(groups),
            true);
    return new JoinModel(device).nonPartitioned(shape).nanos() + calls * rows * device.nearNanos();
  }
}
