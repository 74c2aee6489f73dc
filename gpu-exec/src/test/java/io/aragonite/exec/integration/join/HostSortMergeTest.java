package io.aragonite.exec.integration.join;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.DiscreteDevice;
import io.aragonite.exec.device.ExpressionCompiler;
import io.aragonite.exec.device.cpu.CpuDevice;
import io.aragonite.exec.device.cpu.CpuExpressionCompiler;
import io.aragonite.exec.engine.Engine;
import io.aragonite.exec.engine.TestEngine;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.group.DeviceGroup;
import io.aragonite.exec.memory.FailingBudget;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.MemoryLeaks;
import io.aragonite.exec.operator.join.HostSortMergePlanner;
import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.exec.plan.JoinType;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.PhysicalPlan.Filter;
import io.aragonite.exec.plan.PhysicalPlan.Join;
import io.aragonite.exec.plan.PhysicalPlan.JoinKey;
import io.aragonite.exec.plan.PhysicalPlan.Project;
import io.aragonite.exec.plan.SortKey;
import io.aragonite.exec.plan.TestTable;
import io.aragonite.exec.runtime.BatchResult;
import io.aragonite.exec.runtime.QueryMetrics;
import io.aragonite.exec.runtime.QueryOptions;
import io.aragonite.exec.testing.TestSeed;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.ValueRange;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Joins of tables in host memory on 1 to 8 devices with little memory, against a hash join. */
@Timeout(120)
class HostSortMergeTest {
  private static final int[] COUNTS = {1, 2, 3, 4, 5, 8};

  /** The device memory in which a table of some thousand rows is sorted in several chunksets. */
  private static final long LITTLE = 600_000;

  private static final long MUCH = 64 << 20;
  private static final ExpressionCompiler EXPRESSIONS = new CpuExpressionCompiler();
  private static final DataType INT64 = DataType.INT64;
  private static final DataType INT16 = DataType.of(TypeKind.INT16, true);

  private final long seed = TestSeed.seed();
  private final Random random = new Random(seed);

  /** What came out, and how. */
  private record Answer(List<List<@Nullable Object>> rows, long pieces, @Nullable String note) {}

  private static Answer run(int count, long memory, PhysicalPlan plan, Join join) {
    return run(fakes(Collections.nCopies(count, memory)), plan, join, QueryOptions.DEFAULT);
  }

  /** Devices with memory of their own, of which number 2 is reached by none of the others. */
  private static List<DiscreteDevice> fakes(List<Long> memory) {
    List<DiscreteDevice> devices = new ArrayList<>();
    for (int i = 0; i < memory.size(); i++) {
      MemoryBudget budget = new FailingBudget("memory", memory.get(i));
      MemoryBudget host = new MemoryBudget("host", MUCH);
      devices.add(new DiscreteDevice(i, budget, new CpuDevice(1, host, EXPRESSIONS)));
    }
    return devices;
  }

  /** Nothing is left on any device. */
  private static Answer run(
      List<DiscreteDevice> devices, PhysicalPlan plan, Join join, QueryOptions options) {
    List<List<@Nullable Object>> rows = new ArrayList<>();
    Engine engine =
        devices.size() == 1
            ? new Engine(devices.getFirst())
            : new Engine(new DeviceGroup(List.copyOf(devices), true));
    try (engine;
        BatchResult result = engine.execute(plan, options)) {
      for (ColumnBatch batch = result.next(); batch != null; batch = result.next()) {
        rows.addAll(TestEngine.rows(batch));
      }
      QueryMetrics.NodeMetrics node = result.metrics().node(join);
      return new Answer(
          rows,
          node.figures.getOrDefault("pieces", 0L),
          result.metrics().note() + "; " + node.note);
    } finally {
      for (Device device : devices) {
        MemoryLeaks.assertReleased(device.memory());
        MemoryLeaks.assertReleased(device.host().memory());
      }
    }
  }

  private static Join with(Join join, JoinAlgorithm algorithm, List<SortKey> order) {
    return new Join(
        join.left(),
        join.right(),
        join.joinType(),
        join.keys(),
        join.residual(),
        algorithm,
        join.buildLeft(),
        join.types(),
        null,
        order);
  }

  private static Join join(
      PhysicalPlan left, PhysicalPlan right, JoinType type, boolean residual, boolean buildLeft) {
    List<DataType> types = new ArrayList<>(left.types());
    int columns = types.size();
    if (!type.leftOnly()) {
      types.addAll(right.types());
    }
    Expr smaller =
        Expr.call(
            Op.LT,
            DataType.BOOLEAN.withNullable(true),
            Expr.ref(1, left.types().get(1)),
            Expr.ref(columns + 1, right.types().get(1)));
    return new Join(
        left,
        right,
        type,
        List.of(new JoinKey(0, 0, false)),
        residual ? smaller : null,
        JoinAlgorithm.HOST_SORT_MERGE,
        buildLeft,
        types);
  }

  /** Key, number that may be null, small number that may be null; with a text if it is sorted. */
  private TestTable table(int rows, int distinct, boolean sorted, boolean nullKeys, DataType key) {
    List<List<@Nullable Object>> values = new ArrayList<>();
    long heavy = random.nextInt(distinct);
    for (int i = 0; i < rows; i++) {
      long at = random.nextInt(20) == 0 ? heavy : random.nextInt(distinct) - distinct / 2;
      boolean none = nullKeys && random.nextInt(9) == 0;
      List<@Nullable Object> row =
          new ArrayList<>(
              Arrays.asList(
                  none ? null : (Object) at,
                  random.nextInt(5) == 0 ? null : (Object) (long) random.nextInt(1000),
                  random.nextInt(5) == 0 ? null : (Object) (long) random.nextInt(300)));
      if (sorted) {
        row.add(random.nextInt(5) == 0 ? null : "text " + random.nextInt(100));
      }
      values.add(row);
    }
    if (sorted) {
      values.sort(Comparator.comparing(row -> (Long) row.getFirst()));
    }
    List<ColumnShape> shapes = new ArrayList<>();
    DataType type = key.withNullable(nullKeys);
    ValueRange range = random.nextBoolean() ? null : new ValueRange(-distinct, distinct);
    shapes.add(new ColumnShape(type, Storage.of(type), nullKeys, null, range));
    shapes.add(ColumnShape.of(DataType.INT64.withNullable(true)));
    shapes.add(ColumnShape.of(INT16));
    if (sorted) {
      shapes.add(ColumnShape.of(DataType.VARCHAR.withNullable(true)));
    }
    return new TestTable(shapes, values, 640);
  }

  /** Some rows, with the key first. */
  private PhysicalPlan plan(TestTable table) {
    PhysicalPlan scan = table.scan();
    if (random.nextInt(3) == 0) {
      return scan;
    }
    Expr even =
        Expr.call(
            Op.GE,
            DataType.BOOLEAN.withNullable(true),
            Expr.ref(1, scan.types().get(1)),
            Expr.literal(300L, DataType.INT64));
    PhysicalPlan filtered = new Filter(scan, even);
    List<Expr> columns = new ArrayList<>();
    columns.add(Expr.ref(0, scan.types().get(0)));
    columns.add(
        Expr.call(
            Op.PLUS,
            DataType.INT64.withNullable(true),
            Expr.ref(1, scan.types().get(1)),
            Expr.literal(1L, DataType.INT64)));
    return random.nextBoolean() ? filtered : new Project(filtered, columns);
  }

  @Test
  void agreesWithHashJoin() {
    int merged = 0;
    for (int round = 0; round < Integer.getInteger("aragonite.rounds", 4); round++) {
      for (JoinType type : JoinType.values()) {
        boolean sortedLeft = random.nextBoolean();
        boolean sortedRight = random.nextBoolean();
        boolean nulls = random.nextInt(3) == 0;
        DataType key =
            List.of(DataType.INT32, DataType.INT64, DataType.DATE).get(random.nextInt(3));
        int distinct = 1 + random.nextInt(random.nextBoolean() ? 20 : 4000);
        int[] rows = {0, 1, 700, 1500};
        TestTable left =
            table(rows[random.nextInt(4)], distinct, sortedLeft, !sortedLeft && nulls, key);
        TestTable right =
            table(rows[random.nextInt(4)], distinct, sortedRight, !sortedRight && nulls, key);
        Join join =
            join(plan(left), plan(right), type, random.nextInt(3) == 0, random.nextBoolean());
        Join other = with(join, JoinAlgorithm.NON_PARTITIONED_HASH, List.of());
        Answer expected = run(1, MUCH, other, other);
        int count = COUNTS[random.nextInt(COUNTS.length)];
        long memory = random.nextBoolean() ? LITTLE : MUCH;
        Answer answer = run(count, memory, join, join);
        assertEquals(
            TestEngine.counts(expected.rows),
            TestEngine.counts(answer.rows),
            () ->
                join.joinType()
                    + " on %d devices, %s; reproduce with -Daragonite.seed=%d"
                        .formatted(count, answer.note, seed));
        merged += answer.pieces > 0 ? 1 : 0;
      }
    }
    int rounds = Integer.getInteger("aragonite.rounds", 4);
    assertTrue(
        merged > 8 * rounds / 6, merged + " joins in host memory in %d rounds".formatted(rounds));
  }

  /** Sorted tables of many pieces, neither of which a device holds, with order and without. */
  @Test
  void sortedTablesAreNotSorted() {
    TestTable left = table(9000, 4000, true, false, DataType.INT64);
    TestTable right = table(12_000, 4000, true, false, DataType.INT64);
    Join join = join(left.scan(), right.scan(), JoinType.SEMI, false, false);
    Join other = with(join, JoinAlgorithm.NON_PARTITIONED_HASH, List.of());
    Map<List<@Nullable Object>, Integer> expected =
        TestEngine.counts(run(1, MUCH, other, other).rows);
    for (int count : COUNTS) {
      Answer answer = run(count, LITTLE, join, join);
      assertEquals(expected, TestEngine.counts(answer.rows), count + " devices, seed " + seed);
      assertTrue(answer.pieces > 3, () -> "pieces of " + answer.note);
      assertTrue(
          answer.note != null && answer.note.contains("left side sorted, right side sorted"),
          () -> "note: " + answer.note);
    }
  }

  /** A twentieth of the rows, which lie together, has nearly all bytes. */
  @Test
  void textsOfAnyLength() {
    List<List<@Nullable Object>> values = new ArrayList<>();
    for (int i = 0; i < 8000; i++) {
      boolean here = i >= 3000 && i < 3400;
      String text = here ? "long ".repeat(100 + random.nextInt(20)) + i : "t" + i % 10;
      values.add(new ArrayList<>(Arrays.asList((long) i / 2, (long) i, 1L, text)));
    }
    List<ColumnShape> shapes = new ArrayList<>(Collections.nCopies(3, ColumnShape.of(INT64)));
    shapes.add(ColumnShape.of(DataType.VARCHAR));
    TestTable left = new TestTable(shapes, values, 640);
    TestTable right = table(6000, 3000, true, false, INT64);
    for (boolean buildLeft : new boolean[] {true, false}) {
      Join join = join(left.scan(), right.scan(), JoinType.INNER, false, buildLeft);
      Join other = with(join, JoinAlgorithm.NON_PARTITIONED_HASH, List.of());
      Map<List<@Nullable Object>, Integer> expected =
          TestEngine.counts(run(1, MUCH, other, other).rows);
      for (int count : new int[] {1, 3}) {
        Answer answer = run(count, LITTLE, join, join);
        assertEquals(expected, TestEngine.counts(answer.rows), count + " devices, seed " + seed);
        assertTrue(answer.pieces > 0, () -> "note: " + answer.note);
      }
    }
  }

  /** What comes out is in the order that is wanted, whether chunksets had to be merged or not. */
  @Test
  void ordersAreKept() {
    for (boolean sorted : new boolean[] {true, false}) {
      TestTable left = table(6000, 100_000, sorted, false, DataType.INT32);
      TestTable right = table(3000, 100_000, sorted, false, DataType.INT32);
      Join join = join(left.scan(), right.scan(), JoinType.INNER, false, false);
      Join ordered =
          with(join, JoinAlgorithm.HOST_SORT_MERGE, List.of(new SortKey(0, false, false)));
      for (int count : new int[] {1, 3}) {
        Answer answer = run(count, LITTLE, ordered, ordered);
        List<Long> keys = answer.rows.stream().map(row -> (Long) row.getFirst()).toList();
        assertEquals(keys.stream().sorted().toList(), keys, "seed " + seed);
        assertTrue(answer.pieces > 0, () -> "note: " + answer.note);
      }
    }
  }

  /** A key for all rows of both sides, in more pieces than one. */
  @Test
  void oneKeyForAllRows() {
    for (JoinType type : List.of(JoinType.SEMI, JoinType.ANTI, JoinType.RIGHT, JoinType.FULL)) {
      for (boolean buildLeft : new boolean[] {true, false}) {
        TestTable left = table(type.leftOnly() ? 5000 : 20, 1, true, false, DataType.INT64);
        TestTable right = table(5000, 1, true, false, DataType.INT64);
        Join join = join(left.scan(), right.scan(), type, false, buildLeft);
        Join other = with(join, JoinAlgorithm.NON_PARTITIONED_HASH, List.of());
        Map<List<@Nullable Object>, Integer> expected =
            TestEngine.counts(run(1, MUCH, other, other).rows);
        for (int count : new int[] {1, 2}) {
          Answer answer = run(count, LITTLE, join, join);
          assertEquals(
              expected,
              TestEngine.counts(answer.rows),
              () -> type + ", left built: " + buildLeft + ", " + answer.note + ", seed " + seed);
        }
      }
    }
  }

  /** A key, the row's number and a column more. */
  private static TestTable oneKey(int rows) {
    List<List<@Nullable Object>> values = new ArrayList<>();
    for (long row = 0; row < rows; row++) {
      values.add(new ArrayList<>(Arrays.asList(7L, row)));
    }
    ColumnShape shape = ColumnShape.of(DataType.INT64);
    return new TestTable(List.of(shape, shape), values, 64);
  }

  /** Rows of {@link #oneKey} with numbers within bounds, and its rows. */
  private record Within(TestTable table, int from, int to) {
    PhysicalPlan plan() {
      PhysicalPlan scan = table.scan();
      Expr number = Expr.ref(1, DataType.INT64);
      Expr least = Expr.call(Op.GE, DataType.BOOLEAN, number, literal(from));
      return new Filter(
          new Filter(scan, least), Expr.call(Op.LT, DataType.BOOLEAN, number, literal(to)));
    }

    private static Expr literal(long value) {
      return Expr.literal(value, DataType.INT64);
    }

    List<List<@Nullable Object>> rows() {
      List<List<@Nullable Object>> rows = new ArrayList<>();
      for (long row = from; row < to; row++) {
        rows.add(Arrays.asList(7L, row));
      }
      return rows;
    }
  }

  /** A join of rows that all have the same key, row by row. */
  private static Map<List<@Nullable Object>, Integer> nestedLoop(
      JoinType type, List<List<@Nullable Object>> left, List<List<@Nullable Object>> right) {
    List<List<@Nullable Object>> rows = new ArrayList<>();
    List<@Nullable Object> none = Arrays.asList(null, null);
    for (List<@Nullable Object> a : left) {
      if (type.leftOnly()) {
        if ((type == JoinType.SEMI) != right.isEmpty()) {
          rows.add(a);
        }
        continue;
      }
      for (List<@Nullable Object> b : right) {
        rows.add(together(a, b));
      }
      if (right.isEmpty() && type.padsRight()) {
        rows.add(together(a, none));
      }
    }
    if (left.isEmpty() && type.padsLeft()) {
      right.forEach(b -> rows.add(together(none, b)));
    }
    return TestEngine.counts(rows);
  }

  private static List<@Nullable Object> together(
      List<@Nullable Object> left, List<@Nullable Object> right) {
    List<@Nullable Object> row = new ArrayList<>(left);
    row.addAll(right);
    return row;
  }

  /**
   * A key whose rows are joined in parts, of which filters leave one, none, or some: what has a
   * partner in one part has none in another.
   */
  @Test
  void filtersEmptyPartsOfAKey() {
    int merged = 0;
    for (JoinType type : JoinType.values()) {
      if (type == JoinType.NULL_AWARE_ANTI) {
        continue;
      }
      for (boolean buildLeft : new boolean[] {true, false}) {
        TestTable some = oneKey(150);
        TestTable many = oneKey(400);
        for (Within within :
            List.of(
                new Within(many, 0, 10),
                new Within(many, 390, 400),
                new Within(many, 0, 0),
                new Within(many, 100, 300))) {
          Within all = new Within(some, 0, 150);
          for (boolean ofLeft : new boolean[] {true, false}) {
            Within left = ofLeft ? within : all;
            Within right = ofLeft ? all : within;
            Join join =
                join(
                    ofLeft ? left.plan() : some.scan(),
                    ofLeft ? some.scan() : right.plan(),
                    type,
                    false,
                    buildLeft);
            for (int count : new int[] {1, 8}) {
              Answer answer = run(count, MUCH, join, join);
              assertEquals(
                  nestedLoop(type, left.rows(), right.rows()),
                  TestEngine.counts(answer.rows),
                  () ->
                      "%s, left built: %s, left filtered: %s, %d to %d, %s"
                          .formatted(type, buildLeft, ofLeft, within.from, within.to, answer.note));
              merged += answer.pieces > 1 ? 1 : 0;
            }
          }
        }
      }
    }
    assertTrue(merged > 0, "no key was joined in parts");
  }

  private Join unsorted() {
    TestTable left = table(3000, 2000, false, false, DataType.INT32);
    TestTable right = table(2000, 2000, false, false, DataType.INT32);
    return join(left.scan(), right.scan(), JoinType.SEMI, false, false);
  }

  private static Map<List<@Nullable Object>, Integer> expected(Join join) {
    Join other = with(join, JoinAlgorithm.NON_PARTITIONED_HASH, List.of());
    return TestEngine.counts(run(1, MUCH, other, other).rows);
  }

  /** The first one among them, in whose host memory sides are put in order. */
  @Test
  void goesOnWithoutADeviceThatFails() {
    Join join = unsorted();
    Map<List<@Nullable Object>, Integer> expected = expected(join);
    int failed = 0;
    for (int after = 1; after < 80; after += 6) {
      List<DiscreteDevice> devices = fakes(List.of(MUCH, MUCH, MUCH));
      DiscreteDevice victim = devices.get(after % 4 == 1 ? 0 : 1);
      int when = after;
      AtomicInteger polls = new AtomicInteger();
      QueryOptions options =
          new QueryOptions(
              List.of(),
              0,
              0,
              null,
              () -> {
                if (polls.incrementAndGet() == when) {
                  victim.fail();
                }
                return false;
              },
              null);
      Answer answer = run(devices, join, join, options);
      assertEquals(expected, TestEngine.counts(answer.rows), () -> when + ", seed " + seed);
      failed += String.valueOf(answer.note).startsWith("after a failure") ? 1 : 0;
    }
    assertTrue(failed > 0, "no query was under way when its device failed");
  }

  /** An allocation refused in the middle: one device does it alone. */
  @Test
  void oneDeviceGoesOnWhereMemoryIsRefused() {
    Join join = unsorted();
    Map<List<@Nullable Object>, Integer> expected = expected(join);
    int alone = 0;
    for (int n = 1; n < 60; n += 7) {
      List<DiscreteDevice> devices = fakes(List.of(MUCH, MUCH, MUCH));
      ((FailingBudget) devices.get(1).memory()).failAllocation(n);
      try {
        Answer answer = run(devices, join, join, QueryOptions.DEFAULT);
        assertEquals(expected, TestEngine.counts(answer.rows), "seed " + seed);
        alone += String.valueOf(answer.note).contains("): on one device") ? 1 : 0;
      } finally {
        ((FailingBudget) devices.get(1).memory()).failAllocation(0);
      }
    }
    assertTrue(alone > 0, "memory was never refused");
  }

  /** An allocation refused while a device sorts alone: the join goes on another way. */
  @Test
  void goesOnAnotherWayWhereSortingIsRefused() {
    Join join = unsorted();
    Map<List<@Nullable Object>, Integer> expected = expected(join);
    int another = 0;
    for (int n = 1; n < 12; n++) {
      List<DiscreteDevice> devices = fakes(List.of(MUCH));
      ((FailingBudget) devices.getFirst().memory()).failAllocation(n);
      try {
        Answer answer = run(devices, join, join, QueryOptions.DEFAULT);
        assertEquals(expected, TestEngine.counts(answer.rows), "seed " + seed);
        another += String.valueOf(answer.note).contains("there is no room for a side") ? 1 : 0;
      } catch (AragoniteException e) {
        assertEquals(ErrorCode.MEMORY_EXCEEDED, e.code());
      } finally {
        ((FailingBudget) devices.getFirst().memory()).failAllocation(0);
      }
    }
    assertTrue(another > 0, "sorting was never refused memory");
  }

  /** Devices of unlike memory cut and sort alike; there may be more of them than rows. */
  @Test
  void unlikeDevicesAndFewRows() {
    Join join = unsorted();
    Answer answer =
        run(fakes(List.of(MUCH, LITTLE, 4 * LITTLE, MUCH)), join, join, QueryOptions.DEFAULT);
    assertEquals(expected(join), TestEngine.counts(answer.rows), "seed " + seed);
    assertTrue(answer.pieces > 0, () -> "note: " + answer.note);
    TestTable few = table(3, 2, false, false, DataType.INT64);
    Join small = join(few.scan(), few.scan(), JoinType.FULL, false, false);
    assertEquals(
        expected(small),
        TestEngine.counts(run(8, MUCH, small, small).rows),
        "three rows, seed " + seed);
  }

  @Test
  void refusalsSayWhy() {
    TestTable table = table(100, 100, true, false, DataType.INT64);
    Join join = join(table.scan(), table.scan(), JoinType.INNER, false, false);
    assertNull(HostSortMergePlanner.refusal(join));
    Join above = join(join, table.scan(), JoinType.INNER, false, false);
    assertEquals(
        "its left side is no table with a filter or a projection at most",
        HostSortMergePlanner.refusal(above));
    Answer answer = run(1, MUCH, above, above);
    assertTrue(
        answer.note != null && answer.note.contains("not joined in host memory: its left side"),
        () -> "note: " + answer.note);
    Join twice =
        new Join(
            table.scan(),
            table.scan(),
            JoinType.INNER,
            List.of(new JoinKey(0, 0, false), new JoinKey(1, 1, false)),
            null,
            JoinAlgorithm.HOST_SORT_MERGE,
            false,
            join.types());
    assertEquals("it has 2 keys, not one", HostSortMergePlanner.refusal(twice));
    Join not = join(table.scan(), table.scan(), JoinType.NULL_AWARE_ANTI, false, false);
    assertEquals(
        "NOT IN looks at all rows of its right side at once", HostSortMergePlanner.refusal(not));
  }
}
