package io.aragonite.exec.integration.operator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.engine.TestEngine;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.plan.AggregateCall;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.PhysicalPlan.Aggregate;
import io.aragonite.exec.plan.PhysicalPlan.MultiwayJoin;
import io.aragonite.exec.plan.PhysicalPlan.RelationColumn;
import io.aragonite.exec.plan.PhysicalPlan.VariableComparison;
import io.aragonite.exec.plan.PhysicalPlan.VariableKey;
import io.aragonite.exec.plan.TestTable;
import io.aragonite.exec.plan.TraversalOrder;
import io.aragonite.exec.testing.TestSeed;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.ValueRange;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Multi-predicate joins against nested loops, over random hypergraphs, keys, nulls and skew. */
class MultiwayJoinTest {
  private static final int ROUNDS = Integer.getInteger("aragonite.rounds", 100);

  /** Joins of more rows are left out: nested loops would take too long. */
  private static final int MOST_ROWS = 5000;

  private static final List<Op> COMPARISONS = List.of(Op.LT, Op.LE, Op.GT, Op.GE, Op.NE);

  /** A relation: its table, the variable of each key column, and a payload column behind them. */
  private record Side(
      TestTable table, List<Integer> variables, List<List<@Nullable Object>> rows) {}

  @Test
  void agreesWithNestedLoops() {
    Random random = TestSeed.random(MultiwayJoinTest.class);
    for (int round = 0; round < ROUNDS; round++) {
      check(random, round);
    }
  }

  /** Far more paths than memory: pieces of them are counted, and made, one after the other. */
  @Test
  void levelsThatExplodeNeedLittleMemory() {
    List<List<@Nullable Object>> rows = new ArrayList<>();
    for (long i = 0; i < 150; i++) {
      for (long j = 0; j < 20; j++) {
        rows.add(List.of(i, (i * 7 + j * j) % 150));
      }
    }
    TestTable table = pairs(rows, 64);
    List<Side> cycle = new ArrayList<>();
    for (int v = 0; v < 4; v++) {
      cycle.add(new Side(table, v < 3 ? List.of(v, v + 1) : List.of(0, 3), rows));
    }
    List<RelationColumn> outputs = List.of(new RelationColumn(2, 0));
    List<AggregateCall> rowsOf = List.of(AggregateCall.of(AggregateFunction.COUNT, DataType.INT64));
    List<AggregateCall> sumOf =
        List.of(AggregateCall.of(AggregateFunction.SUM0, DataType.INT64, 0));
    for (TraversalOrder traversal : TraversalOrder.values()) {
      List<DataType> types = List.of(DataType.INT32);
      MultiwayJoin all = plan(cycle, 4, List.of(), outputs, types, false, traversal);
      MultiwayJoin counting =
          plan(cycle, 4, List.of(), List.of(), List.of(DataType.INT64), true, traversal);
      try (TestEngine engine = new TestEngine(1, 256, 6 << 20)) {
        Object made = engine.run(one(all, rowsOf)).getFirst().getFirst();
        assertEquals(made, engine.run(one(counting, sumOf)).getFirst().getFirst());
        // The 1.2 million paths of three edges would not fit, with 12 bytes or more each.
        assertTrue((long) Objects.requireNonNull(made) > 100_000, "rows: " + made);
      }
    }
  }

  /** Without memory for tries the other plan runs, which is told apart by its row of nulls. */
  @Test
  void otherPlanWithoutMemory() {
    List<List<@Nullable Object>> rows = new ArrayList<>();
    for (long i = 0; i < 40_000; i++) {
      rows.add(List.of(i, i % 1000));
    }
    TestTable table = pairs(rows, 40_064);
    List<Side> triangle =
        List.of(
            new Side(table, List.of(0, 1), rows),
            new Side(table, List.of(1, 2), rows),
            new Side(table, List.of(0, 2), rows));
    List<RelationColumn> outputs = List.of(new RelationColumn(0, 0));
    MultiwayJoin join =
        plan(
            triangle, 3, List.of(), outputs, List.of(DataType.INT32), false, TraversalOrder.LEVELS);
    List<List<@Nullable Object>> other = List.of(Collections.singletonList(null));
    int fit = 0;
    int not = 0;
    for (long memory = 1 << 19; memory < 1 << 24; memory += memory / 8) {
      try (TestEngine engine = new TestEngine(1, 256, memory)) {
        boolean otherwise = engine.run(join).equals(other);
        not += otherwise ? 1 : 0;
        fit += otherwise ? 0 : 1;
      }
    }
    assertTrue(fit > 0 && not > 0, fit + " and " + not);
  }

  private static TestTable pairs(List<List<@Nullable Object>> rows, int chunk) {
    ColumnShape number = ColumnShape.of(DataType.INT32);
    return new TestTable(List.of(number, number), rows, chunk);
  }

  private static Aggregate one(PhysicalPlan input, List<AggregateCall> calls) {
    return new Aggregate(
        input, List.of(), List.of(List.of()), calls, false, List.of(DataType.INT64));
  }

  /** Relations that together have all variables; some are the one before once more. */
  private static List<Side> sides(Random random, int variables, int count, int domain) {
    Values values = Values.of(random);
    List<Side> sides = new ArrayList<>();
    TreeSet<Integer> missing = new TreeSet<>();
    for (int v = 0; v < variables; v++) {
      missing.add(v);
    }
    for (int i = 0; i < count; i++) {
      TreeSet<Integer> own = new TreeSet<>();
      own.add(random.nextInt(variables));
      own.add(random.nextInt(variables));
      own.add(random.nextInt(variables));
      if (i == count - 1) {
        own.addAll(missing);
      }
      missing.removeAll(own);
      boolean again = !sides.isEmpty() && random.nextInt(3) == 0;
      Side former = again ? sides.getLast() : null;
      if (former != null && former.variables.size() == own.size()) {
        sides.add(new Side(former.table, List.copyOf(own), former.rows));
      } else {
        sides.add(side(random, List.copyOf(own), domain, values));
      }
    }
    return sides;
  }

  private static List<VariableComparison> comparisons(Random random, int variables) {
    List<VariableComparison> comparisons = new ArrayList<>();
    for (int i = random.nextInt(3); i > 0; i--) {
      int left = random.nextInt(variables);
      int right = random.nextInt(variables);
      if (left != right) {
        Op op = COMPARISONS.get(random.nextInt(COMPARISONS.size()));
        comparisons.add(new VariableComparison(op, left, right));
      }
    }
    return comparisons;
  }

  private static void check(Random random, int round) {
    int variables = 2 + random.nextInt(4);
    int count = 2 + random.nextInt(4);
    int domain = 1 + random.nextInt(12);
    List<Side> sides = sides(random, variables, count, domain);
    List<VariableComparison> comparisons = comparisons(random, variables);
    List<RelationColumn> outputs = new ArrayList<>();
    List<DataType> types = new ArrayList<>();
    for (int r = 0; r < sides.size(); r++) {
      for (int c = 0; c <= sides.get(r).variables.size(); c++) {
        if (random.nextInt(3) == 0) {
          outputs.add(new RelationColumn(r, c));
          types.add(DataType.INT64.withNullable(true));
        }
      }
    }
    List<List<@Nullable Object>> expected = new ArrayList<>();
    nested(sides, comparisons, outputs, new @Nullable Long[variables], new ArrayList<>(), expected);
    if (expected.size() > MOST_ROWS) {
      return;
    }
    int batch = 64 << random.nextInt(3);
    int workers = 1 + random.nextInt(3);
    TraversalOrder traversal = TraversalOrder.values()[random.nextInt(3)];
    String what =
        "round " + round + ", " + traversal + ": " + sides.stream().map(Side::variables).toList();
    try (TestEngine engine = new TestEngine(workers, batch)) {
      List<List<@Nullable Object>> rows =
          engine.run(plan(sides, variables, comparisons, outputs, types, false, traversal));
      if (outputs.isEmpty()) {
        assertEquals(expected.size(), rows.size(), what);
      } else {
        assertEquals(TestEngine.counts(expected), TestEngine.counts(rows), what);
      }
      MultiwayJoin counting =
          plan(sides, variables, comparisons, List.of(), List.of(DataType.INT64), true, traversal);
      Aggregate sum =
          one(counting, List.of(AggregateCall.of(AggregateFunction.SUM0, DataType.INT64, 0)));
      assertEquals(List.of(List.of((long) expected.size())), engine.run(sum), what);
      combinations(random, engine, sides, variables, comparisons, what);
    }
  }

  /** How often combinations of joined columns come out, the last variable's aside. */
  private static void combinations(
      Random random,
      TestEngine engine,
      List<Side> sides,
      int variables,
      List<VariableComparison> comparisons,
      String what) {
    List<RelationColumn> outputs = new ArrayList<>();
    List<DataType> types = new ArrayList<>();
    for (int r = 0; r < sides.size(); r++) {
      for (int c = 0; c < sides.get(r).variables.size(); c++) {
        if (sides.get(r).variables.get(c) < variables - 1 && random.nextInt(3) == 0) {
          outputs.add(new RelationColumn(r, c));
          types.add(DataType.INT64);
        }
      }
    }
    List<List<@Nullable Object>> rows = new ArrayList<>();
    nested(sides, comparisons, outputs, new @Nullable Long[variables], new ArrayList<>(), rows);
    types.add(DataType.INT64);
    Map<List<@Nullable Object>, Integer> found = new HashMap<>();
    for (List<@Nullable Object> row :
        engine.run(
            plan(sides, variables, comparisons, outputs, types, true, TraversalOrder.DEPTH))) {
      int count = Math.toIntExact((long) Objects.requireNonNull(row.getLast()));
      if (count > 0) {
        found.merge(row.subList(0, row.size() - 1), count, Integer::sum);
      }
    }
    assertEquals(TestEngine.counts(rows), found, what);
  }

  /**
   * Values of variables: {@code base + i * step}, where types are wide enough for it.
   *
   * @param step so large in some rounds that numbers, or those of a row together, are too wide for
   *     tries and must become ranks
   */
  private record Values(long base, long step, long wideStep) {
    static Values of(Random random) {
      return switch (random.nextInt(6)) {
        case 0 -> new Values(Integer.MIN_VALUE, 1, 1);
        case 1 -> new Values(-5L << 26, 1 << 26, 1 << 26);
        case 2 -> new Values(-3, 1, (1L << 60) / 3);
        default -> new Values(random.nextInt(100) - 50, 1, 1);
      };
    }

    long value(int variable, int i) {
      // A variable has one type in all relations: see below.
      return base + i * (variable % 2 == 0 ? wideStep : step);
    }
  }

  private static Side side(Random random, List<Integer> variables, int domain, Values values) {
    boolean ranged = random.nextBoolean();
    boolean nulls = random.nextInt(4) == 0;
    List<ColumnShape> shapes = new ArrayList<>();
    for (int v : variables) {
      ValueRange range = new ValueRange(values.value(v, 0), values.value(v, domain - 1));
      // A variable has one type in all relations.
      DataType type = v % 2 == 0 ? DataType.INT64 : DataType.INT32;
      shapes.add(
          new ColumnShape(
              type.withNullable(nulls), Storage.of(type), nulls, null, ranged ? range : null));
    }
    shapes.add(ColumnShape.of(DataType.INT64));
    int count = random.nextInt(12) == 0 ? 0 : 1 + random.nextInt(70);
    boolean hub = random.nextInt(3) == 0;
    List<List<@Nullable Object>> rows = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      @Nullable Object[] row = new Object[variables.size() + 1];
      for (int c = 0; c < variables.size(); c++) {
        boolean none = nulls && random.nextInt(6) == 0;
        int place = hub && random.nextBoolean() ? 0 : random.nextInt(domain);
        long value = values.value(variables.get(c), place);
        row[c] = none ? null : (Object) value;
      }
      row[variables.size()] = (long) random.nextInt(1000);
      rows.add(Arrays.asList(row));
    }
    return new Side(new TestTable(shapes, rows, 64), variables, rows);
  }

  private static MultiwayJoin plan(
      List<Side> sides,
      int variables,
      List<VariableComparison> comparisons,
      List<RelationColumn> outputs,
      List<DataType> types,
      boolean counted,
      TraversalOrder traversal) {
    List<PhysicalPlan> relations = new ArrayList<>();
    List<List<VariableKey>> keys = new ArrayList<>();
    for (Side side : sides) {
      relations.add(side.table.scan());
      List<VariableKey> ofSide = new ArrayList<>();
      for (int c = 0; c < side.variables.size(); c++) {
        ofSide.add(new VariableKey(side.variables.get(c), c));
      }
      keys.add(ofSide);
    }
    // Not what the join is otherwise, but something that is told apart.
    List<Expr> no = types.stream().<Expr>map(type -> Expr.literal(null, type)).toList();
    PhysicalPlan otherwise = new PhysicalPlan.Values(List.of(no), types);
    return new MultiwayJoin(
        relations, keys, variables, comparisons, outputs, counted, traversal, otherwise, types);
  }

  private static void nested(
      List<Side> sides,
      List<VariableComparison> comparisons,
      List<RelationColumn> outputs,
      @Nullable Long[] bound,
      List<List<@Nullable Object>> chosen,
      List<List<@Nullable Object>> out) {
    if (out.size() > MOST_ROWS) {
      return;
    }
    if (chosen.size() == sides.size()) {
      for (VariableComparison c : comparisons) {
        if (!holds(c.op(), bound[c.left()], bound[c.right()])) {
          return;
        }
      }
      List<@Nullable Object> row = new ArrayList<>();
      outputs.forEach(output -> row.add(chosen.get(output.relation()).get(output.column())));
      out.add(row);
      return;
    }
    Side side = sides.get(chosen.size());
    for (List<@Nullable Object> row : side.rows) {
      @Nullable Long[] next = bound.clone();
      boolean matches = true;
      for (int c = 0; c < side.variables.size(); c++) {
        Long value = (Long) row.get(c);
        Long before = next[side.variables.get(c)];
        matches &= value != null && (before == null || before.equals(value));
        next[side.variables.get(c)] = value;
      }
      if (matches) {
        chosen.add(row);
        nested(sides, comparisons, outputs, next, chosen, out);
        chosen.removeLast();
      }
    }
  }

  private static boolean holds(Op op, @Nullable Long a, @Nullable Long b) {
    int order = Long.compare(a == null ? 0 : a, b == null ? 0 : b);
    return switch (op) {
      case LT -> order < 0;
      case LE -> order <= 0;
      case GT -> order > 0;
      case GE -> order >= 0;
      default -> order != 0;
    };
  }
}
