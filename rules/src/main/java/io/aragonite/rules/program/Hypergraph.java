package io.aragonite.rules.program;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * Variables, and relations as sets of them.
 *
 * @param edges for each relation its variables
 */
record Hypergraph(List<BitSet> edges) {
  /**
   * The relations that are left by the reduction of Graham, Yu and Ozsoyoglu: variables of one
   * relation only are taken out, and relations within another one, until nothing changes. None are
   * left of an acyclic graph.
   */
  BitSet core() {
    List<BitSet> left = new ArrayList<>();
    BitSet alive = new BitSet();
    for (int e = 0; e < edges.size(); e++) {
      left.add((BitSet) edges.get(e).clone());
      alive.set(e);
    }
    boolean changed = true;
    while (changed) {
      changed = false;
      BitSet once = new BitSet();
      BitSet often = new BitSet();
      alive.stream()
          .forEach(e -> {
            BitSet again = (BitSet) left.get(e).clone();
            again.and(once);
            often.or(again);
            once.or(left.get(e));
          });
      once.andNot(often);
      for (int e = alive.nextSetBit(0); e >= 0; e = alive.nextSetBit(e + 1)) {
        BitSet edge = left.get(e);
        changed |= edge.intersects(once);
        edge.andNot(once);
        if (isWithinAnother(e, left, alive)) {
          alive.clear(e);
          changed = true;
        }
      }
    }
    return alive;
  }

  private static boolean isWithinAnother(int edge, List<BitSet> edges, BitSet alive) {
    if (edges.get(edge).isEmpty()) {
      return true;
    }
    for (int e = alive.nextSetBit(0); e >= 0; e = alive.nextSetBit(e + 1)) {
      BitSet rest = (BitSet) edges.get(edge).clone();
      rest.andNot(edges.get(e));
      if (e != edge && rest.isEmpty()) {
        return true;
      }
    }
    return false;
  }

  /** The relations among some that are connected with the first of them through variables. */
  BitSet component(BitSet some) {
    BitSet result = new BitSet();
    int first = some.nextSetBit(0);
    if (first < 0) {
      return result;
    }
    result.set(first);
    BitSet variables = (BitSet) edges.get(first).clone();
    boolean changed = true;
    while (changed) {
      changed = false;
      for (int e = some.nextSetBit(0); e >= 0; e = some.nextSetBit(e + 1)) {
        if (!result.get(e) && edges.get(e).intersects(variables)) {
          result.set(e);
          variables.or(edges.get(e));
          changed = true;
        }
      }
    }
    return result;
  }

  /**
   * The bound of Atserias, Grohe and Marx on the number of combinations of some variables' values:
   * the least product of the relations' sizes to the powers of a fractional edge cover. It is found
   * as the optimum of the dual program (weights of variables, whose sum in no relation exceeds the
   * logarithm of its size), by the simplex method with Bland's rule, from zero weights.
   *
   * @param sizes for each relation the number of its combinations of these variables
   */
  double bound(BitSet variables, double[] sizes) {
    int[] columns = variables.stream().toArray();
    List<Integer> rows = new ArrayList<>();
    for (int e = 0; e < edges.size(); e++) {
      if (edges.get(e).intersects(variables)) {
        rows.add(e);
      }
    }
    int n = columns.length;
    int m = rows.size();
    // Weights, slacks, right side; the last row is what is maximised, negated.
    double[][] t = new double[m + 1][n + m + 1];
    int[] basis = new int[m];
    for (int i = 0; i < m; i++) {
      for (int j = 0; j < n; j++) {
        t[i][j] = edges.get(rows.get(i)).get(columns[j]) ? 1 : 0;
      }
      t[i][n + i] = 1;
      t[i][n + m] = Math.log(Math.max(1, sizes[rows.get(i)]));
      basis[i] = n + i;
    }
    for (int j = 0; j < n; j++) {
      t[m][j] = -1;
    }
    while (true) {
      int in = 0;
      while (in < n + m && t[m][in] > -1e-9) {
        in++;
      }
      if (in == n + m) {
        return Math.exp(t[m][n + m]);
      }
      int out = -1;
      for (int i = 0; i < m; i++) {
        if (t[i][in] > 1e-9) {
          double ratio = t[i][n + m] / t[i][in];
          double best = out < 0 ? 0 : t[out][n + m] / t[out][in];
          if (out < 0 || ratio < best || ratio == best && basis[i] < basis[out]) {
            out = i;
          }
        }
      }
      if (out < 0) {
        // A variable in no relation: there is no bound.
        return Double.POSITIVE_INFINITY;
      }
      pivot(t, out, in);
      basis[out] = in;
    }
  }

  private static void pivot(double[][] t, int row, int column) {
    double by = t[row][column];
    for (int j = 0; j < t[row].length; j++) {
      t[row][j] /= by;
    }
    for (int i = 0; i < t.length; i++) {
      double factor = t[i][column];
      if (i != row && factor != 0) {
        for (int j = 0; j < t[i].length; j++) {
          t[i][j] -= factor * t[row][j];
        }
      }
    }
  }
}
