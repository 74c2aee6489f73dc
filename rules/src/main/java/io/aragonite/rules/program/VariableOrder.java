package io.aragonite.rules.program;

import io.aragonite.exec.cost.MultiwayModel;
import io.aragonite.exec.limit.StopCheck;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToDoubleBiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Finds the order in which the variables of a multi-predicate join are bound: the one with the
 * fewest values to try, among all orders up to {@link #EXHAUSTIVE} variables, greedily above.
 */
final class VariableOrder {
  /**
   * An order.
   *
   * @param variables as they are bound
   * @param bindings expected combinations of values after each
   * @param tried values that are expected to be tried for each
   * @param levelNanos time of it level by level
   * @param walkNanos time of it depth first
   */
  record OrderEstimate(
      List<Integer> variables,
      List<Double> bindings,
      List<Double> tried,
      double levelNanos,
      double walkNanos) {
    double nanos() {
      return Math.min(levelNanos, walkNanos);
    }
  }

  private static final int EXHAUSTIVE = 6;

  /** What a comparison of two variables leaves. */
  private static final double ORDERED = 0.5;

  private final Hypergraph graph;
  private final int variables;
  private final ToDoubleBiFunction<Integer, BitSet> distinct;
  private final List<BitSet> comparisons;
  private final MultiwayModel model;
  private final double skew;
  private final Map<BitSet, Double> estimates = new HashMap<>();

  /**
   * @param distinct combinations of values that a relation has of some of its variables
   * @param comparisons pairs of variables that are in an order
   * @param skew how many times more rows two relations have in common than if all values were
   *     equally frequent
   */
  VariableOrder(
      Hypergraph graph,
      int variables,
      ToDoubleBiFunction<Integer, BitSet> distinct,
      List<BitSet> comparisons,
      MultiwayModel model,
      double skew) {
    this.graph = graph;
    this.variables = variables;
    this.distinct = distinct;
    this.comparisons = comparisons;
    this.model = model;
    this.skew = skew;
  }

  OrderEstimate find() {
    return variables <= EXHAUSTIVE ? best(new ArrayList<>(), null) : greedy();
  }

  private OrderEstimate best(List<Integer> prefix, @Nullable OrderEstimate known) {
    if (prefix.size() == variables) {
      OrderEstimate plan = plan(prefix);
      return known == null || plan.nanos() < known.nanos() ? plan : known;
    }
    StopCheck.current().check();
    OrderEstimate best = known;
    for (int v = 0; v < variables; v++) {
      if (!prefix.contains(v)) {
        prefix.add(v);
        best = best(prefix, best);
        prefix.removeLast();
      }
    }
    return Objects.requireNonNull(best);
  }

  private OrderEstimate greedy() {
    List<Integer> order = new ArrayList<>();
    BitSet bound = new BitSet();
    while (order.size() < variables) {
      int best = -1;
      double least = Double.POSITIVE_INFINITY;
      for (int v = 0; v < variables; v++) {
        if (!bound.get(v)) {
          double tried = tried(bound, v);
          if (best < 0 || tried < least) {
            best = v;
            least = tried;
          }
        }
      }
      order.add(best);
      bound.set(best);
    }
    return plan(order);
  }

  private OrderEstimate plan(List<Integer> order) {
    List<Double> bindings = new ArrayList<>();
    List<Double> tried = new ArrayList<>();
    BitSet bound = new BitSet();
    double levels = 0;
    double walk = 0;
    for (int v : order) {
      // Of two lists the shorter one is tried: it grows with the skew less than their product.
      double values = tried(bound, v) * (order.indexOf(v) < 2 ? 1 : Math.sqrt(skew));
      double before = bound.isEmpty() ? 1 : bindings(bound);
      levels += model.level(before, values, lists(v));
      walk += model.walk(before, values, lists(v), old(order, v));
      tried.add(values);
      bound.set(v);
      bindings.add(bindings(bound));
    }
    return new OrderEstimate(List.copyOf(order), bindings, tried, levels, walk);
  }

  private int lists(int variable) {
    return (int) graph.edges().stream().filter(edge -> edge.get(variable)).count();
  }

  /** Lists of a variable that the one before it does not change. */
  private int old(List<Integer> order, int variable) {
    int at = order.indexOf(variable);
    int count = 0;
    for (BitSet edge : graph.edges()) {
      int last = -1;
      for (int i = 0; i < at; i++) {
        last = edge.get(order.get(i)) ? i : last;
      }
      count += edge.get(variable) && last >= 0 && last < at - 1 ? 1 : 0;
    }
    return count;
  }

  /** Values that are tried for a variable: of the relation that offers the fewest. */
  private double tried(BitSet bound, int variable) {
    double fewest = Double.POSITIVE_INFINITY;
    for (int e = 0; e < graph.edges().size(); e++) {
      BitSet edge = graph.edges().get(e);
      if (edge.get(variable)) {
        BitSet before = (BitSet) edge.clone();
        before.and(bound);
        BitSet after = (BitSet) before.clone();
        after.set(variable);
        double below = before.isEmpty() ? 1 : distinct.applyAsDouble(e, before);
        fewest = Math.min(fewest, distinct.applyAsDouble(e, after) / below);
      }
    }
    return bindings(bound) * fewest * ordered(bound, variable);
  }

  private double ordered(BitSet bound, int variable) {
    double part = 1;
    for (BitSet pair : comparisons) {
      BitSet other = (BitSet) pair.clone();
      other.clear(variable);
      part *= pair.get(variable) && bound.intersects(other) ? ORDERED : 1;
    }
    return part;
  }

  /** Combinations of values of some variables that all relations agree on. */
  double bindings(BitSet bound) {
    Double known = estimates.get(bound);
    if (known != null) {
      return known;
    }
    StopCheck.current().check();
    double[] sizes = new double[graph.edges().size()];
    double product = 1;
    for (int e = 0; e < sizes.length; e++) {
      BitSet part = (BitSet) graph.edges().get(e).clone();
      part.and(bound);
      sizes[e] = part.isEmpty() ? 1 : distinct.applyAsDouble(e, part);
      product *= sizes[e];
    }
    for (int v = bound.nextSetBit(0); v >= 0; v = bound.nextSetBit(v + 1)) {
      BitSet one = new BitSet();
      one.set(v);
      double all = 1;
      double fewest = Double.POSITIVE_INFINITY;
      for (int e = 0; e < sizes.length; e++) {
        if (graph.edges().get(e).get(v)) {
          double values = distinct.applyAsDouble(e, one);
          all *= values;
          fewest = Math.min(fewest, values);
        }
      }
      product *= fewest / all;
    }
    product = Math.min(product, graph.bound(bound, sizes));
    for (BitSet pair : comparisons) {
      BitSet missing = (BitSet) pair.clone();
      missing.andNot(bound);
      product *= missing.isEmpty() ? ORDERED : 1;
    }
    estimates.put((BitSet) bound.clone(), product);
    return product;
  }
}
