package io.aragonite.rules.program;

import io.aragonite.exec.cost.JoinModel;
import io.aragonite.exec.cost.JoinShape;
import io.aragonite.exec.limit.StopCheck;
import io.aragonite.exec.profile.Skew;
import io.aragonite.rules.cost.JoinPricing;
import io.aragonite.rules.limit.PlanningBudget;
import io.aragonite.rules.metadata.JoinEstimates;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.plan.RelOptPlanner;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.metadata.RelMetadataQuery;
import org.apache.calcite.rex.RexNode;
import org.jspecify.annotations.Nullable;

/**
 * Finds a cheap order of joins: all bushy trees by dynamic programming up to {@link #EXHAUSTIVE}
 * relations, step by step above ({@link GreedyJoinOrder}). Relations are only joined through
 * predicates, and only through equalities if the connection asks for an algorithm, which all need
 * one; other joins are made at the end if the query has them.
 */
final class JoinOrder {
  /**
   * A relation, or a join of two plans. Bits tell the leaves below.
   *
   * @param side its rows as joins move them
   */
  record OrderedJoin(
      long leaves,
      double rows,
      double cost,
      JoinShape.JoinSideShape side,
      @Nullable OrderedJoin left,
      @Nullable OrderedJoin right) {}

  private static final int EXHAUSTIVE = 10;

  private final JoinGraph graph;
  private final RelMetadataQuery mq;
  private final RelOptPlanner planner;
  private final PlanningBudget budget;
  private final JoinModel model;
  private final SparedGroups groups;
  private final List<RexNode> others;
  private final CardinalityEstimator estimator;
  private final long[] required;
  private final boolean byEqualities;

  /**
   * @param classes columns that are made equal
   * @param others predicates over several leaves that are no such equality
   * @param budget what finding may take
   */
  JoinOrder(
      JoinGraph graph,
      List<List<Integer>> classes,
      List<RexNode> others,
      RelMetadataQuery mq,
      RelOptPlanner planner,
      PlanningBudget budget) {
    this.graph = graph;
    this.mq = mq;
    this.planner = planner;
    this.budget = budget;
    this.model = new JoinModel(JoinPricing.profile(planner));
    this.groups = new SparedGroups(graph, mq, planner);
    this.others = others;
    this.byEqualities = JoinPricing.forced(planner) != null;
    int sets = graph.leaves().size() <= EXHAUSTIVE ? 1 << graph.leaves().size() : 0;
    this.estimator = new CardinalityEstimator(graph, classes, others, mq, planner, sets);
    this.required = new long[graph.leaves().size()];
    for (int i = 0; i < required.length; i++) {
      for (RexNode filter : graph.leaves().get(i).filters()) {
        required[i] |= graph.leavesOf(filter) & ~(1L << i);
      }
    }
  }

  OrderedJoin find() {
    List<OrderedJoin> parts = new ArrayList<>();
    for (int i = 0; i < graph.leaves().size(); i++) {
      parts.add(leaf(i));
    }
    List<OrderedJoin> joined = parts.size() <= EXHAUSTIVE ? exhaustive(parts) : null;
    return cross(joined != null ? joined : new GreedyJoinOrder(this, budget).find(parts));
  }

  /** How many rows joins have as far as the relations alone say. */
  JoinBounds bounds() {
    return estimator.bounds();
  }

  private OrderedJoin leaf(int index) {
    JoinGraph.JoinLeaf leaf = graph.leaves().get(index);
    double rows = JoinEstimates.rows(leaf.rel(), mq);
    JoinShape.JoinSideShape side = JoinPricing.side(leaf.rel(), rows);
    OrderedJoin plan = new OrderedJoin(1L << index, rows, 0, side, null, null);
    return new OrderedJoin(1L << index, rows, groups.most(plan), side, null, null);
  }

  /**
   * Disjoint plans that together have all leaves; null if the budget is spent. Joins that multiply
   * rows are made only if the others leave relations apart.
   */
  private @Nullable List<OrderedJoin> exhaustive(List<OrderedJoin> leaves) {
    List<OrderedJoin> bounded = exhaustive(leaves, true);
    return bounded == null || bounded.size() == 1 ? bounded : exhaustive(leaves, false);
  }

  /** The best plan for each connected set, largest sets last; null if the budget is spent. */
  private @Nullable List<OrderedJoin> exhaustive(List<OrderedJoin> leaves, boolean bounded) {
    int n = leaves.size();
    @Nullable OrderedJoin[] best = new OrderedJoin[1 << n];
    for (OrderedJoin leaf : leaves) {
      best[(int) leaf.leaves] = leaf;
    }
    for (int set = 1; set < best.length; set++) {
      if (!budget.allows("all orders of joins")) {
        return null;
      }
      if (bounded && Integer.bitCount(set) > 1 && bounds().exceeds(set)) {
        continue;
      }
      for (int left = (set - 1) & set; left > 0; left = (left - 1) & set) {
        OrderedJoin a = best[left];
        OrderedJoin b = best[set ^ left];
        StopCheck.current().check();
        if (a == null || b == null || !mayJoin(a, b)) {
          continue;
        }
        OrderedJoin present = best[set];
        // Joins that filter nothing cost the same from either side; none is free.
        boolean again = left < (set ^ left) && filterOf(a) < 0 && filterOf(b) < 0;
        if (present != null && (again || least(a, b, present.rows) >= present.cost)) {
          continue;
        }
        OrderedJoin plan = join(a, b, present);
        if (present == null || plan.cost < present.cost) {
          best[set] = plan;
        }
      }
    }
    return components(best);
  }

  /** What the join of two plans takes at least, so that few of them need a price. */
  private double least(OrderedJoin a, OrderedJoin b, double rows) {
    boolean keyed = others.isEmpty() && filterOf(a) < 0 && filterOf(b) < 0;
    return a.cost
        + b.cost
        - groups.most(b)
        + (keyed ? model.leastForQueries(a.side, b.side, rows) : 0);
  }

  /** Disjoint plans that together have all leaves, the largest first. */
  private static List<OrderedJoin> components(@Nullable OrderedJoin[] best) {
    List<OrderedJoin> result = new ArrayList<>();
    int missing = best.length - 1;
    while (missing != 0) {
      OrderedJoin largest = null;
      for (int set = missing; set > 0; set = (set - 1) & missing) {
        OrderedJoin plan = best[set];
        if (plan != null
            && (largest == null || Long.bitCount(set) > Long.bitCount(largest.leaves))) {
          largest = plan;
        }
      }
      if (largest == null) {
        throw new IllegalStateException("a relation without a plan");
      }
      result.add(largest);
      missing &= ~(int) largest.leaves;
    }
    return result;
  }

  /** What no predicate connects is multiplied, small ones first; what only filters comes last. */
  private OrderedJoin cross(List<OrderedJoin> parts) {
    List<OrderedJoin> rest = new ArrayList<>(parts);
    rest.sort(
        java.util.Comparator.comparing((OrderedJoin plan) -> filterOf(plan) >= 0)
            .thenComparing(plan -> plan.rows));
    OrderedJoin result = rest.get(0);
    for (OrderedJoin part : rest.subList(1, rest.size())) {
      result = join(result, part, null);
    }
    return result;
  }

  /** The leaf of a plan that is a semi-join's or anti-join's inner side, -1 for another plan. */
  private int filterOf(OrderedJoin plan) {
    if (Long.bitCount(plan.leaves) != 1) {
      return -1;
    }
    int index = Long.numberOfTrailingZeros(plan.leaves);
    return graph.leaves().get(index).type() == JoinRelType.INNER ? -1 : index;
  }

  /** Whether a predicate, or a filter by the right side, joins two plans. */
  boolean mayJoin(OrderedJoin left, OrderedJoin right) {
    int filter = filterOf(right);
    if (filter >= 0) {
      return (required[filter] & ~left.leaves) == 0 && filterOf(left) < 0;
    }
    if (filterOf(left) >= 0) {
      return false;
    }
    boolean keyed = estimator.joining(left, right) > 0;
    if (keyed || byEqualities) {
      return keyed;
    }
    return estimator.joinsByOthers(left, right);
  }

  /** The join of two plans; its rows are those of another plan for the same leaves if there is. */
  OrderedJoin join(OrderedJoin left, OrderedJoin right, @Nullable OrderedJoin same) {
    long leaves = left.leaves | right.leaves;
    int filter = filterOf(right);
    JoinKeys keys = estimator.keys(left, right);
    boolean keyed =
        filter >= 0
            ? graph.leaves().get(filter).filters().stream().anyMatch(SemiEstimates::isKey)
            : !keys.left().isEmpty();
    double rows = same != null ? same.rows : estimator.rows(left, right, filter, keys);
    double own =
        keyed
            ? keyed(keys, left, right, rows, filter >= 0)
            : JoinPricing.nestedLoop(planner, left.rows, right.rows, rows);
    JoinShape.JoinSideShape a = left.side;
    JoinShape.JoinSideShape b = right.side;
    JoinShape.JoinSideShape side =
        filter >= 0
            ? new JoinShape.JoinSideShape(rows, a.columns(), a.bytes(), a.gathered(), false)
            : new JoinShape.JoinSideShape(
                rows,
                a.columns() + b.columns(),
                a.bytes() + b.bytes(),
                a.gathered() + b.gathered(),
                false);
    double cost = left.cost + right.cost + own - spared(left, right, filter);
    return new OrderedJoin(leaves, rows, cost, side, left, right);
  }

  /** What a semi-join or anti-join spares the groupings of its inner side. */
  private double spared(OrderedJoin left, OrderedJoin right, int filter) {
    if (groups.most(right) == 0) {
      return 0;
    }
    JoinKeys keys = SemiEstimates.keys(graph, filter);
    return keys.left().isEmpty()
        ? 0
        : groups.of(
            right, left, keys, estimator.combinations(keys.left(), Double.POSITIVE_INFINITY));
  }

  /** The cheapest way to join by equality, with either side built. */
  private double keyed(
      JoinKeys keys, OrderedJoin left, OrderedJoin right, double rows, boolean filters) {
    double leftKeys =
        keys.left().isEmpty() ? left.rows : estimator.combinations(keys.left(), left.rows);
    double rightKeys =
        keys.right().isEmpty() ? right.rows : estimator.combinations(keys.right(), right.rows);
    return Math.min(
        cheapest(left, right, keys.right(), rightKeys, rows, filters),
        cheapest(right, left, keys.left(), leftKeys, rows, filters));
  }

  private double cheapest(
      OrderedJoin probe,
      OrderedJoin build,
      List<Integer> keys,
      double distinct,
      double rows,
      boolean filters) {
    double eachKey = Math.max(1, build.rows / Math.max(1, distinct));
    double matched = filters ? 0.5 : Math.min(1, rows / Math.max(1, probe.rows) / eachKey);
    JoinShape shape =
        new JoinShape(
            build.side,
            probe.side,
            Long.BYTES,
            distinct,
            estimator.range(keys),
            matched,
            rows,
            Skew.none(distinct),
            true);
    return model.cheapestForQueries(shape);
  }
}
