package io.aragonite.exec.device.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.device.CompiledAggregation;
import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.GroupSums;
import io.aragonite.exec.device.HostColumns;
import io.aragonite.exec.device.TestContext;
import io.aragonite.exec.device.cpu.CpuDevice;
import io.aragonite.exec.device.cpu.CpuExpressionCompiler;
import io.aragonite.exec.device.cuda.ptx.InterpretingRunner;
import io.aragonite.exec.device.cuda.ptx.PtxExpressionCompiler;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.KeyLayout;
import io.aragonite.exec.expr.KeyLayouts;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.testing.TestSeed;
import io.aragonite.exec.testing.device.TestDevices;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.Columns;
import io.aragonite.exec.vector.RowIds;
import io.aragonite.exec.vector.ValueRange;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Counts and sums by group in one kernel: on a GPU, or interpreted. */
class CompiledAggregationTest {
  private static final long LARGEST = (1L << 41) - 1;
  private static final DataType NULLABLE = DataType.INT32.withNullable(true);

  private static final ColumnShape KEY =
      new ColumnShape(NULLABLE, Storage.INT, true, null, new ValueRange(-3, 2));
  private static final ColumnShape SMALL =
      new ColumnShape(DataType.INT32, Storage.SHORT, false, null, new ValueRange(-300, 300));
  private static final ColumnShape LARGE =
      new ColumnShape(DataType.INT64, Storage.LONG, false, null, new ValueRange(-LARGEST, LARGEST));
  private static final List<ColumnShape> SHAPES = List.of(KEY, SMALL, LARGE);
  private static final KeyLayout LAYOUT = KeyLayouts.choose(List.of(KEY));
  private static final Expr.KeyWord GROUP =
      new Expr.KeyWord(List.of(Expr.ref(0, NULLABLE)), LAYOUT);
  private static final Expr LARGE_REF = Expr.ref(2, DataType.INT64);
  private static final Expr SMALL_REF = Expr.ref(1, DataType.INT32);

  private final Random random = TestSeed.random(getClass());
  private Device device;
  private TestContext context;

  @BeforeEach
  void open() {
    device =
        !TestDevices.name().equals("cuda")
            ? new CpuDevice(
                1,
                new MemoryBudget("memory", 1L << 30),
                new PtxExpressionCompiler(
                    new InterpretingRunner(false), new CpuExpressionCompiler()))
            : TestDevices.create();
    context = new TestContext(device);
  }

  @AfterEach
  void close() {
    context.close();
    device.close();
  }

  private static int groups() {
    return 1 << LAYOUT.parts().getFirst().bits();
  }

  private @Nullable CompiledAggregation compile(Expr.@Nullable KeyWord group, Expr... sums) {
    return compileFiltered(null, group, sums);
  }

  private @Nullable CompiledAggregation compileFiltered(
      @Nullable Expr predicate, Expr.@Nullable KeyWord group, Expr... sums) {
    return device
        .expressions()
        .aggregation(predicate, group, group == null ? 1 : groups(), List.of(sums), SHAPES);
  }

  /** Rows as the device has them: plain or behind an indirection that others do not share. */
  private ColumnBatch batch(List<List<@Nullable Object>> rows, boolean behind) {
    List<Column> columns = new ArrayList<>();
    for (int c = 0; c < SHAPES.size(); c++) {
      int number = c;
      List<@Nullable Object> values = new ArrayList<>();
      rows.forEach(row -> values.add(row.get(number)));
      Column column =
          behind && c != 1
              ? Columns.of(context.hostScratch(), SHAPES.get(c), values.reversed())
                  .withRowIds(reversed(rows.size()))
              : Columns.of(context.hostScratch(), SHAPES.get(c), values);
      columns.add(column);
    }
    return HostColumns.toDevice(context, new ColumnBatch(columns, rows.size()), context.scratch());
  }

  private RowIds reversed(int rows) {
    return Columns.rowIds(
        context.hostScratch(), false, IntStream.range(0, rows).map(i -> rows - 1 - i).toArray());
  }

  private List<List<@Nullable Object>> rows(int count) {
    List<List<@Nullable Object>> rows = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      List<@Nullable Object> row = new ArrayList<>();
      row.add(random.nextInt(4) == 0 ? null : (long) random.nextInt(-3, 2));
      row.add((long) random.nextInt(-300, 301));
      row.add(random.nextInt(3) == 0 ? -LARGEST : random.nextLong(-LARGEST, LARGEST + 1));
      rows.add(row);
    }
    return rows;
  }

  private void add(CompiledAggregation aggregation, ColumnBatch batch, GroupSums totals) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (!aggregation.add(context, batch, totals)) {
      assertTrue(System.nanoTime() < end, "the kernel is not ready");
      LockSupport.parkNanos(1_000_000);
    }
  }

  @Test
  void countsAndSumsAreThoseOfTheRows() {
    Expr scaled = Expr.call(Op.TIMES, DataType.INT64, SMALL_REF, SMALL_REF);
    CompiledAggregation aggregation = assertNotNull2(compile(GROUP, LARGE_REF, scaled, SMALL_REF));
    GroupSums totals = new GroupSums(groups(), 3);
    long[][] expected = new long[groups()][4];
    for (int count : new int[] {0, 1, 31, 32, 33, 1023, 2049, 5000}) {
      List<List<@Nullable Object>> rows = rows(count);
      for (List<@Nullable Object> row : rows) {
        Long key = (Long) row.getFirst();
        long[] group = expected[key == null ? 0 : (int) (key + 3 + 1)];
        long small = (long) assertNotNull2(row.get(1));
        group[0]++;
        group[1] += (long) assertNotNull2(row.get(2));
        group[2] += small * small;
        group[3] += small;
      }
      add(aggregation, batch(rows, count % 2 == 0), totals);
    }
    for (int group = 0; group < groups(); group++) {
      assertEquals(expected[group][0], totals.count(group));
      for (int sum = 0; sum < 3; sum++) {
        assertEquals(expected[group][1 + sum], totals.low(group, sum));
        assertEquals(expected[group][1 + sum] >> 63, totals.high(group, sum));
      }
    }
  }

  @Test
  void withoutKeysThereIsOneGroup() {
    CompiledAggregation aggregation = assertNotNull2(compile(null, SMALL_REF));
    GroupSums totals = new GroupSums(1, 1);
    List<List<@Nullable Object>> rows = rows(777);
    add(aggregation, batch(rows, false), totals);
    assertEquals(777, totals.count(0));
    assertEquals(
        rows.stream().mapToLong(row -> (long) assertNotNull2(row.get(1))).sum(), totals.low(0, 0));
  }

  @Test
  void rowsThatThePredicateLeavesOutAreNotAdded() {
    Expr positive = greater(SMALL_REF, 0);
    Expr keyAboveMinusTwo = greater(Expr.ref(0, NULLABLE), -2);
    Expr both = Expr.call(Op.AND, DataType.BOOLEAN.withNullable(true), positive, keyAboveMinusTwo);
    // Rows that are left out would divide by zero.
    Expr quotient =
        Expr.call(Op.DIVIDE, DataType.INT32, Expr.literal(1000L, DataType.INT32), SMALL_REF);
    CompiledAggregation aggregation =
        assertNotNull2(compileFiltered(both, GROUP, LARGE_REF, quotient));
    GroupSums totals = new GroupSums(groups(), 2);
    long[][] expected = new long[groups()][3];
    for (int count : new int[] {0, 1, 31, 32, 33, 1023, 2049, 5000}) {
      List<List<@Nullable Object>> rows = rows(count);
      for (int i = 0; i < count; i += 3) {
        rows.get(i).set(1, 0L);
      }
      for (List<@Nullable Object> row : rows) {
        Long key = (Long) row.getFirst();
        long small = (long) assertNotNull2(row.get(1));
        if (key != null && key > -2 && small > 0) {
          long[] group = expected[(int) (key + 3 + 1)];
          group[0]++;
          group[1] += (long) assertNotNull2(row.get(2));
          group[2] += 1000 / small;
        }
      }
      add(aggregation, batch(rows, count % 2 == 0), totals);
    }
    long all = 0;
    for (int group = 0; group < groups(); group++) {
      all += expected[group][0];
      assertEquals(expected[group][0], totals.count(group));
      for (int sum = 0; sum < 2; sum++) {
        assertEquals(expected[group][1 + sum], totals.low(group, sum));
        assertEquals(expected[group][1 + sum] >> 63, totals.high(group, sum));
      }
    }
    assertTrue(all > 0);
    assertEquals(all, totals.count());
  }

  private static Expr greater(Expr value, long bound) {
    return Expr.call(
        Op.GT,
        DataType.BOOLEAN.withNullable(value.type().nullable()),
        value,
        Expr.literal(bound, DataType.INT32));
  }

  @Test
  void aBatchWithARowThatFailsIsNotAdded() {
    Expr quotient =
        Expr.call(Op.DIVIDE, DataType.INT32, Expr.literal(100L, DataType.INT32), SMALL_REF);
    CompiledAggregation aggregation = assertNotNull2(compile(null, quotient));
    GroupSums totals = new GroupSums(1, 1);
    List<List<@Nullable Object>> rows = rows(100);
    rows.forEach(row -> row.set(1, 7L));
    add(aggregation, batch(rows, false), totals);
    rows.get(50).set(1, 0L);
    assertFalse(aggregation.add(context, batch(rows, false), totals));
    assertEquals(100, totals.count(0));
    assertEquals(1400, totals.low(0, 0));
  }

  @Test
  void whatMayBeNullOrLeave64BitsHasNoCode() {
    assertNull(compile(GROUP, Expr.ref(0, NULLABLE)));
    assertNull(compile(GROUP, Expr.call(Op.PLUS, DataType.INT64, LARGE_REF, LARGE_REF)));
    assertNull(
        compile(GROUP, IntStream.range(0, 12).mapToObj(i -> SMALL_REF).toArray(Expr[]::new)));
  }

  private static <T> T assertNotNull2(@Nullable T value) {
    assertNotNull(value);
    return value;
  }
}
