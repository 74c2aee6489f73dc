package io.aragonite.exec.execution;

import io.aragonite.exec.expr.ExpressionCache;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.PhysicalPlan.Aggregate;
import io.aragonite.exec.plan.PhysicalPlan.SetOperation;
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
 * groups that the first one makes are kept for the others. Set operations are groupings, too, other
 * than UNION ALL. Which these are follows from the plan alone, so that devices that run it together
 * agree.
 */
final class AggregateReuse {
  /** Groups of a grouping, which stay until the query ends. */
  record CachedGroups(List<ColumnShape> shapes, List<ColumnBatch> chunks) {}

  /** For each grouping that is there more than once the number that equal ones share. */
  private final Map<PhysicalPlan, Integer> numbers = new IdentityHashMap<>();

  private final Map<Integer, @Nullable CachedGroups> kept = new HashMap<>();

  AggregateReuse(PhysicalPlan plan) {
    if (count(plan) > 1) {
      find(plan, new ArrayList<>());
    }
  }

  private static int count(PhysicalPlan plan) {
    int count = plan.groupsRows() ? 1 : 0;
    for (PhysicalPlan input : plan.inputs()) {
      count += count(input);
    }
    return count;
  }

  /**
   * Goes no deeper where one is found again: what is below is not run again either; nor below a
   * join of several relations, which holds what it has read of them itself.
   */
  private void find(PhysicalPlan plan, List<PhysicalPlan> before) {
    if (plan instanceof PhysicalPlan.MultiwayJoin) {
      return;
    }
    if (plan.groupsRows() && isSame(plan)) {
      int number = before.indexOf(plan);
      if (number >= 0) {
        numbers.put(before.get(number), number);
        numbers.put(plan, number);
        return;
      }
      before.add(plan);
    }
    plan.inputs().forEach(input -> find(input, before));
  }

  /** Whether running a plan again yields the same rows. */
  private static boolean isSame(PhysicalPlan plan) {
    boolean here =
        switch (plan) {
          case PhysicalPlan.Scan _, PhysicalPlan.Exchange _, SetOperation _ -> true;
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
  boolean has(PhysicalPlan grouping) {
    return numbers.containsKey(grouping);
  }

  /** Whether an equal one has been run. */
  boolean hasRun(PhysicalPlan grouping) {
    return kept.containsKey(number(grouping));
  }

  /**
   * Keeps what has come of a grouping for equal ones.
   *
   * @param groups null if they cannot be kept
   */
  void keep(PhysicalPlan grouping, @Nullable CachedGroups groups) {
    kept.put(number(grouping), groups);
  }

  /** What an equal one has made; null if it is not there. */
  @Nullable CachedGroups kept(PhysicalPlan grouping) {
    return kept.get(number(grouping));
  }

  private int number(PhysicalPlan grouping) {
    Integer number = numbers.get(grouping);
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
