package io.aragonite.exec.integration.operator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.device.SumTable;
import io.aragonite.exec.device.TestContext;
import io.aragonite.exec.engine.TestEngine;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.plan.AggregateCall;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.TestTable;
import io.aragonite.exec.runtime.BatchResult;
import io.aragonite.exec.runtime.QueryOptions;
import io.aragonite.exec.testing.TestSeed;
import io.aragonite.exec.testing.device.TestDevices;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.ValueRange;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Groups whose keys address a table of counts and sums: on a GPU, by interpreted kernels, on a CPU.
 */
class DirectAddressAggregationTest {
  private static final String GROUP = "aragonite.group";
  private static final String GROUP_ROWS = "aragonite.test.groupRows";
  private static final String SUMMED = "rows summed by a kernel of all expressions";
  private static final DataType PRICE = DataType.decimal(15, 2, false);
  private static final DataType PRICES = DataType.decimal(38, 2, true);
  private static final DataType INT64 = DataType.INT64.withNullable(true);
  private static final long LARGEST = (1L << 41) - 1;
  private static final long MEMORY = 1L << 30;

  private static final AggregateCall COUNT =
      AggregateCall.of(AggregateFunction.COUNT, DataType.INT64);
  private static final AggregateCall PRICE_SUM = AggregateCall.of(AggregateFunction.SUM, PRICES, 1);
  private static final AggregateCall SMALL_SUM = AggregateCall.of(AggregateFunction.SUM, INT64, 2);

  private final Random random = TestSeed.random(getClass());

  @AfterEach
  void reset() {
    System.clearProperty(GROUP);
    System.clearProperty(GROUP_ROWS);
  }

  /** A key, a price and a small number. */
  private static TestTable table(
      ColumnShape key, List<List<@Nullable Object>> rows, int batchRows) {
    return new TestTable(
        List.of(
            key,
            new ColumnShape(PRICE, Storage.LONG, false, null, new ValueRange(-LARGEST, LARGEST)),
            new ColumnShape(DataType.INT64, Storage.SHORT, false, null, new ValueRange(-300, 300))),
        rows,
        batchRows);
  }

  private List<List<@Nullable Object>> rows(int count, IntFunction<Long> key) {
    List<List<@Nullable Object>> rows = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      long price = random.nextInt(5) == 0 ? LARGEST : random.nextLong(-LARGEST, LARGEST + 1);
      rows.add(
          Arrays.asList(
              key.apply(i), BigDecimal.valueOf(price, 2), (long) random.nextInt(-300, 301)));
    }
    return rows;
  }

  private static PhysicalPlan sums(PhysicalPlan input, DataType key) {
    return new PhysicalPlan.Aggregate(
        input,
        List.of(0),
        List.of(List.of(0)),
        List.of(PRICE_SUM, COUNT, SMALL_SUM, PRICE_SUM),
        false,
        List.of(key, PRICES, DataType.INT64, INT64, PRICES));
  }

  private static List<List<@Nullable Object>> expected(List<List<@Nullable Object>> rows) {
    return AggregateTest.expected(
        rows,
        List.of(0),
        List.of(List.of(0)),
        List.of(PRICE_SUM, COUNT, SMALL_SUM, PRICE_SUM),
        false);
  }

  /**
   * Runs a plan over an engine whose kernels are there, and checks its groups.
   *
   * @param summed rows that a kernel must have added to a table
   */
  private static void check(
      TestEngine engine, PhysicalPlan plan, List<List<@Nullable Object>> expected, long summed) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    long found;
    do {
      List<List<@Nullable Object>> actual = new ArrayList<>();
      try (BatchResult result = engine.engine().execute(plan, QueryOptions.DEFAULT)) {
        for (ColumnBatch batch = result.next(); batch != null; batch = result.next()) {
          actual.addAll(TestEngine.rows(batch));
        }
        Map<String, Long> figures = result.metrics().node(plan).figures;
        found = figures.getOrDefault(SUMMED, 0L);
      }
      engine.assertReleased();
      assertEquals(TestEngine.counts(expected), TestEngine.counts(actual));
      // A GPU's kernels are assembled beside the first runs.
    } while (found != summed && TestDevices.name().equals("cuda") && System.nanoTime() < end);
    assertEquals(summed, found);
  }

  @Test
  void groupsOfKeysOfAnyWidth() {
    System.setProperty(GROUP, "direct");
    record IntegerKey(DataType type, Storage storage, long min, long max) {}
    List<IntegerKey> keys =
        List.of(
            new IntegerKey(DataType.INT64, Storage.LONG, -7_000_000_000L, -6_999_990_000L),
            new IntegerKey(DataType.INT32, Storage.INT, 1, 5_000),
            new IntegerKey(DataType.INT32, Storage.SHORT, -300, 300),
            new IntegerKey(DataType.INT32, Storage.BYTE, -128, 127));
    for (IntegerKey key : keys) {
      List<List<@Nullable Object>> rows =
          rows(
              3_001,
              i -> i == 0 ? key.min : i == 1 ? key.max : random.nextLong(key.min, key.max + 1));
      ColumnShape shape =
          new ColumnShape(key.type, key.storage, false, null, new ValueRange(key.min, key.max));
      for (int workers : new int[] {1, 3}) {
        try (TestEngine engine = TestEngine.withKernels(workers, 256, MEMORY)) {
          check(
              engine, sums(table(shape, rows, 512).scan(), key.type), expected(rows), rows.size());
        }
      }
    }
  }

  /** Several keys of which each may be null; under nulls lies anything. */
  @Test
  void groupsOfSeveralKeysAndOfNulls() {
    System.setProperty(GROUP, "direct");
    List<ColumnShape> shapes =
        List.of(
            new ColumnShape(INT64, Storage.INT, true, null, new ValueRange(-5, 40)),
            new ColumnShape(PRICE, Storage.LONG, false, null, new ValueRange(0, LARGEST)),
            new ColumnShape(
                DataType.INT32.withNullable(true),
                Storage.SHORT,
                true,
                null,
                new ValueRange(1_000, 1_100)));
    List<List<@Nullable Object>> rows = new ArrayList<>();
    for (int i = 0; i < 4_000; i++) {
      rows.add(
          Arrays.asList(
              random.nextInt(9) == 0 ? null : (Object) (long) random.nextInt(-5, 41),
              BigDecimal.valueOf(random.nextLong(LARGEST), 2),
              random.nextInt(9) == 0 ? null : (Object) (long) random.nextInt(1_000, 1_101)));
    }
    List<AggregateCall> calls = List.of(COUNT, PRICE_SUM);
    for (List<Integer> keys : List.of(List.of(0, 2), List.of(2, 0), List.of(2))) {
      List<Integer> set = IntStream.range(0, keys.size()).boxed().toList();
      List<DataType> types = new ArrayList<>();
      keys.forEach(key -> types.add(shapes.get(key).type()));
      types.add(DataType.INT64);
      types.add(PRICES);
      PhysicalPlan plan =
          new PhysicalPlan.Aggregate(
              new TestTable(shapes, rows, 1_024).scan(), keys, List.of(set), calls, false, types);
      List<List<@Nullable Object>> expected =
          AggregateTest.expected(rows, keys, List.of(set), calls, false);
      for (int workers : new int[] {1, 2}) {
        try (TestEngine engine = TestEngine.withKernels(workers, 1_024, MEMORY)) {
          check(engine, plan, expected, rows.size());
        }
      }
    }
  }

  @Test
  void filterAndProjectionArePartOfTheKernel() {
    System.setProperty(GROUP, "direct");
    ColumnShape key =
        new ColumnShape(DataType.INT32, Storage.INT, false, null, new ValueRange(100, 4_000));
    List<List<@Nullable Object>> rows = rows(5_000, i -> (long) random.nextInt(100, 4_001));
    Expr small = Expr.ref(2, DataType.INT64);
    for (long bound : new long[] {-301, 0, 300}) {
      Expr predicate =
          Expr.call(Op.GT, DataType.BOOLEAN, small, Expr.literal(bound, DataType.INT64));
      PhysicalPlan filtered =
          new PhysicalPlan.Filter(table(key, rows, 1_024).scan(), predicate, 4_000);
      PhysicalPlan projected =
          new PhysicalPlan.Project(
              filtered, List.of(Expr.ref(0, DataType.INT32), Expr.ref(1, PRICE), small));
      List<List<@Nullable Object>> kept =
          rows.stream().filter(row -> (Long) row.get(2) > bound).toList();
      try (TestEngine engine = TestEngine.withKernels(1, 1_024, MEMORY)) {
        check(engine, sums(projected, DataType.INT32), expected(kept), kept.size());
      }
    }
  }

  /** Only many groups, none of them large, that do not come in order, are worth it. */
  @Test
  void aSampleOfTheKeysDecides() {
    System.setProperty(GROUP_ROWS, "1000");
    int count = 20_000;
    ColumnShape key =
        new ColumnShape(DataType.INT32, Storage.INT, false, null, new ValueRange(0, count));
    Map<String, IntFunction<Long>> keys =
        Map.of(
            "random", i -> (long) random.nextInt(count),
            "in order", i -> (long) i,
            "one of many", i -> i % 5 == 0 ? 17L : (long) random.nextInt(count),
            "few", i -> (long) random.nextInt(100) * 200);
    keys.forEach((name, make) -> {
      List<List<@Nullable Object>> rows = rows(count, make);
      try (TestEngine engine = TestEngine.withKernels(1, count, MEMORY)) {
        PhysicalPlan plan = sums(table(key, rows, count).scan(), DataType.INT32);
        check(engine, plan, expected(rows), name.equals("random") ? count : 0);
      }
    });
  }

  @Test
  void aTableThatMemoryDoesNotHoldIsNotMade() {
    System.setProperty(GROUP, "direct");
    ColumnShape key =
        new ColumnShape(DataType.INT32, Storage.INT, false, null, new ValueRange(0, (1 << 24) - 1));
    List<List<@Nullable Object>> rows = rows(500, i -> (long) random.nextInt(1 << 24));
    try (TestEngine engine = TestEngine.withKernels(1, 256, 64L << 20)) {
      check(engine, sums(table(key, rows, 256).scan(), DataType.INT32), expected(rows), 0);
    }
  }

  @Test
  void noRowsMakeNoGroups() {
    System.setProperty(GROUP, "direct");
    ColumnShape key =
        new ColumnShape(DataType.INT32, Storage.INT, false, null, new ValueRange(0, 9));
    try (TestEngine engine = TestEngine.withKernels(1, 256, MEMORY)) {
      check(
          engine, sums(table(key, List.of(), 256).scan(), DataType.INT32), expected(List.of()), 0);
    }
  }

  @Test
  void sumsThatMayLeave64BitsAreNotTakenIn() {
    try (TestEngine engine = TestEngine.withKernels(1, 256, MEMORY);
        TestContext context = new TestContext(engine.devices().getFirst());
        SumTable table = new SumTable(context, 10, 1)) {
      assertFalse(table.reserve(1, 63));
      assertTrue(table.reserve(1, 62));
      assertFalse(table.reserve(1, 62));
      assertTrue(table.reserve((1 << 21) - 1, 41));
      assertFalse(table.reserve(1, 41));
      assertTrue(IntStream.range(0, 10).allMatch(i -> table.reserve(1 << 24, 13)));
      assertFalse(table.reserve(Integer.MAX_VALUE, 0));
      try (SumTable other = new SumTable(context, 10, 1)) {
        assertTrue(other.reserve(table));
        assertFalse(other.reserve(table));
      }
    }
  }

  /** Each worker of a CPU has a table; odd numbers of them, of entries and of rows in a batch. */
  @Test
  void tablesOfSeveralWorkersOfACpuAreAddedUp() {
    System.setProperty(GROUP, "direct");
    for (int entries : new int[] {1, 63, 4_097, 140_001}) {
      ColumnShape key =
          new ColumnShape(INT64, Storage.INT, true, null, new ValueRange(-7, entries - 8));
      List<List<@Nullable Object>> rows =
          rows(20_011, i -> random.nextInt(50) == 0 ? null : random.nextLong(entries) - 7);
      for (int workers : new int[] {1, 2, 5}) {
        try (TestEngine engine = new TestEngine(workers, 448, MEMORY)) {
          check(engine, sums(table(key, rows, 448).scan(), INT64), expected(rows), rows.size());
        }
      }
    }
  }

  /** Rows of batches whose sums could leave 64 bits are grouped as others, and meet the table's. */
  @Test
  void groupsOfATableMeetOthersOnACpu() {
    System.setProperty(GROUP, "direct");
    DataType large = DataType.decimal(18, 2, false);
    long most = 999_999_999_999_999_999L;
    List<ColumnShape> shapes =
        List.of(
            new ColumnShape(DataType.INT32, Storage.INT, false, null, new ValueRange(0, 40)),
            new ColumnShape(large, Storage.LONG, false, null, null));
    List<List<@Nullable Object>> rows = new ArrayList<>();
    for (int i = 0; i < 3_000; i++) {
      long value = i < 1_000 ? i : random.nextInt(3) == 0 ? most : most - random.nextInt(1_000);
      rows.add(Arrays.asList((long) random.nextInt(41), BigDecimal.valueOf(value, 2)));
    }
    DataType sum = DataType.decimal(38, 2, true);
    List<AggregateCall> calls = List.of(AggregateCall.of(AggregateFunction.SUM, sum, 1), COUNT);
    PhysicalPlan plan =
        new PhysicalPlan.Aggregate(
            new TestTable(shapes, rows, 64).scan(),
            List.of(0),
            List.of(List.of(0)),
            calls,
            false,
            List.of(DataType.INT32, sum, DataType.INT64));
    List<List<@Nullable Object>> expected =
        AggregateTest.expected(rows, List.of(0), List.of(List.of(0)), calls, false);
    for (int workers : new int[] {1, 3}) {
      try (TestEngine engine = new TestEngine(workers, 64, MEMORY)) {
        assertEquals(TestEngine.counts(expected), TestEngine.counts(engine.run(plan)));
        engine.assertReleased();
      }
    }
  }

  /** Where sums fit 64 bits for each worker, and might not for all, a group is there once. */
  @Test
  void groupsOfSeveralTablesAreMergedOnACpu() {
    System.setProperty(GROUP, "direct");
    long large = 1L << 44;
    List<ColumnShape> shapes =
        List.of(
            new ColumnShape(DataType.INT32, Storage.INT, false, null, new ValueRange(0, 3_000)),
            new ColumnShape(
                DataType.INT64, Storage.LONG, false, null, new ValueRange(-large, large)));
    List<List<@Nullable Object>> rows = new ArrayList<>();
    for (int i = 0; i < 400_001; i++) {
      long value = i % 16 > 1 ? random.nextLong(-7, 1_000) : i % 2 == 0 ? large : -large;
      rows.add(Arrays.asList((long) random.nextInt(3_001), value));
    }
    List<AggregateCall> calls = List.of(AggregateCall.of(AggregateFunction.SUM, INT64, 1), COUNT);
    PhysicalPlan plan =
        new PhysicalPlan.Aggregate(
            new TestTable(shapes, rows, 4_096).scan(),
            List.of(0),
            List.of(List.of(0)),
            calls,
            false,
            List.of(DataType.INT32, INT64, DataType.INT64));
    List<List<@Nullable Object>> expected =
        AggregateTest.expected(rows, List.of(0), List.of(List.of(0)), calls, false);
    for (int workers : new int[] {1, 2, 5}) {
      try (TestEngine engine = new TestEngine(workers, 4_096, MEMORY)) {
        for (int run = 0; run < 10; run++) {
          assertEquals(TestEngine.counts(expected), TestEngine.counts(engine.run(plan)));
        }
        engine.assertReleased();
      }
    }
  }

  /** On a CPU a table must not stay empty, and rows in order need none. */
  @Test
  void whatIsExpectedDecidesOnACpu() {
    int count = 20_000;
    ColumnShape key =
        new ColumnShape(DataType.INT32, Storage.INT, false, null, new ValueRange(0, count));
    List<List<@Nullable Object>> mixed = rows(count, i -> (long) random.nextInt(count));
    List<List<@Nullable Object>> ordered = rows(count, i -> (long) i);
    record ExpectedCase(List<List<@Nullable Object>> rows, double expected, boolean table) {}
    List<ExpectedCase> cases =
        List.of(
            new ExpectedCase(mixed, count / 2.0, true),
            new ExpectedCase(mixed, 100, false),
            new ExpectedCase(ordered, count, false),
            new ExpectedCase(mixed.subList(0, 1_000), count, false));
    for (ExpectedCase one : cases) {
      PhysicalPlan.Aggregate plan =
          (PhysicalPlan.Aggregate) sums(table(key, one.rows, 2_048).scan(), DataType.INT32);
      PhysicalPlan expecting =
          new PhysicalPlan.Aggregate(
              plan.input(),
              plan.keys(),
              plan.groupingSets(),
              plan.calls(),
              false,
              plan.types(),
              one.expected);
      try (TestEngine engine = new TestEngine(2, 2_048, MEMORY)) {
        check(engine, expecting, expected(one.rows), one.table ? count : 0);
      }
    }
  }
}
