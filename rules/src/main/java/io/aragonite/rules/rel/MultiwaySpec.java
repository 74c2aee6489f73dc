package io.aragonite.rules.rel;

import io.aragonite.exec.plan.PhysicalPlan.VariableComparison;
import io.aragonite.exec.plan.PhysicalPlan.VariableKey;
import io.aragonite.exec.plan.TraversalOrder;
import java.util.List;

/**
 * What a multi-predicate join does. Its columns are those of all relations, numbered through, of
 * which some come out.
 *
 * @param keys for each relation the columns that stand for variables, ascending by variable
 * @param variables names of the variables, in the order in which they are bound
 * @param comparisons conditions between variables
 * @param outputs the columns that come out
 * @param traversal in which order values are tried
 * @param estimate for EXPLAIN and prices
 */
public record MultiwaySpec(
    List<List<VariableKey>> keys,
    List<String> variables,
    List<VariableComparison> comparisons,
    List<Integer> outputs,
    TraversalOrder traversal,
    MultiwayEstimate estimate) {
  /**
   * What the planner expects.
   *
   * @param hypergraph the relations with their variables, for people
   * @param bound rows at most (Atserias, Grohe and Marx), without repeated ones
   * @param rows that come out
   * @param bindings combinations of values after each variable
   * @param levelNanos time of the join level by level
   * @param walkNanos time of the join depth first
   * @param trieNanos time of building its tries
   * @param binaryNanos time of the best joins of two relations at a time
   */
  public record MultiwayEstimate(
      String hypergraph,
      double bound,
      double rows,
      List<Double> bindings,
      double levelNanos,
      double walkNanos,
      double trieNanos,
      double binaryNanos) {}

  /** Whether it is planned to go depth first. */
  boolean depthFirst() {
    return traversal == TraversalOrder.DEPTH;
  }

  /** Expected time, building tries aside. */
  double nanos() {
    return depthFirst() ? estimate.walkNanos : estimate.levelNanos;
  }

  MultiwaySpec withOutputs(List<Integer> other) {
    return new MultiwaySpec(keys, variables, comparisons, other, traversal, estimate);
  }
}
