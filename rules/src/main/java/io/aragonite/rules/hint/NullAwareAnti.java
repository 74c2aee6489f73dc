package io.aragonite.rules.hint;

import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.hint.HintStrategyTable;
import org.apache.calcite.rel.hint.RelHint;
import org.apache.calcite.rel.logical.LogicalJoin;

/**
 * Calcite has no join type for NOT IN over nullable values; the unnesting of subqueries makes an
 * anti join and marks it with a hint.
 */
public final class NullAwareAnti {
  private static final RelHint MARK = RelHint.builder("ARAGONITE_NULL_AWARE").build();

  /** Knows the mark, and the hints of statements as well: a cluster has one table. */
  private static final HintStrategyTable STRATEGIES = JoinHints.strategies(MARK.hintName);

  private NullAwareAnti() {}

  /** The hints that clusters know. */
  public static HintStrategyTable strategies() {
    return STRATEGIES;
  }

  /**
   * Makes the mark known to the planner, which fails on hints that it does not know.
   *
   * @return false if other hints are in use, and the mark cannot be
   */
  public static boolean allow(RelOptCluster cluster) {
    HintStrategyTable present = cluster.getHintStrategies();
    if (present.equals(HintStrategyTable.EMPTY)) {
      cluster.setHintStrategies(STRATEGIES);
      return true;
    }
    return present.equals(STRATEGIES);
  }

  /** The anti join, marked. */
  public static LogicalJoin mark(LogicalJoin join) {
    RelOptCluster cluster = join.getCluster();
    if (cluster.getHintStrategies().equals(HintStrategyTable.EMPTY)) {
      // Calcite asserts that it knows each hint that it meets when it copies a node.
      cluster.setHintStrategies(STRATEGIES);
    }
    List<RelHint> hints = new ArrayList<>(join.getHints());
    hints.add(MARK);
    return (LogicalJoin) join.withHints(hints);
  }

  /** Whether an anti join was marked. */
  public static boolean isMarked(Join join) {
    return join.getHints().stream().anyMatch(hint -> hint.hintName.equals(MARK.hintName));
  }
}
