package io.aragonite.rules.program;

import io.aragonite.rules.cost.Costs;
import io.aragonite.rules.cost.DeviceProfile;
import io.aragonite.rules.cost.JoinCost;
import io.aragonite.rules.metadata.JoinEstimates;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.metadata.RelMetadataQuery;
import org.apache.calcite.rex.RexNode;
import org.jspecify.annotations.Nullable;

/**
 * Finds a cheap order of joins: all bushy trees by dynamic programming up to {@link #EXHAUSTIVE}
 * relations, greedily (the join with the fewest rows next) above. Relations are only joined through
 * predicates; cross joins are made at the end if the query has them.
 */
final class JoinOrder {
  /** A relation, or a join of two plans. Bits tell the leaves below. */
  record Plan(
      long leaves,
      double rows,
      double cost,
      double bytes,
      @Nullable Plan left,
      @Nullable Plan right) {}

  private static final int EXHAUSTIVE = 10;

  private final JoinGraph graph;
  private final RelMetadataQuery mq;
  private final DeviceProfile device;
  private final List<List<Integer>> classes;
  private final List<RexNode> others;
  private final long[] otherLeaves;
  private final long[] required;
  private final Map<List<Integer>, Double> distinct = new HashMap<>();

  /**
   * @param classes columns that are made equal
   * @param others predicates over several leaves that are no such equality
   */
  JoinOrder(
      JoinGraph graph,
      List<List<Integer>> classes,
      List<RexNode> others,
      RelMetadataQuery mq,
      DeviceProfile device) {
    this.graph = graph;
    this.mq = mq;
    this.device = device;
    this.classes = classes;
    this.others = others;
    this.otherLeaves = others.stream().mapToLong(graph::leavesOf).toArray();
    this.required = new long[graph.leaves().size()];
    for (int i = 0; i < required.length; i++) {
      for (RexNode filter : graph.leaves().get(i).filters()) {
        required[i] |= graph.leavesOf(filter) & ~(1L << i);
      }
    }
  }

  Plan find() {
    List<Plan> parts = new ArrayList<>();
    for (int i = 0; i < graph.leaves().size(); i++) {
      parts.add(leaf(i));
    }
    List<Plan> joined = parts.size() <= EXHAUSTIVE ? exhaustive(parts) : greedy(parts);
    return cross(joined);
  }

  private Plan leaf(int index) {
    JoinGraph.Leaf leaf = graph.leaves().get(index);
    return new Plan(
        1L << index,
        JoinEstimates.rows(leaf.rel(), mq),
        0,
        Costs.rowBytes(leaf.rel().getRowType()),
        null,
        null);
  }

  /** The best plan for each connected set, largest sets last. */
  private List<Plan> exhaustive(List<Plan> leaves) {
    int n = leaves.size();
    @Nullable Plan[] best = new Plan[1 << n];
    for (Plan leaf : leaves) {
      best[(int) leaf.leaves] = leaf;
    }
    for (int set = 1; set < best.length; set++) {
      for (int left = (set - 1) & set; left > 0; left = (left - 1) & set) {
        Plan a = best[left];
        Plan b = best[set ^ left];
        if (a == null || b == null || !mayJoin(a, b)) {
          continue;
        }
        Plan present = best[set];
        Plan plan = join(a, b, present);
        if (present == null || plan.cost < present.cost) {
          best[set] = plan;
        }
      }
    }
    return components(best);
  }

  /** Disjoint plans that together have all leaves, the largest first. */
  private static List<Plan> components(@Nullable Plan[] best) {
    List<Plan> result = new ArrayList<>();
    int missing = best.length - 1;
    while (missing != 0) {
      Plan largest = null;
      for (int set = missing; set > 0; set = (set - 1) & missing) {
        Plan plan = best[set];
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

  private List<Plan> greedy(List<Plan> leaves) {
    List<Plan> parts = new ArrayList<>(leaves);
    while (true) {
      Plan best = null;
      for (Plan a : parts) {
        for (Plan b : parts) {
          if ((a.leaves & b.leaves) == 0 && mayJoin(a, b)) {
            Plan plan = join(a, b, null);
            if (best == null || plan.rows < best.rows) {
              best = plan;
            }
          }
        }
      }
      if (best == null) {
        return parts;
      }
      Plan chosen = best;
      parts.removeIf(part -> (part.leaves & chosen.leaves) != 0);
      parts.add(best);
    }
  }

  /** What no predicate connects is multiplied, small ones first; what only filters comes last. */
  private Plan cross(List<Plan> parts) {
    List<Plan> rest = new ArrayList<>(parts);
    rest.sort(
        java.util.Comparator.comparing((Plan plan) -> filterOf(plan) >= 0)
            .thenComparing(plan -> plan.rows));
    Plan result = rest.get(0);
    for (Plan part : rest.subList(1, rest.size())) {
      result = join(result, part, null);
    }
    return result;
  }

  /** The leaf of a plan that is a semi-join's or anti-join's inner side, -1 for another plan. */
  private int filterOf(Plan plan) {
    if (Long.bitCount(plan.leaves) != 1) {
      return -1;
    }
    int index = Long.numberOfTrailingZeros(plan.leaves);
    return graph.leaves().get(index).type() == JoinRelType.INNER ? -1 : index;
  }

  private boolean mayJoin(Plan left, Plan right) {
    int filter = filterOf(right);
    if (filter >= 0) {
      return (required[filter] & ~left.leaves) == 0 && filterOf(left) < 0;
    }
    if (filterOf(left) >= 0) {
      return false;
    }
    for (List<Integer> keys : classes) {
      if (first(keys, left.leaves) >= 0 && first(keys, right.leaves) >= 0) {
        return true;
      }
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

  private int first(List<Integer> keys, long leaves) {
    for (int key : keys) {
      if ((leaves >> graph.leafOf(key) & 1) != 0) {
        return key;
      }
    }
    return -1;
  }

  /** The join of two plans; its rows are those of another plan for the same leaves if there is. */
  private Plan join(Plan left, Plan right, @Nullable Plan same) {
    long leaves = left.leaves | right.leaves;
    int filter = filterOf(right);
    double bytes = filter >= 0 ? left.bytes : left.bytes + right.bytes;
    boolean keyed;
    double rows;
    if (filter >= 0) {
      keyed = graph.leaves().get(filter).filters().stream().anyMatch(SemiEstimates::isKey);
      rows = SemiEstimates.rows(graph, filter, left.rows, right.rows, mq);
    } else {
      double keys = keysJoined(left, right);
      keyed = keys >= 1;
      rows = Math.max(1, left.rows * right.rows / Math.max(1, keys) * otherPredicates(left, right));
    }
    if (same != null) {
      rows = same.rows;
    }
    double own = keyed ? hash(left, right, rows) : nested(left, right, rows);
    return new Plan(leaves, rows, left.cost + right.cost + own, bytes, left, right);
  }

  private double hash(Plan left, Plan right, double rows) {
    return Math.min(
        JoinCost.hash(device, right.rows, right.bytes, left.rows, rows),
        JoinCost.hash(device, left.rows, left.bytes, right.rows, rows));
  }

  private double nested(Plan left, Plan right, double rows) {
    return JoinCost.nestedLoop(device, left.rows, right.rows, rows);
  }

  private double otherPredicates(Plan left, Plan right) {
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

  /** The larger number of distinct key combinations of both sides; 0 if there are no keys. */
  private double keysJoined(Plan left, Plan right) {
    List<Integer> leftKeys = new ArrayList<>();
    List<Integer> rightKeys = new ArrayList<>();
    for (List<Integer> keys : classes) {
      int a = fewest(keys, left.leaves);
      int b = fewest(keys, right.leaves);
      if (a >= 0 && b >= 0) {
        leftKeys.add(a);
        rightKeys.add(b);
      }
    }
    if (leftKeys.isEmpty()) {
      return 0;
    }
    return Math.max(combinations(leftKeys, left.rows), combinations(rightKeys, right.rows));
  }

  /** The column of a class with the fewest distinct values among some leaves, -1 if none. */
  private int fewest(List<Integer> keys, long leaves) {
    int result = -1;
    for (int key : keys) {
      if ((leaves >> graph.leafOf(key) & 1) != 0
          && (result < 0 || distinct(List.of(key)) < distinct(List.of(result)))) {
        result = key;
      }
    }
    return result;
  }

  private double combinations(List<Integer> keys, double rows) {
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
          JoinGraph.Leaf leaf = graph.leaves().get(graph.leafOf(keys.get(0)));
          return JoinEstimates.distinct(leaf.rel(), mq, JoinGraph.local(leaf, keys));
        });
  }
}
