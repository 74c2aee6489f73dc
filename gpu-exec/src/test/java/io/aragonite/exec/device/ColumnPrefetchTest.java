package io.aragonite.exec.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.device.cpu.CpuDevice;
import io.aragonite.exec.device.cpu.CpuExpressionCompiler;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.limit.StopCheck;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.plan.TestTable;
import io.aragonite.exec.table.Table;
import io.aragonite.exec.testing.TestSeed;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Columns come beside a query, once, and what does not come the query brings itself. */
@Timeout(60)
class ColumnPrefetchTest {
  private static final List<ColumnShape> SHAPES =
      List.of(
          ColumnShape.of(DataType.of(TypeKind.INT64, true)),
          ColumnShape.of(DataType.VARCHAR.withNullable(true)),
          ColumnShape.of(DataType.of(TypeKind.BOOLEAN, true)),
          ColumnShape.of(DataType.of(TypeKind.INT32, true)),
          ColumnShape.of(DataType.VARCHAR.withNullable(true)));

  private static final List<Integer> ALL = List.of(0, 1, 2, 3, 4);

  private final Random random = TestSeed.random(ColumnPrefetchTest.class);
  private final DiscreteDevice device =
      new DiscreteDevice(
          0,
          new MemoryBudget("deviceMemory", 1 << 24),
          new CpuDevice(1, new MemoryBudget("memory", 1 << 26), new CpuExpressionCompiler()),
          true);

  @AfterEach
  void close() {
    device.close();
    assertEquals(0, device.memory().used());
    assertEquals(0, device.host().memory().used());
  }

  private List<List<@Nullable Object>> rows(int count) {
    List<List<@Nullable Object>> rows = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      List<@Nullable Object> row = new ArrayList<>();
      row.add(random.nextInt(5) == 0 ? null : random.nextLong());
      row.add(random.nextInt(5) == 0 ? null : "é".repeat(random.nextInt(4)) + i);
      row.add(random.nextInt(3) == 0 ? null : random.nextBoolean());
      row.add((long) random.nextInt());
      row.add("");
      rows.add(row);
    }
    return rows;
  }

  /** A table that counts how often a column is read, and can hold readers up, or fail. */
  private static final class CountedTable implements Table {
    final TestTable table;
    final ConcurrentHashMap<Integer, AtomicInteger> pins = new ConcurrentHashMap<>();
    final CountDownLatch begun = new CountDownLatch(1);
    volatile CountDownLatch gate = new CountDownLatch(0);
    volatile boolean fails;
    volatile boolean skips;

    CountedTable(TestTable table) {
      this.table = table;
    }

    int reads(int column) {
      AtomicInteger count = pins.get(column);
      return count == null ? 0 : count.get();
    }

    @Override
    public String name() {
      return "t";
    }

    @Override
    public List<String> columnNames() {
      return table.columnNames();
    }

    @Override
    public List<DataType> columnTypes() {
      return table.columnTypes();
    }

    @Override
    public long rows() {
      return table.rows();
    }

    @Override
    public boolean skipsParts(List<Integer> columns, Expr filter) {
      return skips;
    }

    @Override
    public Pin pin(List<Integer> columns) {
      columns.forEach(
          column -> pins.computeIfAbsent(column, key -> new AtomicInteger()).incrementAndGet());
      begun.countDown();
      try {
        while (!gate.await(1, TimeUnit.MILLISECONDS)) {
          StopCheck.current().check();
        }
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
      if (fails) {
        throw new AragoniteException(ErrorCode.FILE_BROKEN, "broken, as the test wants");
      }
      return table.pin(columns);
    }
  }

  private List<List<@Nullable Object>> read(TestContext context, Table table) {
    try (Table.Pin pin = device.pin(context, table, ALL)) {
      List<List<@Nullable Object>> rows = new ArrayList<>();
      for (ColumnBatch chunk : pin.chunks()) {
        List<List<@Nullable Object>> columns =
            chunk.columns().stream().map(context::values).toList();
        for (int i = 0; i < chunk.rows(); i++) {
          int row = i;
          List<@Nullable Object> values = new ArrayList<>();
          columns.forEach(column -> values.add(column.get(row)));
          rows.add(values);
        }
      }
      return rows;
    }
  }

  private static List<ColumnPrefetch.Request> all(Table... tables) {
    return List.of(tables).stream()
        .map(table -> new ColumnPrefetch.Request(table, ALL, null))
        .toList();
  }

  @Test
  void eachColumnIsReadOnce() {
    for (int count : new int[] {0, 1, 63, 64, 1001}) {
      List<List<@Nullable Object>> first = rows(count);
      List<List<@Nullable Object>> second = rows(count + 7);
      CountedTable a = new CountedTable(new TestTable(SHAPES, first, 64));
      CountedTable b = new CountedTable(new TestTable(SHAPES, second, 64));
      try (TestContext context = new TestContext(device);
          ColumnPrefetch _ = new ColumnPrefetch(device, all(a, b), 1 << 22)) {
        assertEquals(second, read(context, b));
        assertEquals(first, read(context, a));
        for (int column : ALL) {
          assertEquals(1, a.reads(column), count + " rows");
          assertEquals(1, b.reads(column), count + " rows");
        }
      }
    }
  }

  @Test
  void whatIsNotThereAtTheEndOthersBring() throws Exception {
    List<List<@Nullable Object>> rows = rows(500);
    CountedTable table = new CountedTable(new TestTable(SHAPES, rows, 64));
    table.gate = new CountDownLatch(1);
    ColumnPrefetch prefetch = new ColumnPrefetch(device, all(table), 1 << 22);
    table.begun.await();
    prefetch.close();
    assertEquals(0, device.memory().used());
    table.gate.countDown();
    try (TestContext context = new TestContext(device)) {
      assertEquals(rows, read(context, table));
    }
  }

  @Test
  void errorsAreTheQuerys() {
    CountedTable table = new CountedTable(new TestTable(SHAPES, rows(500), 64));
    table.fails = true;
    try (TestContext context = new TestContext(device);
        ColumnPrefetch _ = new ColumnPrefetch(device, all(table), 1 << 22)) {
      AragoniteException error = assertThrows(AragoniteException.class, () -> read(context, table));
      assertEquals(ErrorCode.FILE_BROKEN, error.code());
    }
  }

  @Test
  void aQueryThatIsToEndReadsNoMore() throws Exception {
    CountedTable table = new CountedTable(new TestTable(SHAPES, rows(500), 64));
    table.gate = new CountDownLatch(1);
    AtomicBoolean ends = new AtomicBoolean();
    StopCheck query =
        new StopCheck(() -> {
          if (ends.get()) {
            throw new AragoniteException(ErrorCode.CANCELLED, "as the test wants");
          }
        });
    try (StopCheck.Scope _ = query.enter();
        ColumnPrefetch _ = new ColumnPrefetch(device, all(table), 1 << 22)) {
      table.begun.await();
      ends.set(true);
    }
    assertEquals(0, device.memory().used());
    assertFalse(ALL.stream().anyMatch(column -> device.holds(table, column)));
  }

  @Test
  void partsAndMoreThanThereIsRoomForAreLeft() {
    CountedTable skipped = new CountedTable(new TestTable(SHAPES, rows(500), 64));
    skipped.skips = true;
    CountedTable large = new CountedTable(new TestTable(SHAPES, rows(5000), 64));
    CountedTable small = new CountedTable(new TestTable(SHAPES, rows(100), 64));
    List<ColumnPrefetch.Request> requests = new ArrayList<>();
    Expr filter = Expr.ref(2, DataType.of(TypeKind.BOOLEAN, true));
    requests.add(new ColumnPrefetch.Request(skipped, ALL, filter));
    requests.addAll(all(large, small));
    try (TestContext context = new TestContext(device);
        ColumnPrefetch _ = new ColumnPrefetch(device, requests, 20_000)) {
      assertEquals(100, read(context, small).size());
      assertEquals(0, skipped.reads(0));
      assertEquals(0, large.reads(0));
      assertTrue(device.holds(small, 0));
    }
  }

  /** Whoever has claimed columns waits for nobody before they are there. */
  @Test
  void queriesThatWantEachOthersColumnsEnd() throws Exception {
    List<List<@Nullable Object>> rows = rows(300);
    for (int round = 0; round < 30; round++) {
      CountedTable table = new CountedTable(new TestTable(SHAPES, rows, 64));
      List<Thread> threads = new ArrayList<>();
      AtomicInteger right = new AtomicInteger();
      for (int i = 0; i < 4; i++) {
        List<Integer> order = new ArrayList<>(ALL);
        Collections.shuffle(order, random);
        threads.add(
            Thread.ofPlatform()
                .start(() -> {
                  try (LoadContext context = new LoadContext(device, StopCheck.NONE);
                      Table.Pin pin = device.pin(context, table, order)) {
                    right.addAndGet(ColumnBatch.rows(pin.chunks()) == 300 ? 1 : 0);
                  }
                }));
      }
      for (Thread thread : threads) {
        thread.join();
      }
      assertEquals(4, right.get());
      ALL.forEach(column -> assertEquals(1, table.reads(column)));
    }
  }
}
