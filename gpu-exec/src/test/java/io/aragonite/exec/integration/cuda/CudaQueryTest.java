package io.aragonite.exec.integration.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.device.cuda.CudaDevice;
import io.aragonite.exec.device.cuda.HeldGpuMemory;
import io.aragonite.exec.device.cuda.TestGpu;
import io.aragonite.exec.engine.Engine;
import io.aragonite.exec.engine.TestEngine;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.MemoryLeaks;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.TestTable;
import io.aragonite.exec.runtime.BatchResult;
import io.aragonite.exec.runtime.QueryOptions;
import io.aragonite.exec.testing.TestSeed;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Queries on one GPU: beside each other, and when its memory is short. */
@Tag("gpu")
class CudaQueryTest {
  private static final long MEMORY = 1L << 30;

  private static final List<ColumnShape> SHAPES =
      List.of(
          ColumnShape.of(DataType.of(TypeKind.INT64, true)),
          ColumnShape.of(DataType.VARCHAR.withNullable(true)),
          ColumnShape.of(DataType.of(TypeKind.BOOLEAN, true)));

  private static TestTable table(Random random, int count) {
    List<List<@Nullable Object>> rows = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      rows.add(
          Arrays.asList(
              random.nextInt(5) == 0 ? null : random.nextLong(),
              random.nextInt(5) == 0 ? null : "x".repeat(random.nextInt(4)) + i,
              random.nextInt(3) == 0 ? null : random.nextBoolean()));
    }
    return new TestTable(SHAPES, rows, 1024);
  }

  private static List<List<@Nullable Object>> run(Engine engine, PhysicalPlan plan) {
    List<List<@Nullable Object>> rows = new ArrayList<>();
    try (BatchResult result = engine.execute(plan, QueryOptions.DEFAULT)) {
      for (ColumnBatch batch = result.next(); batch != null; batch = result.next()) {
        rows.addAll(TestEngine.rows(batch));
      }
    }
    return rows;
  }

  /** As if another process held it: memory that is taken beside the pool. */
  @Test
  void othersMayHoldMostOfTheMemory() {
    TestTable table = table(TestSeed.random(CudaQueryTest.class), 50_000);
    try (CudaDevice device = TestGpu.device(1L << 50);
        Engine engine = new Engine(device)) {
      var expected = TestEngine.counts(run(engine, table.scan()));
      try (HeldGpuMemory others = new HeldGpuMemory(device, 512L << 20);
          QueryMemory memory = device.newQueryMemory(0)) {
        AragoniteException error =
            assertThrows(AragoniteException.class, () -> memory.allocate(2L << 30));
        assertEquals(ErrorCode.MEMORY_EXCEEDED, error.code());
        assertEquals(expected, TestEngine.counts(run(engine, table.scan())), "a small query");
      }
      try (QueryMemory memory = device.newQueryMemory(0)) {
        memory.allocate(2L << 30);
      }
      MemoryLeaks.assertReleased(device.memory());
    }
  }

  @Test
  void secondQueryBringsNothing() {
    TestTable table = table(TestSeed.random(CudaQueryTest.class), 50_000);
    try (TestEngine host = new TestEngine(2, 4096);
        CudaDevice device = TestGpu.device(MEMORY);
        Engine engine = new Engine(device)) {
      List<List<@Nullable Object>> expected = host.run(table.scan());
      try (BatchResult result = engine.execute(table.scan(), QueryOptions.DEFAULT)) {
        while (result.next() != null) {}
        assertTrue(result.metrics().usage().toDeviceBytes() > 50_000 * 8);
      }
      try (BatchResult result = engine.execute(table.scan(), QueryOptions.DEFAULT)) {
        List<List<@Nullable Object>> rows = new ArrayList<>();
        for (ColumnBatch batch = result.next(); batch != null; batch = result.next()) {
          rows.addAll(TestEngine.rows(batch));
        }
        assertEquals(TestEngine.counts(expected), TestEngine.counts(rows));
        assertTrue(
            result.metrics().usage().toDeviceBytes() < 50_000, result.metrics().usage().toString());
      }
      assertEquals(device.tables().bytes() > 0, device.memory().used() > 0);
      MemoryLeaks.assertReleased(device.memory());
    }
  }

  @Test
  void columnsThatDoNotFitTogetherTakeTurns() {
    Random random = TestSeed.random(CudaQueryTest.class);
    List<TestTable> tables = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      tables.add(table(random, 20_000));
    }
    // Three tables of some 600 kB and what a query needs.
    try (CudaDevice device = TestGpu.device(24 << 20);
        Engine engine = new Engine(device)) {
      for (int round = 0; round < 30; round++) {
        TestTable table = tables.get(random.nextInt(tables.size()));
        assertEquals(table.rows(), run(engine, table.scan()).size());
      }
      MemoryLeaks.assertReleased(device.memory());
    }
  }

  @Test
  void queriesBesideEachOther() throws Exception {
    Random random = TestSeed.random(CudaQueryTest.class);
    TestTable table = table(random, 30_000);
    try (CudaDevice device = TestGpu.device(MEMORY);
        Engine engine = new Engine(device);
        ExecutorService threads = Executors.newFixedThreadPool(8)) {
      var expected = TestEngine.counts(run(engine, table.scan()));
      List<Future<?>> runs = new ArrayList<>();
      for (int i = 0; i < 32; i++) {
        runs.add(
            threads.submit(
                () -> assertEquals(expected, TestEngine.counts(run(engine, table.scan())))));
      }
      for (Future<?> run : runs) {
        run.get();
      }
      MemoryLeaks.assertReleased(device.memory());
    }
  }
}
