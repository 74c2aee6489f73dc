package io.aragonite.rules.program;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.apache.calcite.rel.core.JoinRelType;

/**
 * How many rows the joins of some relations have if each key has as many as keys have in the mean,
 * and every row has its partners: a bound for those whose estimate rests on what joins leave.
 * Customers and suppliers of a nation are multiplied, although both are joined by keys of orders
 * and items, too. Orders with such joins are left out where there are others, since an estimate
 * that is too low would lead there.
 */
final class JoinBounds {
  private final JoinGraph graph;
  private final long[] classLeaves;
  private final List<List<Integer>> classes;
  private final double[] rows;
  private final ToDoubleFunction<List<Integer>> distinct;
  private final Map<Long, Double> known = new HashMap<>();
  private final Map<List<Integer>, Double> partners = new HashMap<>();
  private final double all;

  /** The leaves whose columns are joined. */
  private final long inner;

  /**
   * @param classes columns that are made equal
   * @param classLeaves bits of the leaves that have columns of each class
   * @param rows of each leaf
   * @param distinct combinations of columns of a leaf
   */
  JoinBounds(
      JoinGraph graph,
      List<List<Integer>> classes,
      long[] classLeaves,
      double[] rows,
      ToDoubleFunction<List<Integer>> distinct) {
    this.graph = graph;
    this.classes = classes;
    this.classLeaves = classLeaves;
    this.rows = rows;
    this.distinct = distinct;
    double sum = 0;
    long leaves = 0;
    for (int leaf = 0; leaf < rows.length; leaf++) {
      if (graph.leaves().get(leaf).type() == JoinRelType.INNER) {
        sum += rows[leaf];
        leaves |= 1L << leaf;
      }
    }
    this.all = sum;
    this.inner = leaves;
  }

  /**
   * Whether joins of some relations may have more rows than all relations together.
   *
   * @param set bits of leaves, few enough for all their subsets to be looked at
   */
  boolean exceeds(long set) {
    return (set & inner) != inner && of(set & inner) > Math.max(all, of(inner));
  }

  /** The same of a join of two sets, of any number of leaves. */
  boolean exceeds(long left, long right) {
    return ((left | right) & inner) != inner && of(left & inner, right & inner) > all;
  }

  private double of(long set) {
    if (Long.bitCount(set) <= 1) {
      return set == 0 ? 1 : rows[Long.numberOfTrailingZeros(set)];
    }
    Double before = known.get(set);
    if (before != null) {
      return before;
    }
    double least = Double.POSITIVE_INFINITY;
    for (long rest = set; rest != 0; rest &= rest - 1) {
      int leaf = Long.numberOfTrailingZeros(rest);
      long others = set & ~(1L << leaf);
      least = Math.min(least, of(others) * partners(leaf, others));
    }
    known.put(set, least);
    return least;
  }

  private double of(long left, long right) {
    double least = Math.min(of(left) * partners(right, left), of(right) * partners(left, right));
    known.putIfAbsent(left | right, least);
    return least;
  }

  /** Rows of joined leaves for each row of others, those with the fewest first. */
  private double partners(long set, long of) {
    double product = 1;
    long joined = of;
    for (long rest = set; rest != 0; ) {
      int next = -1;
      double fewest = Double.POSITIVE_INFINITY;
      for (long left = rest; left != 0; left &= left - 1) {
        int leaf = Long.numberOfTrailingZeros(left);
        double own = partners(leaf, joined);
        if (next < 0 || own < fewest) {
          next = leaf;
          fewest = own;
        }
      }
      product *= fewest;
      joined |= 1L << next;
      rest &= ~(1L << next);
    }
    return product;
  }

  /** Rows of a leaf for each row of others. */
  private double partners(int leaf, long of) {
    List<Integer> columns = new ArrayList<>();
    for (int c = 0; c < classLeaves.length; c++) {
      if ((classLeaves[c] >> leaf & 1) != 0 && (classLeaves[c] & of) != 0) {
        columns.add(JoinKeys.member(graph, classes.get(c), 1L << leaf));
      }
    }
    if (columns.isEmpty()) {
      return Math.max(1, rows[leaf]);
    }
    return partners.computeIfAbsent(
        columns, keys -> Math.max(1, rows[leaf] / Math.max(1, distinct.applyAsDouble(keys))));
  }
}
