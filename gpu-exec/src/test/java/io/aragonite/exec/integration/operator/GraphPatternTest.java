package io.aragonite.exec.integration.operator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.engine.TestEngine;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.plan.AggregateCall;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.PhysicalPlan.MultiwayJoin;
import io.aragonite.exec.plan.PhysicalPlan.VariableComparison;
import io.aragonite.exec.plan.PhysicalPlan.VariableKey;
import io.aragonite.exec.plan.TestTable;
import io.aragonite.exec.plan.TraversalOrder;
import io.aragonite.exec.testing.TestSeed;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Patterns of graphs with hubs, which are numbered by their degrees where a pattern allows it,
 * against all assignments of nodes one after the other.
 */
class GraphPatternTest {
  private static final int ROUNDS = Integer.getInteger("aragonite.rounds", 60);
  private static final int NODES = 60;

  /** Pairs of variables that are joined by an edge. */
  private static final List<int[][]> PATTERNS =
      List.of(
          new int[][] {{0, 1}, {1, 2}, {0, 2}},
          new int[][] {{0, 1}, {1, 2}, {2, 3}, {0, 3}},
          new int[][] {{0, 1}, {0, 2}, {1, 2}, {1, 3}, {2, 3}},
          new int[][] {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}},
          new int[][] {{0, 1}, {1, 2}, {0, 2}, {2, 3}});

  /**
   * A multiset of edges.
   *
   * @param times how often each node's edge to another is there
   */
  private record Graph(int[][] times, List<List<@Nullable Object>> rows, DataType type) {
    static Graph random(Random random, boolean symmetric) {
      int[][] times = new int[NODES][NODES];
      int hubs = 1 + random.nextInt(2);
      for (int hub = 0; hub < hubs; hub++) {
        int which = random.nextInt(NODES);
        for (int i = 0; i < NODES; i++) {
          times[which][i] += random.nextInt(8) > 0 ? 1 : 0;
        }
      }
      for (int i = 0; i < 40; i++) {
        times[random.nextInt(NODES)][random.nextInt(NODES)] += 1 + random.nextInt(5) / 4;
      }
      for (int i = 0; i < NODES; i++) {
        for (int j = 0; j < i; j++) {
          times[i][j] += times[j][i];
          times[j][i] = times[i][j];
        }
      }
      if (!symmetric) {
        int i = random.nextInt(NODES - 1);
        times[i][NODES - 1]++;
      }
      boolean wide = random.nextBoolean();
      long base = wide ? (1L << 40) - 7 : -20;
      long step = wide ? 1L << 33 : 3;
      List<List<@Nullable Object>> rows = new ArrayList<>();
      for (int i = 0; i < NODES; i++) {
        for (int j = 0; j < NODES; j++) {
          for (int k = 0; k < times[i][j]; k++) {
            rows.add(Arrays.asList(base + i * step, base + j * step));
          }
        }
      }
      for (int i = 0; i < 5; i++) {
        rows.add(Arrays.asList(base, null));
        rows.add(Arrays.asList(null, null));
      }
      Collections.shuffle(rows, random);
      return new Graph(times, rows, wide ? DataType.INT64 : DataType.INT32);
    }

    TestTable table() {
      DataType nullable = type.withNullable(true);
      ColumnShape shape = new ColumnShape(nullable, Storage.of(type), true, null, null);
      return new TestTable(List.of(shape, shape), rows, 64);
    }
  }

  @Test
  void countsWhatAllAssignmentsCount() {
    Random random = TestSeed.random(GraphPatternTest.class);
    int found = 0;
    for (int round = 0; round < ROUNDS; round++) {
      boolean symmetric = random.nextInt(4) > 0;
      Graph graph = Graph.random(random, symmetric);
      int[][] pattern = PATTERNS.get(random.nextInt(PATTERNS.size()));
      int variables = Arrays.stream(pattern).mapToInt(pair -> pair[1]).max().orElseThrow() + 1;
      List<VariableComparison> comparisons = comparisons(random, variables);
      String what =
          "round %d, symmetric %s, %s, %s"
              .formatted(round, symmetric, Arrays.deepToString(pattern), comparisons);
      long expected = count(graph, pattern, comparisons, new int[variables], 0, 1);
      found += expected > 0 ? 1 : 0;
      TraversalOrder traversal = TraversalOrder.values()[random.nextInt(3)];
      MultiwayJoin join = join(graph.table(), pattern, variables, comparisons, traversal);
      PhysicalPlan.Aggregate sum =
          new PhysicalPlan.Aggregate(
              join,
              List.of(),
              List.of(List.of()),
              List.of(AggregateCall.of(AggregateFunction.SUM0, DataType.INT64, 0)),
              false,
              List.of(DataType.INT64));
      try (TestEngine engine = new TestEngine(1 + random.nextInt(3), 64 << random.nextInt(3))) {
        assertEquals(List.of(List.of(expected)), engine.run(sum), what);
        // What was made of the table is kept.
        assertEquals(List.of(List.of(expected)), engine.run(sum), what + ", once more");
      }
    }
    assertTrue(found > ROUNDS / 4, "found " + found);
  }

  /** Most often a chain of all or some variables, in any order; at times something else. */
  private static List<VariableComparison> comparisons(Random random, int variables) {
    List<Integer> order = new ArrayList<>();
    for (int v = 0; v < variables; v++) {
      order.add(v);
    }
    if (random.nextBoolean()) {
      Collections.shuffle(order, random);
    }
    List<VariableComparison> comparisons = new ArrayList<>();
    int length = random.nextInt(3) == 0 ? 2 : variables;
    for (int i = 1; i < length; i++) {
      int before = order.get(random.nextInt(8) == 0 ? 0 : i - 1);
      boolean less = random.nextBoolean();
      Op op = less ? Op.LT : Op.GT;
      if (random.nextInt(12) == 0) {
        op = random.nextBoolean() ? Op.LE : Op.NE;
      }
      int left = less ? before : order.get(i);
      int right = less ? order.get(i) : before;
      comparisons.add(new VariableComparison(op, left, right));
    }
    if (variables == 4 && length == 2 && random.nextBoolean()) {
      comparisons.add(new VariableComparison(Op.LT, order.get(2), order.get(3)));
    }
    return comparisons;
  }

  private static MultiwayJoin join(
      TestTable table,
      int[][] pattern,
      int variables,
      List<VariableComparison> comparisons,
      TraversalOrder traversal) {
    List<PhysicalPlan> relations = new ArrayList<>();
    List<List<VariableKey>> keys = new ArrayList<>();
    for (int[] pair : pattern) {
      relations.add(table.scan());
      keys.add(List.of(new VariableKey(pair[0], 0), new VariableKey(pair[1], 1)));
    }
    PhysicalPlan otherwise =
        new PhysicalPlan.Values(
            List.of(List.of(Expr.literal(null, DataType.INT64))), List.of(DataType.INT64));
    return new MultiwayJoin(
        relations,
        keys,
        variables,
        comparisons,
        List.of(),
        true,
        traversal,
        otherwise,
        List.of(DataType.INT64));
  }

  private static long count(
      Graph graph,
      int[][] pattern,
      List<VariableComparison> comparisons,
      int[] nodes,
      int bound,
      long times) {
    if (bound == nodes.length) {
      return times;
    }
    long count = 0;
    for (int node = 0; node < NODES; node++) {
      nodes[bound] = node;
      long now = times;
      for (int[] pair : pattern) {
        if (pair[1] == bound) {
          now *= graph.times[nodes[pair[0]]][node];
        }
      }
      for (VariableComparison c : comparisons) {
        if (now > 0 && Math.max(c.left(), c.right()) == bound) {
          now = holds(c.op(), nodes[c.left()], nodes[c.right()]) ? now : 0;
        }
      }
      if (now > 0) {
        count += count(graph, pattern, comparisons, nodes, bound + 1, now);
      }
    }
    return count;
  }

  private static boolean holds(Op op, int left, int right) {
    return switch (op) {
      case LT -> left < right;
      case GT -> left > right;
      case LE -> left <= right;
      default -> left != right;
    };
  }
}
