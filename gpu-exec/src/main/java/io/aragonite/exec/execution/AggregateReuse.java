package io.aragonite.exec.execution;

import io.aragonite.exec.expr.ExpressionCache;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.PhysicalPlan.Aggregate;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Groupings that a plan has more than once, as it does of a view that a query names twice: the
 * groups that the first one makes are kept for the others. Which these are follows from the plan
 * alone, so that devices that run it together agree.
 */
final class AggregateReuse {
  /** Groups of a grouping, which stay until the query ends. */
  record CachedGroups(List<ColumnShape> shapes, List<ColumnBatch> chunks) {}

  /** For each grouping that is there more than once the number that equal ones share. */
  private final Map<Aggregate, Integer> numbers = new IdentityHashMap<>();

  private final Map<Integer, @Nullable CachedGroups> kept = new HashMap<>();

  AggregateReuse(PhysicalPlan plan) {
    if (count(plan) > 1) {
      find(plan, new ArrayList<>());
    }
  }

  private static int count(PhysicalPlan plan) {
    int count = plan instanceof Aggregate ? 1 : 0;
    for (PhysicalPlan input : plan.inputs()) {
      count += count(input);
    }
    return count;
  }

  /**
   * Goes no deeper where one is found again: what is below is not run again either; nor below a
   * join of several relations, which holds what it has read of them itself.
   */
  private void find(PhysicalPlan plan, List<Aggregate> before) {
    if (plan instanceof PhysicalPlan.MultiwayJoin) {
      return;
    }
    if (plan instanceof Aggregate aggregate && isSame(aggregate)) {
      int number = before.indexOf(aggregate);
      if (number >= 0) {
        numbers.put(before.get(number), number);
        numbers.put(aggregate, number);
        return;
      }
      before.add(aggregate);
    }
    plan.inputs().forEach(input -> find(input, before));
  }

  /** Whether running a plan again yields the same rows. */
  private static boolean isSame(PhysicalPlan plan) {
    boolean here =
        switch (plan) {
          case PhysicalPlan.Scan _, PhysicalPlan.Exchange _, PhysicalPlan.SetOperation _ -> true;
          case PhysicalPlan.Filter filter ->
              ExpressionCache.comparable(List.of(filter.predicate()));
          case PhysicalPlan.Project project -> ExpressionCache.comparable(project.expressions());
          case Aggregate aggregate ->
              aggregate.calls().stream().allMatch(call -> call.function() != null);
          case PhysicalPlan.Join join ->
              join.residual() == null || ExpressionCache.comparable(List.of(join.residual()));
          default -> false;
        };
    return here && plan.inputs().stream().allMatch(AggregateReuse::isSame);
  }

  /** Whether equal groupings are elsewhere in the plan. */
  boolean has(Aggregate aggregate) {
    return numbers.containsKey(aggregate);
  }

  /** Whether an equal one has been run. */
  boolean hasRun(Aggregate aggregate) {
    return kept.containsKey(number(aggregate));
  }

  /**
   * Keeps what has come of a grouping for equal ones.
   *
   * @param groups null if they cannot be kept
   */
  void keep(Aggregate aggregate, @Nullable CachedGroups groups) {
    kept.put(number(aggregate), groups);
  }

  /** What an equal one has made; null if it is not there. */
  @Nullable CachedGroups kept(Aggregate aggregate) {
    return kept.get(number(aggregate));
  }

  private int number(Aggregate aggregate) {
    Integer number = numbers.get(aggregate);
    if (number == null) {
      throw new IllegalArgumentException("a grouping that is there once");
    }
    return number;
  }

  /** Whether one of some nodes is below a plan's root. */
  static boolean below(PhysicalPlan plan, Set<PhysicalPlan> nodes) {
    return !nodes.isEmpty()
        && plan.inputs().stream().anyMatch(input -> nodes.contains(input) || below(input, nodes));
  }
}
