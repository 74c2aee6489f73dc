package io.aragonite.exec.integration.scan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.device.DiscreteDevice;
import io.aragonite.exec.device.cpu.CpuDevice;
import io.aragonite.exec.device.cpu.CpuExpressionCompiler;
import io.aragonite.exec.engine.Engine;
import io.aragonite.exec.engine.TestEngine;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.MemoryLeaks;
import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.exec.plan.JoinType;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.TestTable;
import io.aragonite.exec.runtime.BatchResult;
import io.aragonite.exec.runtime.QueryOptions;
import io.aragonite.exec.testing.TestSeed;
import io.aragonite.exec.testing.device.TestDevices;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Tables that a device with memory of its own does not hold; where it is no GPU it copies as late
 * as it may: chunks of any size with texts, nulls or none, and what ends queries early.
 */
class StreamedScanTest {
  private static final DataType LONG = DataType.INT64;
  private static final DataType NULLABLE = DataType.INT64.withNullable(true);
  private static final DataType TEXT = DataType.VARCHAR.withNullable(true);

  private final MemoryBudget deviceMemory = new MemoryBudget("memory", 1_500_000);
  private final MemoryBudget hostMemory = new MemoryBudget("memory", 64 << 20);

  private Engine engine(int workers) {
    return new Engine(
        TestDevices.name().equals("cuda")
            ? TestDevices.create(workers, deviceMemory, 1024, 1024)
            : new DiscreteDevice(
                deviceMemory,
                new CpuDevice(workers, hostMemory, new CpuExpressionCompiler(), 1024, 1024)));
  }

  private static List<List<@Nullable Object>> rows(int count, Random random) {
    List<List<@Nullable Object>> rows = new ArrayList<>();
    for (long i = 0; i < count; i++) {
      // Nulls come in some chunks only.
      boolean nulls = i % 3000 > 2000;
      rows.add(
          Arrays.asList(
              i,
              nulls && random.nextBoolean() ? null : (Object) random.nextLong(),
              nulls && random.nextInt(4) == 0 ? null : "x".repeat(random.nextInt(9)) + i));
    }
    return rows;
  }

  private static TestTable table(List<List<@Nullable Object>> rows, int chunkRows) {
    return new TestTable(
        List.of(ColumnShape.of(LONG), ColumnShape.of(NULLABLE), ColumnShape.of(TEXT)),
        rows,
        chunkRows);
  }

  private List<List<@Nullable Object>> run(Engine engine, PhysicalPlan plan, PhysicalPlan scan) {
    List<List<@Nullable Object>> found = new ArrayList<>();
    try (BatchResult result = engine.execute(plan, QueryOptions.DEFAULT)) {
      for (ColumnBatch batch = result.next(); batch != null; batch = result.next()) {
        found.addAll(TestEngine.rows(batch));
      }
      String note = result.metrics().node(scan).note;
      assertTrue(note.contains("streamed to the device"), note);
    }
    released();
    return found;
  }

  private void released() {
    MemoryLeaks.assertReleased(deviceMemory);
    MemoryLeaks.assertReleased(hostMemory);
  }

  @Test
  void allRowsComeWhateverTheChunks() {
    long seed = TestSeed.seed();
    System.out.println("Repeat with -Dtest=StreamedScanTest -Daragonite.seed=" + seed);
    Random random = new Random(seed);
    for (int workers : new int[] {1, 2}) {
      for (int chunkRows : new int[] {960, 4096, 1 << 20}) {
        List<List<@Nullable Object>> rows = rows(25_000 + random.nextInt(100), random);
        PhysicalPlan scan = table(rows, chunkRows).scan();
        try (Engine engine = engine(workers)) {
          assertEquals(TestEngine.counts(rows), TestEngine.counts(run(engine, scan, scan)));
        }
        released();
      }
    }
  }

  /** A piece has no more bytes where texts are long than elsewhere. */
  @Test
  void longTextsInOnePlaceAreCutByBytes() {
    List<List<@Nullable Object>> rows = rows(40_000, new Random(7));
    for (int i = 12_000; i < 14_500; i++) {
      rows.set(i, Arrays.asList((long) i, null, "long ".repeat(250) + i));
    }
    // One text that is longer than a piece.
    rows.set(30_000, Arrays.asList(30_000L, null, "x".repeat(100_000)));
    for (int chunkRows : new int[] {960, 1 << 20}) {
      PhysicalPlan scan = table(rows, chunkRows).scan();
      try (Engine engine = engine(1)) {
        assertEquals(TestEngine.counts(rows), TestEngine.counts(run(engine, scan, scan)));
      }
      released();
    }
  }

  @Test
  void probesAndFiltersStream() {
    List<List<@Nullable Object>> rows = rows(25_000, new Random(5));
    PhysicalPlan scan = table(rows, 512).scan();
    PhysicalPlan few =
        new PhysicalPlan.Filter(
            table(rows.subList(0, 200), 512).scan(),
            Expr.call(Op.LT, DataType.BOOLEAN, Expr.ref(0, LONG), new Expr.Literal(100L, LONG)));
    PhysicalPlan join =
        new PhysicalPlan.Join(
            scan,
            few,
            JoinType.INNER,
            List.of(new PhysicalPlan.JoinKey(0, 0, false)),
            null,
            JoinAlgorithm.NON_PARTITIONED_HASH,
            false,
            List.of(LONG, NULLABLE, TEXT, LONG, NULLABLE, TEXT));
    List<List<@Nullable Object>> expected = new ArrayList<>();
    for (List<@Nullable Object> row : rows.subList(0, 100)) {
      List<@Nullable Object> joined = new ArrayList<>(row);
      joined.addAll(row);
      expected.add(joined);
    }
    try (Engine engine = engine(2)) {
      assertEquals(TestEngine.counts(expected), TestEngine.counts(run(engine, join, scan)));
    }
  }

  @Test
  void nothingIsLeftOfAQueryThatEndsEarly() {
    PhysicalPlan scan = table(rows(40_000, new Random(6)), 512).scan();
    for (int batches = 0; batches < 4; batches++) {
      try (Engine engine = engine(1);
          BatchResult result = engine.execute(scan, QueryOptions.DEFAULT)) {
        for (int i = 0; i < batches; i++) {
          assertNotNull(result.next());
        }
      }
      released();
    }
    PhysicalPlan limit =
        new PhysicalPlan.Sort(scan, List.of(), null, new Expr.Literal(1500L, LONG));
    try (Engine engine = engine(1)) {
      int count = 0;
      try (BatchResult result = engine.execute(limit, QueryOptions.DEFAULT)) {
        for (ColumnBatch batch = result.next(); batch != null; batch = result.next()) {
          count += batch.rows();
        }
      }
      assertEquals(1500, count);
      released();
    }
  }
}
