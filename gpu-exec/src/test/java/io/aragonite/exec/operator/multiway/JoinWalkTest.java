package io.aragonite.exec.operator.multiway;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.TestContext;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.operator.multiway.MultiwayRun.Bindings;
import io.aragonite.exec.operator.multiway.MultiwayRun.Candidates;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.PhysicalPlan.MultiwayJoin;
import io.aragonite.exec.plan.PhysicalPlan.RelationColumn;
import io.aragonite.exec.plan.PhysicalPlan.VariableComparison;
import io.aragonite.exec.plan.PhysicalPlan.VariableKey;
import io.aragonite.exec.plan.TraversalOrder;
import io.aragonite.exec.testing.TestSeed;
import io.aragonite.exec.testing.device.TestDevices;
import io.aragonite.exec.type.DataType;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Joins over tries, depth first from any step, against nested loops. Tries are made here, without
 * primitives, so that a device is tested by its walk alone.
 */
class JoinWalkTest {
  private static final List<Op> COMPARISONS = List.of(Op.LT, Op.LE, Op.GT, Op.GE, Op.NE);
  private static final int ROUNDS = Integer.getInteger("aragonite.rounds", 75);
  private static final int MOST_ROWS = 4000;

  private final Random random = TestSeed.random(JoinWalkTest.class);
  private final Device device = TestDevices.create();
  private final TestContext context = new TestContext(device);

  /** A relation: rows of key values, and the variable of each column, ascending. */
  private record Side(List<Integer> variables, List<int[]> rows, Trie trie) {}

  @AfterEach
  void nothingIsLeft() {
    context.close();
    device.close();
  }

  @Test
  void agreesWithNestedLoops() {
    for (int round = 0; round < ROUNDS; round++) {
      int variables = 2 + random.nextInt(4);
      List<Side> sides = sides(variables, 1 + random.nextInt(9));
      List<VariableComparison> comparisons = new ArrayList<>();
      for (int i = random.nextInt(3); i > 0; i--) {
        int left = random.nextInt(variables);
        int right = random.nextInt(variables);
        if (left != right) {
          Op op = COMPARISONS.get(random.nextInt(COMPARISONS.size()));
          comparisons.add(new VariableComparison(op, left, right));
        }
      }
      List<List<Integer>> expected = new ArrayList<>();
      nested(sides, comparisons, new @Nullable Integer[variables], new ArrayList<>(), expected);
      if (expected.size() <= MOST_ROWS) {
        check("round " + round, sides, variables, comparisons, expected);
      }
      free(sides);
    }
  }

  /**
   * Lists of all lengths beside each other, one of them a hub's, and more candidates than lanes.
   */
  @Test
  void cliquesOfGraphsWithHubs() {
    for (int nodes : new int[] {40, 700}) {
      TreeSet<Long> edges = new TreeSet<>();
      for (int i = 0; i < 6 * nodes; i++) {
        int a = random.nextInt(3) == 0 ? random.nextInt(4) : random.nextInt(nodes);
        int b = random.nextInt(nodes);
        if (a != b) {
          edges.add((long) Math.min(a, b) << 32 | Math.max(a, b));
        }
      }
      List<int[]> rows = new ArrayList<>();
      edges.forEach(edge -> rows.add(new int[] {(int) (edge >> 32), (int) (long) edge}));
      boolean[][] there = new boolean[nodes][nodes];
      rows.forEach(row -> there[row[0]][row[1]] = true);
      long[] cliques = new long[5];
      for (int[] row : rows) {
        for (int c = 0; c < nodes; c++) {
          if (there[row[0]][c] && there[row[1]][c]) {
            cliques[3]++;
            for (int d = 0; d < nodes; d++) {
              cliques[4] += there[row[0]][d] && there[row[1]][d] && there[c][d] ? 1 : 0;
            }
          }
        }
      }
      Trie trie = trie(rows, 2, nodes == 40);
      for (int size = 3; size <= 4; size++) {
        List<Side> sides = new ArrayList<>();
        for (int a = 0; a < size; a++) {
          for (int b = a + 1; b < size; b++) {
            sides.add(new Side(List.of(a, b), rows, trie));
          }
        }
        for (int step = 1; step < size; step++) {
          assertEquals(
              cliques[size],
              count(sides, size, List.of(), step),
              size + "-cliques of " + nodes + " nodes from step " + step);
          assertEquals(cliques[size], rowsOf(sides, size, List.of(), step, 1000).size());
        }
      }
      free(sides(trie));
    }
  }

  private static List<Side> sides(Trie trie) {
    return List.of(new Side(List.of(), List.of(), trie));
  }

  private List<Side> sides(int variables, int domain) {
    List<Side> sides = new ArrayList<>();
    TreeSet<Integer> missing = new TreeSet<>();
    IntStream.range(0, variables).forEach(missing::add);
    int count = 2 + random.nextInt(4);
    int base = random.nextInt(5) == 0 ? Integer.MIN_VALUE : random.nextInt(9) - 5;
    for (int i = 0; i < count; i++) {
      TreeSet<Integer> own = new TreeSet<>();
      for (int k = 1 + random.nextInt(3); k > 0; k--) {
        own.add(random.nextInt(variables));
      }
      if (i == count - 1) {
        own.addAll(missing);
      }
      missing.removeAll(own);
      Side former = sides.isEmpty() ? null : sides.getLast();
      if (former != null && former.variables.size() == own.size() && random.nextBoolean()) {
        sides.add(new Side(List.copyOf(own), former.rows, former.trie));
        continue;
      }
      List<int[]> rows = new ArrayList<>();
      boolean hub = random.nextBoolean();
      boolean unique = random.nextInt(3) == 0;
      TreeSet<String> known = new TreeSet<>();
      for (int r = 1 + random.nextInt(60); r > 0; r--) {
        int[] row = new int[own.size()];
        for (int c = 0; c < row.length; c++) {
          row[c] = base + (hub && random.nextBoolean() ? 0 : random.nextInt(domain));
        }
        if (known.add(java.util.Arrays.toString(row)) || !unique) {
          rows.add(row);
        }
      }
      sides.add(new Side(List.copyOf(own), rows, trie(rows, own.size(), random.nextBoolean())));
    }
    return sides;
  }

  /** A trie of rows. */
  private Trie trie(List<int[]> rows, int columns, boolean dense) {
    List<Integer> order = new ArrayList<>(IntStream.range(0, rows.size()).boxed().toList());
    order.sort(
        Comparator.comparing(
            rows::get, (a, b) -> java.util.Arrays.compare(a, 0, columns, b, 0, columns)));
    List<List<Integer>> values = new ArrayList<>();
    List<List<Integer>> starts = new ArrayList<>();
    for (int level = 0; level < columns; level++) {
      values.add(new ArrayList<>());
      starts.add(new ArrayList<>());
    }
    for (int i = 0; i < order.size(); i++) {
      int[] row = rows.get(order.get(i));
      int[] before = i == 0 ? null : rows.get(order.get(i - 1));
      int same = 0;
      while (before != null && same < columns && row[same] == before[same]) {
        same++;
      }
      for (int level = same; level < columns; level++) {
        values.get(level).add(row[level]);
        starts.get(level).add(level == columns - 1 ? i : values.get(level + 1).size());
      }
    }
    for (int level = 0; level < columns; level++) {
      starts.get(level).add(level == columns - 1 ? order.size() : values.get(level + 1).size());
    }
    List<Trie.TrieLevel> levels = new ArrayList<>();
    for (int level = 0; level < columns; level++) {
      List<Integer> own = values.get(level);
      if (level == 0 && dense && columns > 1) {
        int min = own.getFirst();
        int size = own.getLast() - min + 1;
        List<Integer> places = new ArrayList<>();
        for (int place = 0, at = 0; place <= size; place++) {
          places.add(starts.get(0).get(at));
          at += at < own.size() && own.get(at) == min + place ? 1 : 0;
        }
        levels.add(new Trie.TrieLevel(null, min, size, ints(places)));
      } else {
        levels.add(new Trie.TrieLevel(ints(own), 0, own.size(), ints(starts.get(level))));
      }
    }
    return new Trie(levels, ints(order), order.size());
  }

  private Buffer ints(List<Integer> values) {
    return context.ints(values.stream().mapToInt(i -> i).toArray());
  }

  private void free(List<Side> sides) {
    sides.stream()
        .map(Side::trie)
        .distinct()
        .flatMap(trie -> trie.buffers().stream())
        .forEach(context.memory()::free);
  }

  private void check(
      String what,
      List<Side> sides,
      int variables,
      List<VariableComparison> comparisons,
      List<List<Integer>> expected) {
    List<Integer> steps = new ArrayList<>();
    IntStream.range(1, variables).forEach(steps::add);
    String all = what + ": " + sides.stream().map(Side::variables).toList();
    for (int step : steps) {
      assertEquals(
          expected.size(),
          count(sides, variables, comparisons, step),
          all + " " + comparisons + " from step " + step);
    }
    int some = 1 + random.nextInt(100);
    int step = steps.get(random.nextInt(steps.size()));
    List<List<Integer>> rows = rowsOf(sides, variables, comparisons, step, some);
    assertEquals(sorted(expected), sorted(rows), all);
  }

  private static List<String> sorted(List<List<Integer>> rows) {
    return rows.stream().map(Object::toString).sorted().toList();
  }

  private static MultiwayJoin node(
      List<Side> sides, int variables, List<VariableComparison> comparisons, boolean counted) {
    List<List<VariableKey>> keys = new ArrayList<>();
    List<RelationColumn> outputs = new ArrayList<>();
    List<PhysicalPlan> plans = new ArrayList<>();
    PhysicalPlan none = new PhysicalPlan.Values(List.of(), List.of(DataType.INT32));
    for (int r = 0; r < sides.size(); r++) {
      List<VariableKey> own = new ArrayList<>();
      for (int c = 0; c < sides.get(r).variables.size(); c++) {
        own.add(new VariableKey(sides.get(r).variables.get(c), c));
      }
      keys.add(own);
      plans.add(none);
      if (!counted) {
        outputs.add(new RelationColumn(r, 0));
      }
    }
    return new MultiwayJoin(
        plans,
        keys,
        variables,
        comparisons,
        outputs,
        counted,
        TraversalOrder.DEPTH,
        none,
        outputs.isEmpty()
            ? List.of(DataType.INT64)
            : outputs.stream().map(output -> DataType.INT32).toList());
  }

  private long count(
      List<Side> sides, int variables, List<VariableComparison> comparisons, int step) {
    MultiwayJoin node = node(sides, variables, comparisons, true);
    long[] sum = new long[1];
    from(
        node,
        sides,
        step,
        (walk, candidates) -> {
          for (long at = 0; at < candidates.total(); ) {
            long end = Math.min(candidates.total(), at + 1 + random.nextInt(3000));
            sum[0] += walk.count(context, step, candidates, at, end);
            at = end;
          }
        });
    return sum[0];
  }

  private List<List<Integer>> rowsOf(
      List<Side> sides,
      int variables,
      List<VariableComparison> comparisons,
      int step,
      int capacity) {
    MultiwayJoin node = node(sides, variables, comparisons, false);
    List<List<Integer>> rows = new ArrayList<>();
    from(
        node,
        sides,
        step,
        (walk, candidates) -> {
          JoinWalk.RowConsumer collect = (ids, count) -> collect(rows, ids, count);
          walk.run(context, step, candidates, 0, candidates.total(), capacity, collect);
          int[] calls = new int[1];
          walk.run(
              context,
              step,
              candidates,
              0,
              candidates.total(),
              1,
              (ids, count) -> {
                assertEquals(1, count);
                return ++calls[0] < 3;
              });
          assertEquals(Math.min(3, rows.size()), calls[0], "no more rows than are wanted");
        });
    return rows;
  }

  private boolean collect(List<List<Integer>> rows, @Nullable Buffer[] ids, int count) {
    List<int[]> columns = new ArrayList<>();
    for (Buffer of : ids) {
      columns.add(context.ints(Objects.requireNonNull(of), count));
    }
    for (int i = 0; i < count; i++) {
      List<Integer> row = new ArrayList<>();
      for (int[] column : columns) {
        row.add(column[i]);
      }
      rows.add(row);
    }
    return true;
  }

  private interface Use {
    void use(JoinWalk walk, Candidates candidates);
  }

  /** Binds the variables before a step, and uses what that step is to try, if there is anything. */
  private void from(MultiwayJoin node, List<Side> sides, int step, Use use) {
    List<Trie> tries = sides.stream().map(Side::trie).toList();
    JoinWalk walk = new JoinWalk(node, tries, JoinSteps.of(node, tries));
    assertTrue(walk.isPossible(device));
    MultiwayRun run = new MultiwayRun(node, List.of(), tries);
    QueryMemory.Arena scratch = context.scratch();
    long mark = scratch.mark();
    Bindings bindings = run.none();
    Candidates candidates = run.candidates(context, 0, bindings, scratch);
    for (int s = 0; s < step && bindings.count() > 0 && candidates.total() > 0; s++) {
      int total = (int) candidates.total();
      bindings = run.match(context, s, candidates, 0, total, scratch);
      if (bindings.count() > 0) {
        candidates = run.candidates(context, s + 1, bindings, scratch);
      }
    }
    if (bindings.count() > 0 && candidates.total() > 0) {
      use.use(walk, candidates);
    }
    scratch.release(mark);
  }

  private static void nested(
      List<Side> sides,
      List<VariableComparison> comparisons,
      @Nullable Integer[] bound,
      List<Integer> chosen,
      List<List<Integer>> out) {
    if (out.size() > MOST_ROWS) {
      return;
    }
    if (chosen.size() == sides.size()) {
      for (VariableComparison c : comparisons) {
        int order =
            Objects.requireNonNull(bound[c.left()])
                .compareTo(Objects.requireNonNull(bound[c.right()]));
        boolean holds =
            switch (c.op()) {
              case LT -> order < 0;
              case LE -> order <= 0;
              case GT -> order > 0;
              case GE -> order >= 0;
              default -> order != 0;
            };
        if (!holds) {
          return;
        }
      }
      out.add(List.copyOf(chosen));
      return;
    }
    Side side = sides.get(chosen.size());
    for (int r = 0; r < side.rows.size(); r++) {
      @Nullable Integer[] next = bound.clone();
      boolean matches = true;
      for (int c = 0; c < side.variables.size(); c++) {
        int value = side.rows.get(r)[c];
        Integer before = next[side.variables.get(c)];
        matches &= before == null || before == value;
        next[side.variables.get(c)] = value;
      }
      if (matches) {
        chosen.add(r);
        nested(sides, comparisons, next, chosen, out);
        chosen.removeLast();
      }
    }
  }
}
