package io.aragonite.rules.program;

import io.aragonite.exec.cost.JoinModel;
import io.aragonite.exec.cost.JoinShape;
import io.aragonite.exec.limit.StopCheck;
import io.aragonite.exec.profile.Skew;
import io.aragonite.rules.cost.JoinPricing;
import io.aragonite.rules.limit.PlanningBudget;
import io.aragonite.rules.metadata.CardinalityProvider;
import io.aragonite.rules.metadata.JoinEstimates;
import io.aragonite.rules.metadata.JoinedRelations;
import io.aragonite.rules.metadata.KeyStatistics;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.calcite.plan.RelOptPlanner;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.logical.LogicalFilter;
import org.apache.calcite.rel.metadata.RelMetadataQuery;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexUtil;
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
  private final @Nullable CardinalityProvider cardinalities;
  private final List<List<Integer>> classes;
  private final List<RexNode> others;
  private final long[] otherLeaves;
  private final long[] required;
  private final boolean byEqualities;

  /** Bits of the leaves that have columns of each class. */
  private final long[] classLeaves;

  /** {@link #fewest} of each class by leaves, plus two; 0 where it was not asked for yet. */
  private final int[][] fewest;

  private @Nullable JoinBounds bounds;
  private final Map<List<Integer>, Double> distinct = new HashMap<>();

  /** The same of single columns; 0 where it was not asked for yet. */
  private final double[] distinctValues;

  /** Of single columns; 0 where it was not asked for yet. */
  private final double[] ranges;

  private final Map<List<List<?>>, Double> equal = new HashMap<>();

  /** What the bounds of another leaf's column leave of a column's leaf, by both columns. */
  private final Map<List<Integer>, Optional<RexNode>> narrower = new HashMap<>();

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
    this.cardinalities = CardinalityProvider.of(planner);
    this.classes = classes;
    this.others = others;
    this.byEqualities = JoinPricing.forced(planner) != null;
    this.otherLeaves = others.stream().mapToLong(graph::leavesOf).toArray();
    JoinGraph.JoinLeaf last = graph.leaves().getLast();
    this.distinctValues = new double[last.first() + last.width()];
    this.ranges = new double[distinctValues.length];
    this.classLeaves = classes.stream().mapToLong(keys -> leaves(graph, keys)).toArray();
    int sets = graph.leaves().size() <= EXHAUSTIVE ? 1 << graph.leaves().size() : 0;
    this.fewest = new int[classes.size()][sets];
    this.required = new long[graph.leaves().size()];
    for (int i = 0; i < required.length; i++) {
      for (RexNode filter : graph.leaves().get(i).filters()) {
        required[i] |= graph.leavesOf(filter) & ~(1L << i);
      }
    }
  }

  private static long leaves(JoinGraph graph, List<Integer> columns) {
    long leaves = 0;
    for (int column : columns) {
      leaves |= 1L << graph.leafOf(column);
    }
    return leaves;
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
    JoinBounds known = bounds;
    if (known == null) {
      double[] rows = new double[graph.leaves().size()];
      for (int i = 0; i < rows.length; i++) {
        rows[i] = JoinEstimates.rows(graph.leaves().get(i).rel(), mq);
      }
      known = new JoinBounds(graph, classes, classLeaves, rows, this::distinct);
      bounds = known;
    }
    return known;
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
    if (joining(left, right) > 0 || byEqualities) {
      return joining(left, right) > 0;
    }
    for (long leaves : otherLeaves) {
      if ((leaves & ~(left.leaves | right.leaves)) == 0
          && (leaves & left.leaves) != 0
          && (leaves & right.leaves) != 0) {
        return true;
      }
    }
    return false;
  }

  /** How many classes have columns of both. */
  private int joining(OrderedJoin left, OrderedJoin right) {
    int count = 0;
    for (long leaves : classLeaves) {
      count += (leaves & left.leaves) != 0 && (leaves & right.leaves) != 0 ? 1 : 0;
    }
    return count;
  }

  /** The join of two plans; its rows are those of another plan for the same leaves if there is. */
  OrderedJoin join(OrderedJoin left, OrderedJoin right, @Nullable OrderedJoin same) {
    long leaves = left.leaves | right.leaves;
    int filter = filterOf(right);
    JoinKeys keys = keys(left, right);
    boolean keyed =
        filter >= 0
            ? graph.leaves().get(filter).filters().stream().anyMatch(SemiEstimates::isKey)
            : !keys.left().isEmpty();
    double rows = same != null ? same.rows : rows(left, right, filter, keys);
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
        : groups.of(right, left, keys, combinations(keys.left(), Double.POSITIVE_INFINITY));
  }

  /**
   * Rows of a join of which no plan is known yet.
   *
   * @param filter the right side's leaf if that only filters, else -1
   */
  private double rows(OrderedJoin left, OrderedJoin right, int filter, JoinKeys keys) {
    if (cardinalities != null) {
      Double known = cardinalities.rows(relations(left.leaves | right.leaves));
      if (known != null) {
        return known;
      }
    }
    if (filter >= 0) {
      return SemiEstimates.rows(graph, filter, left.rows, right.rows, mq);
    }
    double share =
        keys.left().isEmpty()
            ? 1
            : equalPairs(keys, left, right)
                * boundedAfterwards(left, right)
                * boundedAfterwards(right, left);
    return Math.max(1, left.rows * right.rows * share * otherPredicates(left, right));
  }

  /** What a join of leaves is made of. */
  private JoinedRelations relations(long leaves) {
    List<JoinedRelations.JoinedRelation> joined = new ArrayList<>();
    for (int i = 0; i < graph.leaves().size(); i++) {
      if ((leaves >> i & 1) != 0) {
        JoinGraph.JoinLeaf leaf = graph.leaves().get(i);
        List<RexNode> conditions =
            leaf.filters().stream().filter(condition -> !SemiEstimates.isKey(condition)).toList();
        joined.add(new JoinedRelations.JoinedRelation(leaf.rel(), leaf.type(), conditions));
      }
    }
    List<RexNode> conditions = new ArrayList<>();
    for (int i = 0; i < otherLeaves.length; i++) {
      if ((otherLeaves[i] & ~leaves) == 0) {
        conditions.add(others.get(i));
      }
    }
    List<RelNode> all = graph.leaves().stream().map(JoinGraph.JoinLeaf::rel).toList();
    return new JoinedRelations(all, joined, conditions);
  }

  /** The cheapest way to join by equality, with either side built. */
  private double keyed(
      JoinKeys keys, OrderedJoin left, OrderedJoin right, double rows, boolean filters) {
    double leftKeys = keys.left().isEmpty() ? left.rows : combinations(keys.left(), left.rows);
    double rightKeys = keys.right().isEmpty() ? right.rows : combinations(keys.right(), right.rows);
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
            range(keys),
            matched,
            rows,
            Skew.none(distinct),
            true);
    return model.cheapestForQueries(shape);
  }

  private double range(List<Integer> keys) {
    if (keys.size() != 1) {
      return Double.POSITIVE_INFINITY;
    }
    int key = keys.getFirst();
    if (ranges[key] == 0) {
      JoinGraph.JoinLeaf leaf = graph.leaves().get(graph.leafOf(key));
      ranges[key] = KeyStatistics.range(leaf.rel(), List.of(key - leaf.first()), mq);
    }
    return ranges[key];
  }

  private double otherPredicates(OrderedJoin left, OrderedJoin right) {
    double result = 1;
    for (int i = 0; i < otherLeaves.length; i++) {
      long leaves = otherLeaves[i];
      boolean here =
          (leaves & ~(left.leaves | right.leaves)) == 0
              && (leaves & ~left.leaves) != 0
              && (leaves & ~right.leaves) != 0;
      if (here) {
        result *= JoinEstimates.residual(others.get(i));
      }
    }
    return result;
  }

  private JoinKeys keys(OrderedJoin left, OrderedJoin right) {
    JoinKeys ofTwo =
        joining(left, right) < 2
            ? null
            : JoinKeys.ofTwoLeaves(graph, classes, left.leaves, right.leaves);
    if (ofTwo != null) {
      return ofTwo;
    }
    List<Integer> leftKeys = new ArrayList<>();
    List<Integer> rightKeys = new ArrayList<>();
    for (int c = 0; c < classLeaves.length; c++) {
      int a = fewest(c, left.leaves);
      int b = fewest(c, right.leaves);
      if (a >= 0 && b >= 0) {
        leftKeys.add(a);
        rightKeys.add(b);
      }
    }
    return new JoinKeys(leftKeys, rightKeys);
  }

  /**
   * The share of pairs of rows with equal keys: from statistics of two leaves if keys are of these
   * alone, since what other joins leave of their rows is taken to have nothing to do with it.
   */
  private double equalPairs(JoinKeys keys, OrderedJoin left, OrderedJoin right) {
    int a = graph.leafOf(keys.left().getFirst());
    int b = graph.leafOf(keys.right().getFirst());
    boolean two =
        keys.left().stream().allMatch(key -> graph.leafOf(key) == a)
            && keys.right().stream().allMatch(key -> graph.leafOf(key) == b);
    if (!two) {
      return apart(keys, left, right);
    }
    return equalPairs(keys, bounds(a, left.leaves), bounds(b, right.leaves));
  }

  /** Of keys of two leaves, of which bounds leave some rows. */
  private double equalPairs(JoinKeys keys, List<RexNode> ofLeft, List<RexNode> ofRight) {
    return equal.computeIfAbsent(
        List.of(keys.left(), keys.right(), ofLeft, ofRight),
        both -> {
          JoinGraph.JoinLeaf x = graph.leaves().get(graph.leafOf(keys.left().getFirst()));
          JoinGraph.JoinLeaf y = graph.leaves().get(graph.leafOf(keys.right().getFirst()));
          List<Integer> ofX = keys.left().stream().map(key -> key - x.first()).toList();
          List<Integer> ofY = keys.right().stream().map(key -> key - y.first()).toList();
          return JoinEstimates.equalPairs(
              bounded(x.rel(), ofLeft),
              ofX,
              JoinEstimates.rows(x.rel(), mq),
              bounded(y.rel(), ofRight),
              ofY,
              JoinEstimates.rows(y.rel(), mq),
              mq);
        });
  }

  private static RelNode bounded(RelNode rel, List<RexNode> bounds) {
    return bounds.isEmpty()
        ? rel
        : LogicalFilter.create(
            rel, RexUtil.composeConjunction(rel.getCluster().getRexBuilder(), bounds));
  }

  /** What a leaf's columns satisfy since they are equal to columns of other leaves. */
  private List<RexNode> bounds(int of, long leaves) {
    JoinGraph.JoinLeaf leaf = graph.leaves().get(of);
    List<RexNode> all = new ArrayList<>();
    for (int c = 0; c < classLeaves.length; c++) {
      if ((classLeaves[c] >> of & 1) == 0 || (classLeaves[c] & leaves & ~(1L << of)) == 0) {
        continue;
      }
      for (int column : classes.get(c)) {
        if (leaf.has(column)) {
          int other = fewest(c, leaves & ~(1L << of));
          RexNode bound =
              narrower
                  .computeIfAbsent(List.of(column, other), pair -> bound(leaf, column, other))
                  .orElse(null);
          if (bound != null) {
            all.add(bound);
          }
        }
      }
    }
    return all;
  }

  /**
   * How many times more pairs a side's joins have found among the rows that the other side's bounds
   * leave of its leaves: what is equal to days is equal to those on which something was sold.
   */
  private double boundedAfterwards(OrderedJoin side, OrderedJoin by) {
    double times = 1;
    for (long rest = side.leaves; rest != 0; rest &= rest - 1) {
      int of = Long.numberOfTrailingZeros(rest);
      List<RexNode> before = bounds(of, side.leaves);
      List<RexNode> after = bounds(of, side.leaves | by.leaves);
      if (before.equals(after)) {
        continue;
      }
      for (long others = side.leaves & ~(1L << of); others != 0; others &= others - 1) {
        JoinKeys keys = keysApart(of, Long.numberOfTrailingZeros(others), by.leaves);
        if (!keys.left().isEmpty()) {
          times *= equalPairs(keys, after, List.of()) / equalPairs(keys, before, List.of());
        }
      }
    }
    return times;
  }

  /** By which columns two leaves are joined that other leaves have nothing to do with. */
  private JoinKeys keysApart(int a, int b, long apartFrom) {
    List<Integer> ofA = new ArrayList<>();
    List<Integer> ofB = new ArrayList<>();
    for (int c = 0; c < classLeaves.length; c++) {
      boolean both = (classLeaves[c] >> a & classLeaves[c] >> b & 1) != 0;
      if (both && (classLeaves[c] & apartFrom) == 0) {
        ofA.add(fewest(c, 1L << a));
        ofB.add(fewest(c, 1L << b));
      }
    }
    return new JoinKeys(ofA, ofB);
  }

  private Optional<RexNode> bound(JoinGraph.JoinLeaf leaf, int column, int other) {
    JoinGraph.JoinLeaf by = graph.leaves().get(graph.leafOf(other));
    return Optional.ofNullable(
        KeyStatistics.withinBounds(
            leaf.rel(), column - leaf.first(), by.rel(), other - by.first(), mq));
  }

  /**
   * The same where keys are of several leaves: those of the same two leaves belong together, the
   * others have nothing to do with each other.
   */
  private double apart(JoinKeys keys, OrderedJoin left, OrderedJoin right) {
    Map<List<Integer>, JoinKeys> groups = new LinkedHashMap<>();
    for (int i = 0; i < keys.left().size(); i++) {
      int a = keys.left().get(i);
      int b = keys.right().get(i);
      JoinKeys group =
          groups.computeIfAbsent(
              List.of(graph.leafOf(a), graph.leafOf(b)),
              leaves -> new JoinKeys(new ArrayList<>(), new ArrayList<>()));
      group.left().add(a);
      group.right().add(b);
    }
    double share = 1;
    long all = left.leaves | right.leaves;
    for (JoinKeys group : groups.values()) {
      int a = graph.leafOf(group.left().getFirst());
      int b = graph.leafOf(group.right().getFirst());
      // Other columns of the leaves are equal by this join, too.
      List<RexNode> ofLeft = bounds(a, all & ~(1L << b));
      List<RexNode> ofRight = bounds(b, all & ~(1L << a));
      if (!ofLeft.isEmpty() || !ofRight.isEmpty()) {
        share *= equalPairs(group, ofLeft, ofRight);
        continue;
      }
      double most =
          Math.max(combinations(group.left(), left.rows), combinations(group.right(), right.rows));
      share /= Math.max(1, most);
    }
    return share;
  }

  /** The column of a class with the fewest distinct values among some leaves, -1 if none. */
  private int fewest(int of, long leaves) {
    int[] known = fewest[of];
    if (known.length == 0) {
      return fewest(classes.get(of), leaves);
    }
    int set = (int) leaves;
    if (known[set] == 0) {
      known[set] = fewest(classes.get(of), leaves) + 2;
    }
    return known[set] - 2;
  }

  private int fewest(List<Integer> keys, long leaves) {
    int result = -1;
    for (int key : keys) {
      if ((leaves >> graph.leafOf(key) & 1) != 0
          && (result < 0 || distinct(key) < distinct(result))) {
        result = key;
      }
    }
    return result;
  }

  private double distinct(int column) {
    if (distinctValues[column] == 0) {
      distinctValues[column] = distinct(List.of(column));
    }
    return distinctValues[column];
  }

  private double combinations(List<Integer> keys, double rows) {
    if (keys.size() == 1) {
      return Math.max(1, Math.min(distinct(keys.getFirst()), rows));
    }
    Map<Integer, List<Integer>> byLeaf = new HashMap<>();
    for (int key : keys) {
      byLeaf.computeIfAbsent(graph.leafOf(key), leaf -> new ArrayList<>()).add(key);
    }
    double result = 1;
    for (List<Integer> columns : byLeaf.values()) {
      result *= distinct(columns);
    }
    return Math.max(1, Math.min(result, rows));
  }

  private double distinct(List<Integer> columns) {
    return distinct.computeIfAbsent(
        columns,
        keys -> {
          JoinGraph.JoinLeaf leaf = graph.leaves().get(graph.leafOf(keys.get(0)));
          return JoinEstimates.distinct(leaf.rel(), mq, JoinGraph.local(leaf, keys));
        });
  }
}
