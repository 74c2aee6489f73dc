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
   * The order of degrees that makes short lists of what is left to try once most variables are
   * bound: true if nodes of few edges are to have the least numbers, false if the largest ones.
   * Null if the pattern depends on the order of numbers, or compares nothing.
   *
   * @param node counts rows of relations of two columns each, all of them the same edges
   */
  static @Nullable Boolean ascending(MultiwayJoin node) {
    return new ChainSymmetry(node).ascending();
  }

  private @Nullable Boolean ascending() {
    if (node.comparisons().isEmpty()
        || node.keys().stream().anyMatch(keys -> keys.size() != 2)
        || !compare()
        || !chained()) {
      return null;
    }
    int later = 0;
    for (int v = 0; v < less.length; v++) {
      for (int w = 0; w < less.length; w++) {
        if (less[v][w]) {
          // The later one of the two has the lists that the order is to shorten.
          later += v < w ? 1 : -1;
        }
      }
    }
    return later >= 0;
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
