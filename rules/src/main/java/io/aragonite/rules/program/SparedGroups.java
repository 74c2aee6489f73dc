package io.aragonite.rules.program;

import io.aragonite.rules.cost.GroupPricing;
import io.aragonite.rules.cost.JoinPricing;
import io.aragonite.rules.metadata.JoinEstimates;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.calcite.plan.RelOptPlanner;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.metadata.RelMetadataQuery;
import org.jspecify.annotations.Nullable;

/**
 * What an order of joins spares the groupings of relations that only filter others: the keys of the
 * rows that they filter filter the rows that are grouped, so that dear groupings had better come
 * last.
 */
final class SparedGroups {
  private final JoinGraph graph;
  private final RelMetadataQuery mq;
  private final RelOptPlanner planner;

  /** The most that joins may spare each leaf, in nanoseconds. */
  private final double[] most;

  /** The share of a leaf's rows that have a partner in another leaf, by the keys of both. */
  private final Map<JoinKeys, Double> matched = new HashMap<>();

  SparedGroups(JoinGraph graph, RelMetadataQuery mq, RelOptPlanner planner) {
    this.graph = graph;
    this.mq = mq;
    this.planner = planner;
    this.most = graph.leaves().stream().mapToDouble(this::mostOf).toArray();
  }

  private double mostOf(JoinGraph.JoinLeaf leaf) {
    return leaf.type() == JoinRelType.INNER || leaf.nullAware()
        ? 0
        : IntStream.range(0, leaf.width())
            .mapToDouble(column -> GroupPricing.below(leaf.rel(), List.of(column), mq))
            .max()
            .orElse(0);
  }

  /** The most that a join may spare what filters, in nanoseconds; 0 of all other plans. */
  double most(JoinOrder.OrderedJoin plan) {
    return Long.bitCount(plan.leaves()) == 1 ? most[Long.numberOfTrailingZeros(plan.leaves())] : 0;
  }

  /**
   * What is spared if a relation filters some rows.
   *
   * @param groups the relation: a single leaf
   * @param other what it filters
   * @param keys columns of the graph: first the other side's, then those of the groups
   * @param values how many different values the keys have in the other side's leaf
   * @return nanoseconds
   */
  double of(
      JoinOrder.OrderedJoin groups, JoinOrder.OrderedJoin other, JoinKeys keys, double values) {
    double all = most(groups);
    JoinGraph.JoinLeaf own = leafOf(keys.right());
    JoinGraph.JoinLeaf theirs = leafOf(keys.left());
    if (all == 0 || own == null || theirs == null) {
      return 0;
    }
    List<Integer> columns = JoinGraph.local(own, keys.right()).asList();
    double spared = GroupPricing.below(own.rel(), columns, mq);
    double left = keysLeft(JoinEstimates.rows(theirs.rel(), mq), values, other.rows());
    double kept = matched(own, theirs, keys) * left;
    return Math.min(
        all, JoinPricing.sparedGroups(spared, kept, left * values, groups.rows(), planner));
  }

  private double matched(JoinGraph.JoinLeaf own, JoinGraph.JoinLeaf theirs, JoinKeys keys) {
    return matched.computeIfAbsent(
        keys,
        both ->
            JoinEstimates.matched(
                own.rel(),
                both.right().stream().map(key -> key - own.first()).toList(),
                theirs.rel(),
                both.left().stream().map(key -> key - theirs.first()).toList(),
                mq));
  }

  /** The leaf that has all of some columns; null if there is none. */
  private JoinGraph.@Nullable JoinLeaf leafOf(List<Integer> columns) {
    if (columns.isEmpty()) {
      return null;
    }
    JoinGraph.JoinLeaf leaf = graph.leaves().get(graph.leafOf(columns.getFirst()));
    return columns.stream().allMatch(leaf::has) ? leaf : null;
  }

  /** The share of a leaf's keys of which joins leave a row, if they leave so many rows of it. */
  private static double keysLeft(double rows, double values, double left) {
    double share = Math.min(1, left / rows);
    return 1 - Math.pow(1 - share, Math.max(1, rows / values));
  }
}
