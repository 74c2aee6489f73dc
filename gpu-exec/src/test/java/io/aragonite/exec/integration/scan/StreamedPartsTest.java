package io.aragonite.exec.integration.scan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.device.DiscreteDevice;
import io.aragonite.exec.device.cpu.CpuDevice;
import io.aragonite.exec.device.cpu.CpuExpressionCompiler;
import io.aragonite.exec.engine.Engine;
import io.aragonite.exec.engine.TestEngine;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.MemoryLeaks;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.TestTable;
import io.aragonite.exec.runtime.BatchResult;
import io.aragonite.exec.runtime.QueryOptions;
import io.aragonite.exec.table.Table;
import io.aragonite.exec.testing.device.TestDevices;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tables of files that are read part by part, ahead of a device with memory of its own. */
class StreamedPartsTest {
  private static final int ROWS = 20_000;
  private static final int PART = 1024;

  private static final List<ColumnShape> SHAPES =
      List.of(
          ColumnShape.of(DataType.INT64),
          ColumnShape.of(DataType.INT64.withNullable(true)),
          ColumnShape.of(DataType.VARCHAR.withNullable(true)));

  private final MemoryBudget deviceMemory = new MemoryBudget("memory", 1 << 20);

  private static List<List<@Nullable Object>> rows() {
    List<List<@Nullable Object>> rows = new ArrayList<>();
    for (long i = 0; i < ROWS; i++) {
      rows.add(
          Arrays.asList(i, i % 7 == 0 ? null : (Object) (i * i), i % 11 == 0 ? null : "text " + i));
    }
    return rows;
  }

  /** A table whose chunks are parts. */
  private record PartTable(TestTable table, int fails, AtomicInteger reads) implements Table {
    @Override
    public String name() {
      return "parts";
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
    public Pin pin(List<Integer> columns) {
      throw new AssertionError("it is read part by part");
    }

    @Override
    public TableParts parts(List<Integer> columns, boolean always) {
      Pin all = table.pin(columns);
      return new TableParts() {
        @Override
        public List<ColumnShape> shapes() {
          return all.shapes();
        }

        @Override
        public int count() {
          return all.chunks().size();
        }

        @Override
        public List<ColumnBatch> read(int part, QueryMemory memory) {
          reads.incrementAndGet();
          if (part == fails) {
            throw new AragoniteException(ErrorCode.FILE_UNREADABLE, "part " + part + " is broken");
          }
          ColumnBatch from = all.chunks().get(part);
          List<Column> columns = new ArrayList<>();
          for (Column column : from.columns()) {
            Buffer validity = column.validity();
            columns.add(
                new Column(
                    column.shape(),
                    column.dataRows(),
                    copy(column.values(), memory),
                    copy(column.offsets(), memory),
                    validity == null ? null : copy(validity, memory),
                    null));
          }
          return List.of(new ColumnBatch(columns, from.rows()));
        }
      };
    }

    private static Buffer copy(Buffer from, QueryMemory memory) {
      if (from.address() == 0) {
        return from;
      }
      Buffer to = memory.allocate(from.size());
      Mem.copy(from.address(), to.address(), from.size());
      return to;
    }

    PhysicalPlan scan() {
      return new PhysicalPlan.Scan(this, List.of(0, 1, 2), columnTypes());
    }
  }

  private Engine engine(int hostThreads, MemoryBudget host) {
    return new Engine(
        TestDevices.name().equals("cuda")
            ? TestDevices.create(hostThreads, deviceMemory, 256, 256)
            : new DiscreteDevice(
                deviceMemory,
                new CpuDevice(hostThreads, host, new CpuExpressionCompiler(), 256, 256)));
  }

  @Test
  void allRowsComeWhateverTheMemory() {
    List<List<@Nullable Object>> rows = rows();
    for (int hostThreads : new int[] {1, 3}) {
      for (long bytes : new long[] {2 << 20, 64 << 20}) {
        MemoryBudget host = new MemoryBudget("memory", bytes);
        PartTable table = new PartTable(new TestTable(SHAPES, rows, PART), -1, new AtomicInteger());
        PhysicalPlan scan = table.scan();
        List<List<@Nullable Object>> found = new ArrayList<>();
        try (Engine engine = engine(hostThreads, host);
            BatchResult result = engine.execute(scan, QueryOptions.DEFAULT)) {
          for (ColumnBatch batch = result.next(); batch != null; batch = result.next()) {
            found.addAll(TestEngine.rows(batch));
          }
          String note = result.metrics().node(scan).note;
          assertTrue(note.contains("read ahead by " + hostThreads + " thread"), note);
        }
        assertEquals(TestEngine.counts(rows), TestEngine.counts(found));
        MemoryLeaks.assertReleased(deviceMemory);
        MemoryLeaks.assertReleased(host);
      }
    }
  }

  @Test
  void aPartThatCannotBeReadEndsTheQuery() {
    MemoryBudget host = new MemoryBudget("memory", 64 << 20);
    PartTable table = new PartTable(new TestTable(SHAPES, rows(), PART), 7, new AtomicInteger());
    try (Engine engine = engine(3, host)) {
      AragoniteException error =
          assertThrows(
              AragoniteException.class,
              () -> {
                try (BatchResult result = engine.execute(table.scan(), QueryOptions.DEFAULT)) {
                  while (result.next() != null) {
                    // Rows of the parts before.
                  }
                }
              });
      assertTrue(error.getMessage().contains("part 7"), error::getMessage);
    }
    MemoryLeaks.assertReleased(deviceMemory);
    MemoryLeaks.assertReleased(host);
  }

  /** What was read ahead is freed when nobody wants more rows. */
  @Test
  void aLimitEndsReading() {
    MemoryBudget host = new MemoryBudget("memory", 64 << 20);
    PartTable table = new PartTable(new TestTable(SHAPES, rows(), PART), -1, new AtomicInteger());
    PhysicalPlan limit =
        new PhysicalPlan.Sort(table.scan(), List.of(), null, new Expr.Literal(10L, DataType.INT64));
    try (Engine engine = engine(3, host);
        BatchResult result = engine.execute(limit, QueryOptions.DEFAULT)) {
      int rows = 0;
      for (ColumnBatch batch = result.next(); batch != null; batch = result.next()) {
        rows += batch.rows();
      }
      assertEquals(10, rows);
      assertTrue(table.reads.get() < 10, () -> table.reads + " parts were read");
    }
    MemoryLeaks.assertReleased(deviceMemory);
    MemoryLeaks.assertReleased(host);
  }
}
