package io.aragonite.rules.cost;

import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.plan.volcano.RelSubset;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.metadata.RelMetadataQuery;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.util.ImmutableBitSet;

/** What groupings take. */
public final class GroupPricing {
  private GroupPricing() {}

  /** The expected time of a grouping and its aggregates. */
  public static double nanos(Aggregate aggregate, RelMetadataQuery mq) {
    DeviceProfile device = OperatorCosts.profile(aggregate.getCluster().getPlanner());
    double rows = OperatorCosts.rows(aggregate.getInput(), mq);
    double groups = OperatorCosts.rows(aggregate, mq);
    double groupBytes = OperatorCosts.rowBytes(aggregate.getRowType());
    double perRow =
        device.buildNanos()
            + device.random(1, groupBytes, groups * groupBytes)
            + aggregate.getAggCallList().size() * device.expressionNanos();
    // Coarser sets take in the groups of a finer one.
    long coarser = coarser(aggregate);
    double taken =
        (aggregate.getGroupSets().size() - coarser) * rows + coarser * Math.min(rows, groups);
    return device.startNanos() + perRow * taken;
  }

  /** Grouping sets that can be made of another one's groups. */
  private static long coarser(Aggregate aggregate) {
    List<ImmutableBitSet> sets = aggregate.getGroupSets();
    return aggregate.getAggCallList().stream().anyMatch(AggregateCall::isDistinct)
        ? 0
        : sets.stream()
            .filter(set -> sets.stream().anyMatch(more -> more.contains(set) && !more.equals(set)))
            .count();
  }

  /**
   * The time of all groupings below a relation whose rows may be left out by some of its columns
   * before they are grouped: what a filter of a join's keys can spare.
   *
   * @param columns of the relation
   */
  public static double below(RelNode rel, List<Integer> columns, RelMetadataQuery mq) {
    return switch (rel) {
      case RelSubset subset -> below(subset.getBestOrOriginal(), columns, mq);
      case Filter filter -> below(filter.getInput(), columns, mq);
      case Project project -> {
        List<Integer> inputs = new ArrayList<>();
        for (int column : columns) {
          if (project.getProjects().get(column) instanceof RexInputRef ref) {
            inputs.add(ref.getIndex());
          }
        }
        yield inputs.size() == columns.size() ? below(project.getInput(), inputs, mq) : 0;
      }
      case Aggregate aggregate -> {
        boolean grouped =
            aggregate.getGroupType() == Aggregate.Group.SIMPLE
                && columns.stream().allMatch(column -> column < aggregate.getGroupCount());
        yield grouped
            ? nanos(aggregate, mq)
                + below(
                    aggregate.getInput(),
                    columns.stream().map(aggregate.getGroupSet()::nth).toList(),
                    mq)
            : 0;
      }
      case Join join -> below(join, columns, mq);
      default -> 0;
    };
  }

  private static double below(Join join, List<Integer> columns, RelMetadataQuery mq) {
    int left = join.getLeft().getRowType().getFieldCount();
    if (columns.stream().allMatch(column -> column < left)) {
      return join.getJoinType().generatesNullsOnLeft() ? 0 : below(join.getLeft(), columns, mq);
    }
    boolean right =
        columns.stream().allMatch(column -> column >= left)
            && !join.getJoinType().generatesNullsOnRight();
    return right
        ? below(join.getRight(), columns.stream().map(column -> column - left).toList(), mq)
        : 0;
  }
}
