package io.aragonite.exec.join;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.aragonite.exec.Engine;
import io.aragonite.exec.QueryOptions;
import io.aragonite.exec.QueryResult;
import io.aragonite.exec.TestEngine;
import io.aragonite.exec.TestTable;
import io.aragonite.exec.column.ColumnShape;
import io.aragonite.exec.device.DiscreteDevice;
import io.aragonite.exec.device.cpu.CpuDevice;
import io.aragonite.exec.device.cpu.CpuExpressionCompiler;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.plan.AggregateCall;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.exec.plan.JoinType;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.PhysicalPlan.Aggregate;
import io.aragonite.exec.plan.PhysicalPlan.Join;
import io.aragonite.exec.plan.PhysicalPlan.JoinKey;
import io.aragonite.exec.type.DataType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Partitioned joins of a device with memory of its own, where all probe rows have a partner. */
class WholeJoinTest {
  private static final int BUILD_ROWS = 500;
  private static final int PROBE_ROWS = 120_000;
  private static final int PAYLOAD = 8;

  /**
   * Both sides have room in each of these memories, 8.6 MB of output beside them only in the first.
   */
  @Test
  void outputThatDoesNotFitIsNotMadeWhole() {
    for (long bytes : new long[] {64 << 20, 18 << 20, 14 << 20, 12 << 20, 10 << 20}) {
      MemoryBudget memory = new MemoryBudget("gpuMemory", bytes);
      MemoryBudget host = new MemoryBudget("memory", 256 << 20);
      CpuDevice cpu = new CpuDevice(1, host, new CpuExpressionCompiler());
      try (Engine engine = new Engine(new DiscreteDevice(memory, cpu));
          QueryResult result = engine.execute(plan(), QueryOptions.DEFAULT)) {
        List<@Nullable Object> row =
            TestEngine.rows(Objects.requireNonNull(result.next())).getFirst();
        assertEquals((long) PROBE_ROWS, row.get(0));
        long sum = 0;
        for (long i = 0; i < PROBE_ROWS; i++) {
          sum += i % BUILD_ROWS * 10 + PAYLOAD - 1;
        }
        assertEquals(sum, row.get(1));
      }
    }
  }

  private static PhysicalPlan plan() {
    ColumnShape word = ColumnShape.of(DataType.INT64);
    List<List<@Nullable Object>> build = new ArrayList<>();
    for (long i = 0; i < BUILD_ROWS; i++) {
      List<@Nullable Object> row = new ArrayList<>(List.of(i));
      for (long c = 0; c < PAYLOAD; c++) {
        row.add(i * 10 + c);
      }
      build.add(row);
    }
    List<List<@Nullable Object>> probe = new ArrayList<>();
    for (long i = 0; i < PROBE_ROWS; i++) {
      probe.add(List.of(i % BUILD_ROWS));
    }
    int columns = 2 + PAYLOAD;
    Join join =
        new Join(
            new TestTable(List.of(word), probe, 4096).scan(),
            new TestTable(Collections.nCopies(1 + PAYLOAD, word), build, 4096).scan(),
            JoinType.INNER,
            List.of(new JoinKey(0, 0, false)),
            null,
            JoinAlgorithm.PARTITIONED_HASH,
            false,
            IntStream.range(0, columns).mapToObj(c -> DataType.INT64).toList());
    return new Aggregate(
        join,
        List.of(),
        List.of(List.of()),
        List.of(
            AggregateCall.of(AggregateFunction.COUNT, DataType.INT64),
            AggregateCall.of(AggregateFunction.SUM, DataType.INT64, columns - 1)),
        false,
        List.of(DataType.INT64, DataType.INT64));
  }
}
