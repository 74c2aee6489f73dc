package io.aragonite.exec.integration.join;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.aragonite.exec.engine.TestEngine;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.exec.plan.JoinEstimate;
import io.aragonite.exec.plan.JoinType;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.PhysicalPlan.Join;
import io.aragonite.exec.plan.PhysicalPlan.JoinKey;
import io.aragonite.exec.plan.PhysicalPlan.Sort;
import io.aragonite.exec.plan.SortKey;
import io.aragonite.exec.plan.TestTable;
import io.aragonite.exec.testing.TestSeed;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.ValueRange;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * The order that a join's plan promises holds whichever way the join goes, and whatever order its
 * inputs have.
 */
class JoinOrderTest {
  private static final int ROUNDS = Integer.getInteger("aragonite.rounds", 60);
  private static final DataType KEY = DataType.INT64.withNullable(true);
  private static final DataType NUMBER = DataType.INT64;

  private static final List<JoinType> TYPES = List.of(JoinType.INNER, JoinType.SEMI, JoinType.ANTI);

  @Test
  void holdsWhicheverWayTheJoinGoes() {
    long seed = TestSeed.seed();
    System.out.println("Repeat with -Dtest=JoinOrderTest -Daragonite.seed=" + seed);
    Random random = new Random(seed);
    for (int round = 0; round < ROUNDS; round++) {
      check(random);
    }
  }

  /** Nullable keys of few values, or of any, and the row's number. */
  private static PhysicalPlan table(Random random, int rows, boolean few) {
    ColumnShape key =
        few
            ? new ColumnShape(KEY, Storage.LONG, true, null, new ValueRange(-50, 50))
            : ColumnShape.of(KEY);
    List<List<@Nullable Object>> all = new ArrayList<>();
    for (long i = 0; i < rows; i++) {
      Long value = few ? random.nextInt(101) - 50 : random.nextInt(300) * (1L << 40) - (1L << 47);
      all.add(Arrays.asList(random.nextInt(9) == 0 ? null : value, i));
    }
    return new TestTable(List.of(key, ColumnShape.of(NUMBER)), all, 128).scan();
  }

  /** Rows of a table as they are, some of them in another order, or the first ones. */
  private static PhysicalPlan input(Random random, PhysicalPlan table) {
    Expr most = Expr.literal((long) random.nextInt(600), NUMBER);
    return switch (random.nextInt(3)) {
      case 0 -> table;
      case 1 -> new Sort(table, List.of(new SortKey(1, true, false)), null, most);
      default -> new Sort(table, List.of(new SortKey(1, false, false)), null, null);
    };
  }

  private static void check(Random random) {
    JoinAlgorithm[] algorithms = JoinAlgorithm.values();
    // The last one is for joins without an equality.
    JoinAlgorithm algorithm = algorithms[random.nextInt(algorithms.length - 1)];
    JoinType type = TYPES.get(random.nextInt(TYPES.size()));
    boolean few = random.nextInt(4) > 0;
    PhysicalPlan left = input(random, table(random, random.nextInt(500), few));
    PhysicalPlan right = input(random, table(random, random.nextInt(500), few));
    // What was expected may be far off, and then the join goes another way.
    double rows = random.nextBoolean() ? 1e9 : 1;
    JoinEstimate expected =
        random.nextBoolean() ? null : new JoinEstimate(rows, rows, rows, 1, rows, 0, "", false);
    List<DataType> types =
        type.leftOnly() ? List.of(KEY, NUMBER) : List.of(KEY, NUMBER, KEY, NUMBER);
    SortKey order =
        new SortKey(type == JoinType.INNER && random.nextBoolean() ? 2 : 0, false, false);
    boolean buildLeft = random.nextInt(3) == 0;
    List<JoinKey> keys = List.of(new JoinKey(0, 0, random.nextInt(4) == 0));
    Join unordered = new Join(left, right, type, keys, null, algorithm, buildLeft, types);
    Join ordered =
        new Join(
            left, right, type, keys, null, algorithm, buildLeft, types, expected, List.of(order));
    try (TestEngine engine = new TestEngine(1 + random.nextInt(4), 64 << random.nextInt(4))) {
      List<List<@Nullable Object>> rowsInOrder = engine.run(ordered);
      List<@Nullable Object> found =
          rowsInOrder.stream().<@Nullable Object>map(row -> row.get(order.column())).toList();
      List<@Nullable Object> sorted = new ArrayList<>(found);
      sorted.sort(Comparator.comparing(key -> (Long) key, Comparator.nullsLast(Long::compare)));
      String what = ordered.joinType() + " by " + algorithm + ", " + expected;
      for (int i = 0; i < found.size(); i++) {
        assertEquals(sorted.get(i), found.get(i), "row " + i + ", " + what);
      }
      assertEquals(TestEngine.counts(engine.run(unordered)), TestEngine.counts(rowsInOrder), what);
    }
  }
}
