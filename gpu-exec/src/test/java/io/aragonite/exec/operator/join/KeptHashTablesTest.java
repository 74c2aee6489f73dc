package io.aragonite.exec.operator.join;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.aragonite.exec.device.DerivedCache;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.HashTable;
import io.aragonite.exec.device.MovedColumn;
import io.aragonite.exec.device.ProbeCursor;
import io.aragonite.exec.device.ProbeWords;
import io.aragonite.exec.device.RawColumnMemory;
import io.aragonite.exec.device.TestContext;
import io.aragonite.exec.device.cpu.CpuDevice;
import io.aragonite.exec.device.cpu.CpuExpressionCompiler;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.RawMemory;
import io.aragonite.exec.plan.TestTable;
import io.aragonite.exec.spill.QuerySpill;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a query that keeps a hash table for others holds and waits for, also where it fails. */
class KeptHashTablesTest {
  private static final long BYTES = 1 << 20;

  private final CpuDevice device =
      new CpuDevice(1, new MemoryBudget("memory", BYTES), new CpuExpressionCompiler());
  private final TestContext context = new TestContext(device);
  private final MemoryBudget budget = new MemoryBudget("kept", BYTES);
  private final DerivedCache cache =
      new DerivedCache(new RawColumnMemory(budget, RawMemory.HOST), budget);
  private final TestTable of =
      new TestTable(List.of(ColumnShape.of(DataType.INT64)), List.of(List.of(1L)), 64);

  @AfterEach
  void close() {
    cache.close();
    assertEquals(0, budget.used());
    context.close();
    device.close();
  }

  /** A table that makes one of its buffers when they are asked for, as those for lookups are. */
  private static class LazyTable implements HashTable {
    private final long bytes;
    private boolean closed;

    LazyTable(long bytes) {
      this.bytes = bytes;
    }

    @Override
    public List<Buffer> buffers(ExecContext context) {
      return List.of(context.memory().allocate(bytes));
    }

    @Override
    public HashTable over(List<Buffer> copies) {
      return new LazyTable(bytes);
    }

    @Override
    public int rows() {
      return 0;
    }

    @Override
    public int distinct() {
      return 0;
    }

    @Override
    public int maxMultiplicity() {
      return 0;
    }

    @Override
    public void lookup(ExecContext context, ProbeWords words, Buffer outRows) {
      throw new UnsupportedOperationException();
    }

    @Override
    public int probe(
        ExecContext context,
        ProbeWords words,
        ProbeCursor cursor,
        Buffer outProbe,
        Buffer outBuild,
        int capacity) {
      throw new UnsupportedOperationException();
    }

    @Override
    public int fetch(
        ExecContext context, Buffer words, int wordBytes, int count, List<MovedColumn> columns) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void close() {
      closed = true;
    }
  }

  private QuerySpill query() {
    return new QuerySpill(device, context.memory(), context.memory(), 0, null);
  }

  /** The query ends its use of what is kept although its own table does not close. */
  @Test
  void theUseEndsWhereTheOwnTableFailsToClose() throws Exception {
    LazyTable own =
        new LazyTable(100) {
          @Override
          public void close() {
            throw new IllegalStateException("does not close");
          }
        };
    List<AutoCloseable> later = new ArrayList<>();
    try (QuerySpill spill = query()) {
      assertThrows(
          IllegalStateException.class,
          () ->
              KeptHashTables.replace(
                  new KeyIndex.HashIndex(own, Long.BYTES, true),
                  () -> KeptHashTables.keep(context, spill, cache, of, "key", own),
                  later::add));
      spill.leave();
    }
    for (AutoCloseable use : later) {
      use.close();
    }
    budget.reclaim(BYTES);
    assertEquals(0, budget.used(), "what nobody uses can be had");
  }

  @Test
  void theOwnTableGoesWhereAnotherIsKeptOrThatFails() throws Exception {
    LazyTable own = new LazyTable(100);
    KeyIndex.HashIndex index = new KeyIndex.HashIndex(own, Long.BYTES, true);
    assertNull(KeptHashTables.replace(index, () -> null, use -> {}));
    assertEquals(false, own.closed, "it is gone on with");
    List<DerivedCache.CacheUse> uses = new ArrayList<>();
    try (QuerySpill spill = query()) {
      KeyIndex.HashIndex kept =
          KeptHashTables.replace(
              index, () -> KeptHashTables.keep(context, spill, cache, of, "key", own), uses::add);
      assertNotNull(kept);
      assertSame(uses.getFirst().value(), kept.table());
      assertEquals(true, own.closed);
      uses.getFirst().close();
      spill.leave();
    }
    LazyTable failing = new LazyTable(100);
    assertThrows(
        IllegalStateException.class,
        () ->
            KeptHashTables.replace(
                new KeyIndex.HashIndex(failing, Long.BYTES, true),
                () -> {
                  throw new IllegalStateException();
                },
                use -> {}));
    assertEquals(true, failing.closed);
  }

  /** Others wait for it, and it has a table of its own: it goes on with that. */
  @Test
  void nobodyWaitsForMemoryToKeepATable() {
    QuerySpill other = query();
    try (QuerySpill spill = query()) {
      spill.watch(context, true);
      device.memory().reserve(BYTES - device.memory().used(), "Another query");
      // It would find that it is cancelled as it waits.
      context.cancel();
      assertNull(KeptHashTables.keep(context, spill, cache, of, "key", new LazyTable(BYTES / 2)));
      spill.leave();
    } finally {
      device.memory().release(BYTES - context.memory().used());
      other.leave();
      other.close();
    }
  }
}
