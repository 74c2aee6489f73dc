package io.aragonite.exec.integration.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.device.cuda.CudaDevice;
import io.aragonite.exec.device.cuda.EmulatedDriver;
import io.aragonite.exec.device.cuda.TestGpu;
import io.aragonite.exec.engine.Engine;
import io.aragonite.exec.memory.MemoryDebug;
import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.exec.plan.JoinType;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.SortKey;
import io.aragonite.exec.plan.TestTable;
import io.aragonite.exec.runtime.BatchResult;
import io.aragonite.exec.runtime.QueryOptions;
import io.aragonite.exec.testing.TestSeed;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A query that has run before asks the driver for nothing that takes long, or waits for what other
 * queries do on the GPU: streams, events, page-locked memory, code.
 */
@Tag("gpu")
class CudaWarmQueryTest {
  private static final int ROWS = 150_000;

  private static TestTable table(int rows, Random random) {
    List<List<Object>> all = new ArrayList<>();
    for (int i = 0; i < rows; i++) {
      all.add(List.of((long) i, (long) random.nextInt(1000)));
    }
    return new TestTable(
        List.of(ColumnShape.of(DataType.INT64), ColumnShape.of(DataType.INT64)), all, 1 << 16);
  }

  private static long rows(Engine engine, PhysicalPlan plan) {
    long rows = 0;
    try (BatchResult result = engine.execute(plan, QueryOptions.DEFAULT)) {
      for (ColumnBatch batch = result.next(); batch != null; batch = result.next()) {
        rows += batch.rows();
      }
    }
    return rows;
  }

  @Test
  void asksTheDriverForNothingHeavy() {
    EmulatedDriver.require();
    Assumptions.assumeFalse(MemoryDebug.ON, "no block is kept with aragonite.memory.debug");
    Random random = TestSeed.random(getClass());
    PhysicalPlan all = table(ROWS, random).scan();
    PhysicalPlan joined =
        new PhysicalPlan.Join(
            table(100, random).scan(),
            table(ROWS, random).scan(),
            JoinType.INNER,
            List.of(new PhysicalPlan.JoinKey(0, 1, false)),
            null,
            JoinAlgorithm.NON_PARTITIONED_HASH,
            true,
            LongStream.range(0, 4).mapToObj(i -> DataType.INT64).toList());
    PhysicalPlan sorted =
        new PhysicalPlan.Sort(
            table(1000, random).scan(), List.of(new SortKey(1, true, false)), null, null);
    List<PhysicalPlan> plans = List.of(all, joined, sorted);
    try (CudaDevice device = TestGpu.device(1 << 30);
        Engine engine = new Engine(device)) {
      List<Long> before = plans.stream().map(plan -> rows(engine, plan)).toList();
      assertEquals(ROWS, before.getFirst());
      assertTrue(before.get(1) > ROWS / 20);
      assertEquals(1000, before.getLast());
      // Results of more than a megabyte, which come through page-locked memory.
      assertTrue(EmulatedDriver.pinnedBytes() > 16L * ROWS);
      long calls = EmulatedDriver.heavyCalls();
      for (int time = 0; time < 3; time++) {
        assertEquals(before, plans.stream().map(plan -> rows(engine, plan)).toList());
        assertEquals(calls, EmulatedDriver.heavyCalls(), "in run " + (time + 2));
      }
    }
  }
}
