package io.aragonite.rules.program;

import io.aragonite.rules.metadata.CardinalityProvider;
import io.aragonite.rules.metadata.JoinEstimates;
import io.aragonite.rules.metadata.JoinedRelations;
import io.aragonite.rules.metadata.KeyStatistics;
import io.aragonite.rules.program.JoinOrder.OrderedJoin;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.calcite.plan.RelOptPlanner;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.logical.LogicalFilter;
import org.apache.calcite.rel.metadata.RelMetadataQuery;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexUtil;
import org.jspecify.annotations.Nullable;

/**
 * How many rows the joins of a graph have, by which columns they join, and how many values these
 * have. What has been asked once is kept, since a search asks for the same leaves again and again.
 */
final class CardinalityEstimator {
  private final JoinGraph graph;
  private final RelMetadataQuery mq;
  private final @Nullable CardinalityProvider cardinalities;
  private final List<List<Integer>> classes;
  private final List<RexNode> others;
  private final long[] otherLeaves;

  /** Bits of the leaves that have columns of each class. */
  private final long[] classLeaves;

  /** {@link #fewest} of each class by leaves, plus two; 0 where it was not asked for yet. */
  private final int[][] fewest;

  private @Nullable JoinBounds joinBounds;
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
   * @param sets sets of leaves to keep answers for: two to the power of their number, or 0
   */
  CardinalityEstimator(
      JoinGraph graph,
      List<List<Integer>> classes,
      List<RexNode> others,
      RelMetadataQuery mq,
      RelOptPlanner planner,
      int sets) {
    this.graph = graph;
    this.mq = mq;
    this.cardinalities = CardinalityProvider.of(planner);
    this.classes = classes;
    this.others = others;
    this.otherLeaves = others.stream().mapToLong(graph::leavesOf).toArray();
    JoinGraph.JoinLeaf last = graph.leaves().getLast();
    this.distinctValues = new double[last.first() + last.width()];
    this.ranges = new double[distinctValues.length];
    this.classLeaves = classes.stream().mapToLong(keys -> leaves(graph, keys)).toArray();
    this.fewest = new int[classes.size()][sets];
  }

  /** How many rows joins have as far as the relations alone say. */
  JoinBounds bounds() {
    JoinBounds known = joinBounds;
    if (known == null) {
      double[] rows = new double[graph.leaves().size()];
      for (int i = 0; i < rows.length; i++) {
        rows[i] = JoinEstimates.rows(graph.leaves().get(i).rel(), mq);
      }
      known = new JoinBounds(graph, classes, classLeaves, rows, this::distinct);
      joinBounds = known;
    }
    return known;
  }

  /** Whether a predicate that is no equality of columns joins two plans. */
  boolean joinsByOthers(OrderedJoin left, OrderedJoin right) {
    for (long leaves : otherLeaves) {
      if ((leaves & ~(left.leaves() | right.leaves())) == 0
          && (leaves & left.leaves()) != 0
          && (leaves & right.leaves()) != 0) {
        return true;
      }
    }
    return false;
  }

  private static long leaves(JoinGraph graph, List<Integer> columns) {
    long leaves = 0;
    for (int column : columns) {
      leaves |= 1L << graph.leafOf(column);
    }
    return leaves;
  }

  /** How many classes have columns of both. */
  int joining(OrderedJoin left, OrderedJoin right) {
    int count = 0;
    for (long leaves : classLeaves) {
      count += (leaves & left.leaves()) != 0 && (leaves & right.leaves()) != 0 ? 1 : 0;
    }
    return count;
  }

  /**
   * Rows of a join of which no plan is known yet.
   *
   * @param filter the right side's leaf if that only filters, else -1
   */
  double rows(OrderedJoin left, OrderedJoin right, int filter, JoinKeys keys) {
    if (cardinalities != null) {
      Double known = cardinalities.rows(relations(left.leaves() | right.leaves()));
      if (known != null) {
        return known;
      }
    }
    if (filter >= 0) {
      return SemiEstimates.rows(graph, filter, left.rows(), right.rows(), mq);
    }
    double share =
        keys.left().isEmpty()
            ? 1
            : equalPairs(keys, left, right)
                * boundedAfterwards(left, right)
                * boundedAfterwards(right, left);
    return Math.max(1, left.rows() * right.rows() * share * otherPredicates(left, right));
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

  double range(List<Integer> keys) {
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
          (leaves & ~(left.leaves() | right.leaves())) == 0
              && (leaves & ~left.leaves()) != 0
              && (leaves & ~right.leaves()) != 0;
      if (here) {
        result *= JoinEstimates.residual(others.get(i));
      }
    }
    return result;
  }

  JoinKeys keys(OrderedJoin left, OrderedJoin right) {
    JoinKeys ofTwo =
        joining(left, right) < 2
            ? null
            : JoinKeys.ofTwoLeaves(graph, classes, left.leaves(), right.leaves());
    if (ofTwo != null) {
      return ofTwo;
    }
    List<Integer> leftKeys = new ArrayList<>();
    List<Integer> rightKeys = new ArrayList<>();
    for (int c = 0; c < classLeaves.length; c++) {
      int a = fewest(c, left.leaves());
      int b = fewest(c, right.leaves());
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
    return equalPairs(keys, bounds(a, left.leaves()), bounds(b, right.leaves()));
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
    for (long rest = side.leaves(); rest != 0; rest &= rest - 1) {
      int of = Long.numberOfTrailingZeros(rest);
      List<RexNode> before = bounds(of, side.leaves());
      List<RexNode> after = bounds(of, side.leaves() | by.leaves());
      if (before.equals(after)) {
        continue;
      }
      for (long others = side.leaves() & ~(1L << of); others != 0; others &= others - 1) {
        JoinKeys keys = keysApart(of, Long.numberOfTrailingZeros(others), by.leaves());
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
    long all = left.leaves() | right.leaves();
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
          Math.max(
              combinations(group.left(), left.rows()), combinations(group.right(), right.rows()));
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

  double combinations(List<Integer> keys, double rows) {
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

  double distinct(List<Integer> columns) {
    return distinct.computeIfAbsent(
        columns,
        keys -> {
          JoinGraph.JoinLeaf leaf = graph.leaves().get(graph.leafOf(keys.get(0)));
          return JoinEstimates.distinct(leaf.rel(), mq, JoinGraph.local(leaf, keys));
        });
  }
}
