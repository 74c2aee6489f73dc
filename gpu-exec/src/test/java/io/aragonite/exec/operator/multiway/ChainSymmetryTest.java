package io.aragonite.exec.operator.multiway;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.aragonite.exec.expr.Op;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.PhysicalPlan.MultiwayJoin;
import io.aragonite.exec.plan.PhysicalPlan.VariableComparison;
import io.aragonite.exec.plan.PhysicalPlan.VariableKey;
import io.aragonite.exec.plan.TraversalOrder;
import io.aragonite.exec.type.DataType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which patterns of a graph are counted alike in any order of its nodes. */
class ChainSymmetryTest {
  private static final int[][] TRIANGLE = {{0, 1}, {1, 2}, {0, 2}};
  private static final int[][] CYCLE = {{0, 1}, {1, 2}, {2, 3}, {0, 3}};
  private static final int[][] DIAMOND = {{0, 1}, {0, 2}, {1, 2}, {0, 3}, {1, 3}};
  private static final int[][] PAW = {{0, 1}, {1, 2}, {0, 2}, {2, 3}};

  @Test
  void chainsOfVariablesThatMayChangePlaces() {
    assertEquals("0<1 1<2", inOrder(3, TRIANGLE, less(0, 1), less(1, 2)));
    assertEquals("0<1 1<2", inOrder(3, TRIANGLE, less(0, 1), less(1, 2), less(0, 2)));
    assertEquals("0<1 1<2", inOrder(3, TRIANGLE, less(2, 0), less(0, 1)));
    assertEquals("0<1 1<2", inOrder(3, TRIANGLE, less(2, 1), less(1, 0)));
    assertEquals("0<1", inOrder(3, TRIANGLE, less(0, 1)));
    assertEquals("0<2", inOrder(3, TRIANGLE, less(2, 0)));
    assertEquals("0<2 1<3", inOrder(4, CYCLE, less(0, 2), less(3, 1)));
    assertEquals("0<1 2<3", inOrder(4, DIAMOND, less(1, 0), less(2, 3)));
    assertEquals("0<1", inOrder(4, PAW, less(0, 1)));
  }

  @Test
  void patternsThatAreNotTheSame() {
    // No comparison, one that says something else, contradictions.
    assertNull(inOrder(3, TRIANGLE));
    assertNull(inOrder(3, TRIANGLE, new VariableComparison(Op.LE, 0, 1)));
    assertNull(inOrder(3, TRIANGLE, less(0, 1), new VariableComparison(Op.NE, 1, 2)));
    assertNull(inOrder(3, TRIANGLE, less(0, 1), less(1, 0)));
    // Both orders of two variables are counted: how many depends on which nodes are least.
    assertNull(inOrder(3, TRIANGLE, less(0, 1), less(0, 2)));
    assertNull(inOrder(3, TRIANGLE, less(0, 2), less(1, 2)));
    // Neighbours of a chain that have different places in the pattern.
    assertNull(inOrder(4, CYCLE, less(0, 1)));
    assertNull(inOrder(4, CYCLE, less(0, 2), less(2, 1)));
    assertNull(inOrder(4, DIAMOND, less(0, 2)));
    assertNull(inOrder(4, PAW, less(0, 1), less(1, 2)));
  }

  private static VariableComparison less(int left, int right) {
    return left % 2 == 0
        ? new VariableComparison(Op.LT, left, right)
        : new VariableComparison(Op.GT, right, left);
  }

  private static @Nullable String inOrder(
      int variables, int[][] edges, VariableComparison... comparisons) {
    PhysicalPlan none = new PhysicalPlan.Values(List.of(), List.of(DataType.INT64));
    List<List<VariableKey>> keys = new ArrayList<>();
    for (int[] edge : edges) {
      keys.add(List.of(new VariableKey(edge[0], 0), new VariableKey(edge[1], 1)));
    }
    MultiwayJoin ordered =
        ChainSymmetry.inOrderOfBinding(
            new MultiwayJoin(
                Collections.nCopies(edges.length, none),
                keys,
                variables,
                List.of(comparisons),
                List.of(),
                true,
                TraversalOrder.LEVELS,
                none,
                List.of(DataType.INT64)));
    return ordered == null
        ? null
        : ordered.comparisons().stream()
            .map(c -> c.left() + (c.op() == Op.LT ? "<" : "?") + c.right())
            .collect(Collectors.joining(" "));
  }
}
