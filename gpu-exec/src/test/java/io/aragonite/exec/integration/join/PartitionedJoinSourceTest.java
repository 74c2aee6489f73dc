package io.aragonite.exec.integration.join;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.device.DiscreteDevice;
import io.aragonite.exec.device.cpu.CpuDevice;
import io.aragonite.exec.device.cpu.CpuExpressionCompiler;
import io.aragonite.exec.engine.Engine;
import io.aragonite.exec.engine.TestEngine;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.plan.AggregateCall;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.exec.plan.JoinType;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.PhysicalPlan.Aggregate;
import io.aragonite.exec.plan.PhysicalPlan.Join;
import io.aragonite.exec.plan.PhysicalPlan.JoinKey;
import io.aragonite.exec.plan.TestTable;
import io.aragonite.exec.runtime.BatchResult;
import io.aragonite.exec.runtime.QueryOptions;
import io.aragonite.exec.testing.TestSeed;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Partitioned joins of a device with memory of its own, where all probe rows have a partner. */
class PartitionedJoinSourceTest {
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
          BatchResult result = engine.execute(plan(), QueryOptions.DEFAULT)) {
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

  /**
   * Whole joins with unique and with repeated keys, whose rows are read batch by batch, cut off by
   * a LIMIT, or are the build or the probe side of the next; keys of which some are null, joined as
   * equal ones or not.
   */
  @Test
  void resultsAreUsedInAnyWay() {
    Random random = TestSeed.random(PartitionedJoinSourceTest.class);
    for (int round = 0; round < 24; round++) {
      boolean nulls = round % 2 == 0;
      boolean nullSafe = round % 4 == 0;
      boolean repeated = round % 3 != 0;
      DataType type = DataType.INT32.withNullable(nulls);
      List<List<@Nullable Object>> build = keyed(random, 300, repeated ? 60 : 0, nulls);
      List<List<@Nullable Object>> probe = keyed(random, 2000, 400, nulls);
      PhysicalPlan left = table(type, build);
      PhysicalPlan right = table(type, probe);
      Join join = join(left, right, 0, 0, nullSafe, random.nextBoolean());
      Map<List<@Nullable Object>, Integer> all =
          TestEngine.counts(pairs(build, probe, 0, 0, nullSafe));
      Join next = join(join, right, 0, 0, nullSafe, random.nextBoolean());
      List<List<@Nullable Object>> twice =
          pairs(pairs(build, probe, 0, 0, nullSafe), probe, 0, 0, nullSafe);
      int limit = random.nextInt(200);
      Expr some = Expr.literal((long) limit, DataType.INT64);
      MemoryBudget memory = new MemoryBudget("gpuMemory", 256 << 20);
      MemoryBudget host = new MemoryBudget("memory", 256 << 20);
      CpuDevice cpu =
          new CpuDevice(
              1 + random.nextInt(2),
              host,
              new CpuExpressionCompiler(),
              64,
              random.nextInt(3) * 64 + 64);
      String what = "round " + round;
      try (Engine engine = new Engine(new DiscreteDevice(memory, cpu))) {
        assertEquals(all, TestEngine.counts(rows(engine, join)), what);
        assertEquals(TestEngine.counts(twice), TestEngine.counts(rows(engine, next)), what);
        List<List<@Nullable Object>> cut =
            rows(engine, new PhysicalPlan.Sort(join, List.of(), null, some));
        int pairs = all.values().stream().mapToInt(Integer::intValue).sum();
        assertEquals(Math.min(limit, pairs), cut.size(), what);
        TestEngine.counts(cut)
            .forEach((row, count) -> assertTrue(all.getOrDefault(row, 0) >= count, what));
      }
    }
  }

  private static List<List<@Nullable Object>> rows(Engine engine, PhysicalPlan plan) {
    List<List<@Nullable Object>> rows = new ArrayList<>();
    try (BatchResult result = engine.execute(plan, QueryOptions.DEFAULT)) {
      for (ColumnBatch batch = result.next(); batch != null; batch = result.next()) {
        rows.addAll(TestEngine.rows(batch));
      }
    }
    return rows;
  }

  /** Rows of a key and a number; keys are random ones of {@code distinct}, or unique for 0. */
  private static List<List<@Nullable Object>> keyed(
      Random random, int count, int distinct, boolean nulls) {
    List<List<@Nullable Object>> rows = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      boolean isNull = nulls && random.nextInt(50) == 0;
      Object key = (long) (distinct == 0 ? i : random.nextInt(distinct));
      rows.add(Arrays.asList(isNull ? null : key, (long) i));
    }
    return rows;
  }

  private static PhysicalPlan table(DataType key, List<List<@Nullable Object>> rows) {
    return new TestTable(List.of(ColumnShape.of(key), ColumnShape.of(DataType.INT64)), rows, 512)
        .scan();
  }

  private static Join join(
      PhysicalPlan left,
      PhysicalPlan right,
      int leftKey,
      int rightKey,
      boolean nullSafe,
      boolean buildLeft) {
    List<DataType> types = new ArrayList<>(left.types());
    types.addAll(right.types());
    return new Join(
        left,
        right,
        JoinType.INNER,
        List.of(new JoinKey(leftKey, rightKey, nullSafe)),
        null,
        JoinAlgorithm.PARTITIONED_HASH,
        buildLeft,
        types);
  }

  private static List<List<@Nullable Object>> pairs(
      List<List<@Nullable Object>> left,
      List<List<@Nullable Object>> right,
      int leftKey,
      int rightKey,
      boolean nullSafe) {
    Map<@Nullable Object, List<List<@Nullable Object>>> byKey = new HashMap<>();
    right.forEach(row -> byKey.computeIfAbsent(row.get(rightKey), k -> new ArrayList<>()).add(row));
    List<List<@Nullable Object>> pairs = new ArrayList<>();
    for (List<@Nullable Object> l : left) {
      if (l.get(leftKey) == null && !nullSafe) {
        continue;
      }
      for (List<@Nullable Object> r : byKey.getOrDefault(l.get(leftKey), List.of())) {
        List<@Nullable Object> pair = new ArrayList<>(l);
        pair.addAll(r);
        pairs.add(pair);
      }
    }
    return pairs;
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
