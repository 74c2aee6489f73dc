package io.aragonite.exec.operator.multiway;

import io.aragonite.exec.expr.Op;
import io.aragonite.exec.plan.PhysicalPlan.MultiwayJoin;
import io.aragonite.exec.plan.PhysicalPlan.VariableComparison;
import io.aragonite.exec.plan.PhysicalPlan.VariableKey;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Whether a pattern of a graph is counted alike in whatever order its nodes' numbers are.
 *
 * <p>The comparisons of such a pattern put its variables into chains, as {@code x < y < z} does,
 * and two neighbours of a chain may change places: what they are joined with stays the same if each
 * edge is there in both directions. So of each set of nodes that fit a chain just one order is
 * counted, whichever order of the numbers that is: comparisons break the symmetry, and do not say
 * more than that.
 */
final class ChainSymmetry {
  private final MultiwayJoin node;

  /** Whether a variable is less than another one, directly or not. */
  private final boolean[][] less;

  private ChainSymmetry(MultiwayJoin node) {
    this.node = node;
    this.less = new boolean[node.variables()][node.variables()];
  }

  /**
   * The same pattern with chains in the order in which variables are bound, so that the later one
   * of two is the greater one: where nodes of few edges have the least numbers, this makes short
   * lists of what is left to try. Null if the pattern depends on the order of numbers, or compares
   * nothing.
   *
   * @param node counts rows of relations of two columns each, all of them the same edges
   */
  static @Nullable MultiwayJoin inOrderOfBinding(MultiwayJoin node) {
    ChainSymmetry symmetry = new ChainSymmetry(node);
    boolean same =
        !node.comparisons().isEmpty()
            && node.keys().stream().allMatch(keys -> keys.size() == 2)
            && symmetry.compare()
            && symmetry.chained();
    return same ? node.comparing(symmetry.inOrder()) : null;
  }

  private List<VariableComparison> inOrder() {
    List<VariableComparison> comparisons = new ArrayList<>();
    for (int v = 0; v < less.length; v++) {
      int later = v + 1;
      while (later < less.length && !less[v][later] && !less[later][v]) {
        later++;
      }
      if (later < less.length) {
        comparisons.add(new VariableComparison(Op.LT, v, later));
      }
    }
    return comparisons;
  }

  /** Finds out which variables are less than which; false if comparisons say anything else. */
  private boolean compare() {
    for (VariableComparison c : node.comparisons()) {
      if (c.op() == Op.LT) {
        less[c.left()][c.right()] = true;
      } else if (c.op() == Op.GT) {
        less[c.right()][c.left()] = true;
      } else {
        return false;
      }
    }
    for (int via = 0; via < less.length; via++) {
      for (int v = 0; v < less.length; v++) {
        for (int w = 0; w < less.length; w++) {
          less[v][w] |= less[v][via] && less[via][w];
        }
      }
    }
    for (int v = 0; v < less.length; v++) {
      if (less[v][v]) {
        return false;
      }
    }
    return true;
  }

  /** Whether compared variables are in chains, whose neighbours may change places. */
  private boolean chained() {
    Map<List<Integer>, Integer> edges = edges(-1, -1);
    for (int v = 0; v < less.length; v++) {
      List<Integer> above = new ArrayList<>();
      for (int w = 0; w < less.length; w++) {
        if (less[v][w]) {
          above.add(w);
        }
      }
      above.sort(Comparator.comparingInt(this::below));
      for (int i = 1; i < above.size(); i++) {
        if (!less[above.get(i - 1)][above.get(i)]) {
          return false;
        }
      }
      if (!above.isEmpty()
          && (below(above.getFirst()) != below(v) + 1
              || !edges.equals(edges(v, above.getFirst())))) {
        return false;
      }
    }
    return true;
  }

  /** How many variables are less than one. */
  private int below(int variable) {
    int count = 0;
    for (boolean[] others : less) {
      count += others[variable] ? 1 : 0;
    }
    return count;
  }

  /** How often each pair of variables is joined, where two of them have changed places. */
  private Map<List<Integer>, Integer> edges(int one, int two) {
    Map<List<Integer>, Integer> edges = new HashMap<>();
    for (List<VariableKey> keys : node.keys()) {
      int[] ends = new int[2];
      for (int i = 0; i < 2; i++) {
        int v = keys.get(i).variable();
        ends[i] = v == one ? two : v == two ? one : v;
      }
      Arrays.sort(ends);
      edges.merge(List.of(ends[0], ends[1]), 1, Integer::sum);
    }
    return edges;
  }
}
