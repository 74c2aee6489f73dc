package io.aragonite.rules.program;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Cyclic cores, components and bounds of graphs whose answers are known. */
class HypergraphTest {
  private static Hypergraph graph(int[]... edges) {
    List<BitSet> all = new ArrayList<>();
    for (int[] edge : edges) {
      all.add(set(edge));
    }
    return new Hypergraph(all);
  }

  private static BitSet set(int... members) {
    BitSet set = new BitSet();
    Arrays.stream(members).forEach(set::set);
    return set;
  }

  @Test
  void acyclicGraphsHaveNoCore() {
    assertEquals(set(), graph(new int[] {0, 1}, new int[] {1, 2}, new int[] {2, 3}).core());
    assertEquals(set(), graph(new int[] {0, 1}, new int[] {0, 2}, new int[] {0, 3}).core());
    // A triangle with a relation over all three is acyclic.
    assertEquals(
        set(),
        graph(new int[] {0, 1}, new int[] {1, 2}, new int[] {0, 2}, new int[] {0, 1, 2}).core());
    assertEquals(set(), graph(new int[] {0}, new int[] {}, new int[] {0, 1}).core());
  }

  @Test
  void cyclesAreCoresWithoutTheirEars() {
    assertEquals(set(0, 1, 2), graph(new int[] {0, 1}, new int[] {1, 2}, new int[] {0, 2}).core());
    Hypergraph withEars =
        graph(
            new int[] {0, 1},
            new int[] {1, 2},
            new int[] {2, 3},
            new int[] {3, 0},
            new int[] {3, 4},
            new int[] {4, 5},
            new int[] {0, 1});
    BitSet core = withEars.core();
    // Of two relations over the same variables one is an ear of the other.
    assertEquals(4, core.cardinality());
    assertEquals(false, core.get(4) || core.get(5));
  }

  @Test
  void componentsAreConnected() {
    Hypergraph two =
        graph(
            new int[] {0, 1},
            new int[] {3, 4},
            new int[] {1, 2},
            new int[] {0, 2},
            new int[] {4, 5},
            new int[] {3, 5});
    assertEquals(set(0, 1, 2, 3, 4, 5), two.core());
    assertEquals(set(0, 2, 3), two.component(two.core()));
    assertEquals(set(), two.component(set()));
  }

  @Test
  void boundsAreThoseOfAtseriasGroheAndMarx() {
    Hypergraph triangle = graph(new int[] {0, 1}, new int[] {1, 2}, new int[] {0, 2});
    assertEquals(1e9, triangle.bound(set(0, 1, 2), new double[] {1e6, 1e6, 1e6}), 1);
    // One side is so small that the cover takes it and the two it is joined with, or fewer.
    assertEquals(1e6, triangle.bound(set(0, 1, 2), new double[] {1, 1e6, 1e9}), 1);
    assertEquals(1e6, triangle.bound(set(0, 1), new double[] {1e6, 1e9, 1e9}), 1);
    Hypergraph clique =
        graph(
            new int[] {0, 1},
            new int[] {0, 2},
            new int[] {0, 3},
            new int[] {1, 2},
            new int[] {1, 3},
            new int[] {2, 3});
    double[] equal = {1e4, 1e4, 1e4, 1e4, 1e4, 1e4};
    assertEquals(1e8, clique.bound(set(0, 1, 2, 3), equal), 1);
    Hypergraph path = graph(new int[] {0, 1}, new int[] {1, 2}, new int[] {2, 3});
    assertEquals(1e6, path.bound(set(0, 1, 2, 3), new double[] {1e3, 1e9, 1e3}), 1);
    assertEquals(1, path.bound(set(0, 1), new double[] {0, 5, 5}), 1e-9);
    assertEquals(
        Double.POSITIVE_INFINITY, path.bound(set(0, 7), new double[] {10, 10, 10}), "no cover");
  }
}
