package io.aragonite.rules.program;

import io.aragonite.exec.limit.StopCheck;
import io.aragonite.rules.limit.PlanningBudget;
import io.aragonite.rules.program.JoinOrder.OrderedJoin;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An order of joins that is found step by step: the join with the fewest rows next, or, where the
 * budget of planning is spent, the next relation in the query's order that has a predicate with
 * those before it.
 */
final class GreedyJoinOrder {
  private static final String STEP = "the order of joins by rows";

  private final JoinOrder order;
  private final PlanningBudget budget;

  /** A part that is joined next, and its joins with others that a predicate allows. */
  private record Partners(OrderedJoin part, List<OrderedJoin> joins) {}

  /**
   * @param order which joins there are and what they cost
   * @param budget what finding may take
   */
  GreedyJoinOrder(JoinOrder order, PlanningBudget budget) {
    this.order = order;
    this.budget = budget;
  }

  /** Plans that together have all relations, and that no predicate connects. */
  List<OrderedJoin> find(List<OrderedJoin> relations) {
    List<Partners> parts = new ArrayList<>();
    for (OrderedJoin part : relations) {
      if (!budget.allows(STEP)) {
        return written(relations);
      }
      Partners partners = new Partners(part, new ArrayList<>());
      for (OrderedJoin other : relations) {
        add(partners, other);
      }
      parts.add(partners);
    }
    while (true) {
      if (!budget.allows(STEP)) {
        return written(parts.stream().map(Partners::part).toList());
      }
      OrderedJoin best = fewestRows(parts);
      if (best == null) {
        return parts.stream().map(Partners::part).toList();
      }
      parts.removeIf(partners -> overlaps(partners.part, best));
      Partners joined = new Partners(best, new ArrayList<>());
      for (Partners partners : parts) {
        partners.joins.removeIf(join -> overlaps(join, best));
        add(partners, best);
        add(joined, partners.part);
      }
      parts.add(joined);
    }
  }

  private static boolean overlaps(OrderedJoin one, OrderedJoin other) {
    return (one.leaves() & other.leaves()) != 0;
  }

  private void add(Partners partners, OrderedJoin other) {
    StopCheck.current().check();
    if (!overlaps(partners.part, other) && order.mayJoin(partners.part, other)) {
      partners.joins.add(order.join(partners.part, other, null));
    }
  }

  /** Of those that multiply no rows, if there are any. */
  private @Nullable OrderedJoin fewestRows(List<Partners> parts) {
    OrderedJoin best = null;
    OrderedJoin bounded = null;
    for (Partners partners : parts) {
      for (OrderedJoin join : partners.joins) {
        if (best == null || join.rows() < best.rows()) {
          best = join;
        }
        if ((bounded == null || join.rows() < bounded.rows()) && !exceeds(join)) {
          bounded = join;
        }
      }
    }
    return bounded != null ? bounded : best;
  }

  private boolean exceeds(OrderedJoin join) {
    OrderedJoin left = join.left();
    OrderedJoin right = join.right();
    return left != null && right != null && order.bounds().exceeds(left.leaves(), right.leaves());
  }

  /** Joins in the query's order, as far as predicates connect them. */
  private List<OrderedJoin> written(List<OrderedJoin> parts) {
    List<OrderedJoin> rest = new ArrayList<>(parts);
    List<OrderedJoin> result = new ArrayList<>();
    while (!rest.isEmpty()) {
      OrderedJoin joined = rest.removeFirst();
      for (int next = 0; next < rest.size(); ) {
        StopCheck.current().check();
        if (order.mayJoin(joined, rest.get(next))) {
          joined = order.join(joined, rest.remove(next), null);
          next = 0;
        } else {
          next++;
        }
      }
      result.add(joined);
    }
    return result;
  }
}
