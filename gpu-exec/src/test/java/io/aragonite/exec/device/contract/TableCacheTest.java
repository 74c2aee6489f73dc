package io.aragonite.exec.device.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.device.ColumnMemory;
import io.aragonite.exec.device.DiscreteDevice;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.TableCache;
import io.aragonite.exec.device.TestContext;
import io.aragonite.exec.device.cpu.CpuDevice;
import io.aragonite.exec.device.cpu.CpuExpressionCompiler;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.NativeQueryMemory;
import io.aragonite.exec.plan.TestTable;
import io.aragonite.exec.table.Table;
import io.aragonite.exec.testing.TestSeed;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.Columns;
import io.aragonite.exec.vector.ValueRange;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The cache over host memory that stands for a device's. */
class TableCacheTest {
  private static final List<ColumnShape> SHAPES =
      List.of(
          ColumnShape.of(DataType.of(TypeKind.INT64, true)),
          ColumnShape.of(DataType.VARCHAR.withNullable(true)),
          ColumnShape.of(DataType.of(TypeKind.BOOLEAN, true)),
          ColumnShape.of(DataType.of(TypeKind.NULL, true)));

  private final CpuDevice device =
      new CpuDevice(1, new MemoryBudget("memory", 1 << 28), new CpuExpressionCompiler());
  private final TestContext context = new TestContext(device);
  private final MemoryBudget budget = new MemoryBudget("deviceMemory", 1 << 20);
  private final HostBlocks memory = new HostBlocks(budget);

  @AfterEach
  void close() {
    assertEquals(0, budget.used());
    context.close();
    device.close();
  }

  private static List<List<@Nullable Object>> rows(Random random, int count) {
    List<List<@Nullable Object>> rows = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      boolean none = random.nextInt(5) == 0;
      rows.add(
          Arrays.asList(
              none ? null : random.nextLong(),
              random.nextInt(5) == 0 ? null : "x".repeat(random.nextInt(4)) + i,
              random.nextInt(3) == 0 ? null : random.nextBoolean(),
              null));
    }
    return rows;
  }

  private static List<List<@Nullable Object>> read(Table.Pin pin) {
    List<List<@Nullable Object>> rows = new ArrayList<>();
    for (ColumnBatch chunk : pin.chunks()) {
      rows.addAll(Columns.rows(chunk));
    }
    return rows;
  }

  @Test
  void sameRowsInLargePieces() {
    Random random = TestSeed.random(TableCacheTest.class);
    for (int count : new int[] {0, 1, 63, 64, 65, 127, 128, 1000, 1024}) {
      for (int pieceRows : new int[] {64, 192, 1 << 20}) {
        List<List<@Nullable Object>> rows = rows(random, count);
        TestTable table = new TestTable(SHAPES, rows, 64);
        try (TableCache cache = new TableCache(memory, budget, pieceRows);
            Table.Pin pin = cache.pin(context, table, List.of(0, 1, 2, 3))) {
          assertEquals(rows, read(pin));
          int pieces = Math.max(1, (count + pieceRows - 1) / pieceRows);
          assertEquals(pieces, pin.chunks().size(), count + " rows by " + pieceRows);
        }
      }
    }
  }

  private static ColumnShape bounded(DataType type, long min, long max) {
    return ColumnShape.of(type).withRange(new ValueRange(min, max));
  }

  /** By the bounds of all rows, which the first and the last one have. */
  @Test
  void integersAreAsNarrowAsTheirBounds() {
    DataType whole = DataType.of(TypeKind.INT64, true);
    DataType date = DataType.of(TypeKind.DATE, true);
    DataType decimal = DataType.decimal(18, 2, true);
    narrow(whole, Integer.MIN_VALUE, Integer.MAX_VALUE, Storage.INT);
    narrow(whole, Integer.MIN_VALUE - 1L, 0, Storage.LONG);
    narrow(whole, 0, 1, Storage.INT);
    narrow(date, Short.MIN_VALUE, Short.MAX_VALUE, Storage.SHORT);
    narrow(date, 0, Short.MAX_VALUE + 1L, Storage.INT);
    narrow(decimal, Byte.MIN_VALUE, Byte.MAX_VALUE, Storage.BYTE);
    narrow(decimal, Byte.MIN_VALUE - 1L, 0, Storage.SHORT);
    narrow(decimal, 0, Short.MAX_VALUE + 1L, Storage.INT);
    narrow(decimal, 0, Integer.MAX_VALUE + 1L, Storage.LONG);
    narrow(DataType.of(TypeKind.INT32, true), 0, 1, Storage.INT);
  }

  private void narrow(DataType type, long min, long max, Storage expected) {
    List<List<@Nullable Object>> rows = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      long value = i == 0 ? min : i == 999 ? max : min + i % (max - min + 1);
      Object boxed =
          type.kind() == TypeKind.DECIMAL ? BigDecimal.valueOf(value, 2) : (Object) value;
      rows.add(Arrays.asList(i % 7 == 3 ? null : boxed));
    }
    TestTable table = new TestTable(List.of(bounded(type, min, max)), rows, 64);
    for (int pieceRows : new int[] {192, 1 << 20}) {
      try (TableCache cache = new TableCache(memory, budget, pieceRows);
          Table.Pin pin = cache.pin(context, table, List.of(0))) {
        assertEquals(expected, pin.shapes().getFirst().storage(), type + " to " + max);
        for (ColumnBatch chunk : pin.chunks()) {
          assertEquals(expected, chunk.column(0).shape().storage());
        }
        assertEquals(rows, read(pin));
        assertTrue(cache.bytes() <= 1000L * expected.width() + 1000, cache.bytes() + " bytes");
      }
    }
  }

  /** What there is of memory holds the values as they come, but not narrower ones beside them. */
  @Test
  void valuesStayWideWhereMemoryIsShort() {
    DataType type = DataType.decimal(18, 2, false);
    List<List<@Nullable Object>> rows = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      rows.add(Arrays.asList(BigDecimal.valueOf(i % 100, 2)));
    }
    TestTable table = new TestTable(List.of(bounded(type, 0, 99)), rows, 64);
    try (TableCache cache = new TableCache(memory, budget)) {
      long taken = budget.limit() - 8500;
      budget.reserve(taken, "A query");
      try (Table.Pin pin = cache.pin(context, table, List.of(0))) {
        assertEquals(Storage.LONG, pin.shapes().getFirst().storage());
        assertEquals(rows, read(pin));
      } finally {
        budget.release(taken);
      }
    }
  }

  /** What a scan is streamed for is not what its types might take. */
  @Test
  void missingBytesAreThoseOfNarrowColumns() {
    List<List<@Nullable Object>> rows = new ArrayList<>();
    for (long i = 0; i < 1000; i++) {
      rows.add(Arrays.asList(i % 100, BigDecimal.valueOf(i % 100, 2)));
    }
    TestTable table =
        new TestTable(
            List.of(bounded(DataType.INT64, 0, 99), bounded(DataType.decimal(18, 2, false), 0, 99)),
            rows,
            64);
    CpuDevice host =
        new CpuDevice(1, new MemoryBudget("memory", 1 << 28), new CpuExpressionCompiler());
    try (DiscreteDevice narrow = new DiscreteDevice(0, budget, host, true)) {
      assertEquals(rows.size() * (4L + 1), narrow.missingBytes(table, List.of(0, 1)));
    }
  }

  @Test
  void chunksWithoutNullsBesideSomeWith() {
    List<List<@Nullable Object>> rows = rows(new Random(1), 200);
    TestTable table = new TestTable(SHAPES, rows, 64);
    Table someWithoutBits = new WithoutBits(table, 1);
    try (TableCache cache = new TableCache(memory, budget);
        Table.Pin pin = cache.pin(context, someWithoutBits, List.of(0))) {
      Column column = pin.chunks().getFirst().column(0);
      for (int i = 0; i < 200; i++) {
        boolean expected = i / 64 == 1 || rows.get(i).get(0) != null;
        assertEquals(expected, Mem.getBit(column.validity().address(), i), "row " + i);
      }
    }
  }

  /** A table that can be closed. */
  private static final class ClosingTable implements Table {
    private final Table table;
    private boolean closed;

    ClosingTable(Table table) {
      this.table = table;
    }

    @Override
    public String name() {
      return table.name();
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
    public Pin pin(List<Integer> columns) {
      return table.pin(columns);
    }

    @Override
    public boolean closed() {
      return closed;
    }
  }

  @Test
  void closedTablesAreDropped() {
    ClosingTable old = new ClosingTable(new TestTable(SHAPES, rows(new Random(2), 1000), 64));
    TestTable next = new TestTable(SHAPES, rows(new Random(3), 1000), 64);
    try (TableCache cache = new TableCache(memory, budget)) {
      Table.Pin used = cache.pin(context, old, List.of(0));
      cache.pin(context, old, List.of(1)).close();
      old.closed = true;
      cache.pin(context, next, List.of(0)).close();
      assertTrue(cache.holds(old, 0), "in use");
      assertFalse(cache.holds(old, 1));
      used.close();
      cache.pin(context, next, List.of(1)).close();
      assertFalse(cache.holds(old, 0));
      assertTrue(cache.holds(next, 0));
    }
  }

  @Test
  void loadedOnceAndDroppedWhenShort() {
    TestTable table = new TestTable(SHAPES, rows(new Random(2), 1000), 64);
    try (TableCache cache = new TableCache(memory, budget)) {
      cache.pin(context, table, List.of(0)).close();
      int copies = memory.copies.get();
      cache.pin(context, table, List.of(0)).close();
      assertEquals(copies, memory.copies.get());
      cache.pin(context, table, List.of(1)).close();
      cache.pin(context, table, List.of(0)).close();

      try (Table.Pin pin = cache.pin(context, table, List.of(2))) {
        long reserved = budget.limit() - budget.used() + 1;
        budget.reserve(reserved, "A query");
        assertTrue(cache.holds(table, 0), "used last");
        assertFalse(cache.holds(table, 1), "used longest ago");
        assertTrue(cache.holds(table, 2), "in use");
        budget.release(reserved);
        assertThrows(
            AragoniteException.class, () -> budget.reserve(budget.limit(), "A large query"));
        assertFalse(cache.holds(table, 0));
        assertTrue(cache.holds(table, 2), "in use");
        assertEquals(1000, read(pin).size());
      }
      assertEquals(cache.bytes() > 0, budget.used() > 0);
    }
  }

  @Test
  void tooLargeColumnIsNamedAndLeavesNothing() {
    TestTable table = new TestTable(SHAPES, rows(new Random(3), 2000), 64);
    MemoryBudget small = new MemoryBudget("gpuMemory", 2000);
    HostBlocks blocks = new HostBlocks(small);
    try (TableCache cache = new TableCache(blocks, small)) {
      AragoniteException error =
          assertThrows(AragoniteException.class, () -> cache.pin(context, table, List.of(2, 0)));
      assertEquals(ErrorCode.MEMORY_EXCEEDED, error.code());
      assertTrue(error.getMessage().contains("Column \"c"), error.getMessage());
      assertTrue(error.getMessage().contains("gpuMemory"), error.getMessage());
      assertFalse(cache.holds(table, 0));
    }
    assertEquals(0, small.used());
  }

  @Test
  void failedLoadIsTakenOverByTheNext() throws Exception {
    List<List<@Nullable Object>> rows = rows(new Random(4), 300);
    TestTable table = new TestTable(SHAPES, rows, 64);
    try (TableCache cache = new TableCache(memory, budget);
        ExecutorService threads = Executors.newFixedThreadPool(1);
        TestContext other = new TestContext(device)) {
      memory.gate = new CountDownLatch(1);
      Future<?> first =
          threads.submit(() -> {
            try (TestContext mine = new TestContext(device)) {
              memory.failing = true;
              cache.pin(mine, table, List.of(1)).close();
            }
          });
      while (!memory.waiting) {
        assertFalse(first.isDone(), "the load ended before it came to the gate");
        Thread.onSpinWait();
      }
      Thread waker =
          Thread.ofPlatform()
              .start(() -> {
                try {
                  Thread.sleep(50);
                } catch (InterruptedException e) {
                  throw new AssertionError(e);
                }
                memory.gate.countDown();
              });
      try (Table.Pin pin = cache.pin(other, table, List.of(1))) {
        assertEquals(rows.stream().map(row -> row.subList(1, 2)).toList(), read(pin));
      }
      waker.join();
      assertThrows(Exception.class, first::get);
    }
  }

  /** A table of which one chunk's first column has no validity bits. */
  private record WithoutBits(TestTable table, int chunk) implements Table {
    @Override
    public String name() {
      return table.name();
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
    public Pin pin(List<Integer> columns) {
      Pin pin = table.pin(columns);
      List<ColumnBatch> chunks = new ArrayList<>(pin.chunks());
      ColumnBatch old = chunks.get(chunk);
      Column c = old.column(0);
      chunks.set(
          chunk,
          new ColumnBatch(
              List.of(new Column(c.shape(), c.dataRows(), c.values(), c.offsets(), null, null)),
              old.rows()));
      return new Pin() {
        @Override
        public List<ColumnShape> shapes() {
          return pin.shapes();
        }

        @Override
        public List<ColumnBatch> chunks() {
          return chunks;
        }

        @Override
        public void close() {}
      };
    }
  }

  /** Blocks of host memory; can stop a load until it is let go on, and then fail it. */
  private static final class HostBlocks implements ColumnMemory {
    final NativeQueryMemory blocks;
    final AtomicInteger copies = new AtomicInteger();
    volatile CountDownLatch gate = new CountDownLatch(0);
    volatile boolean waiting;
    volatile boolean failing;

    HostBlocks(MemoryBudget budget) {
      blocks = new NativeQueryMemory(budget, 0);
    }

    @Override
    public Buffer allocate(ExecContext context, long bytes, String what) {
      try {
        return blocks.allocate(bytes);
      } catch (AragoniteException e) {
        throw new AragoniteException(e.code(), what + ": " + e.getMessage(), e);
      }
    }

    @Override
    public long taken(Buffer buffer) {
      return buffer.size();
    }

    @Override
    public void free(Buffer buffer) {
      blocks.free(buffer);
    }

    @Override
    public void toDevice(ExecContext context, List<Copy> pieces) {
      waiting = true;
      try {
        gate.await();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
      if (failing) {
        failing = false;
        throw new AragoniteException(ErrorCode.CANCELLED, "The test cancelled the loading query.");
      }
      for (Copy copy : pieces) {
        copies.incrementAndGet();
        Mem.copy(copy.host(), copy.device().address(), copy.device().size());
      }
    }

    @Override
    public void fill(ExecContext context, Buffer buffer, byte value) {
      Mem.fill(buffer.address(), buffer.size(), value);
    }

    @Override
    public void await(ExecContext context) {}
  }
}
