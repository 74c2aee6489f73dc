package io.aragonite.exec.integration.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.device.PackedKeys;
import io.aragonite.exec.device.TestContext;
import io.aragonite.exec.engine.TestEngine;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorKind;
import io.aragonite.exec.memory.FailingBudget;
import io.aragonite.exec.operator.Partitioner;
import io.aragonite.exec.pipeline.BatchConsumer;
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
import io.aragonite.exec.runtime.QueryMetrics;
import io.aragonite.exec.runtime.QueryOptions;
import io.aragonite.exec.spill.QuerySpill;
import io.aragonite.exec.spill.RowBlock;
import io.aragonite.exec.spill.SpillableRowCollection;
import io.aragonite.exec.testing.TestSeed;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.IntFunction;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Joins by a 4-byte key whose rows leave a device without the bits that their part says. */
class PackedRunsTest {
  private static final DataType INT = DataType.INT32;

  private static final DataType SUM = DataType.INT64.withNullable(true);

  @TempDir Path folder;

  private final Random random = TestSeed.random(PackedRunsTest.class);

  @BeforeEach
  void packsSmallRuns() {
    System.setProperty("aragonite.spill.packedRows", "500");
  }

  @AfterEach
  void packsAsUsual() {
    System.clearProperty("aragonite.spill.packedRows");
    System.clearProperty("aragonite.spill.parts");
  }

  private static PhysicalPlan table(int rows, IntUnaryOperator key) {
    return table(rows, INT, i -> (long) key.applyAsInt(i));
  }

  private static PhysicalPlan table(int rows, DataType type, IntFunction<@Nullable Long> key) {
    List<List<@Nullable Object>> all = new ArrayList<>();
    for (int i = 0; i < rows; i++) {
      all.add(Arrays.asList(key.apply(i), i % 100L, (long) i));
    }
    List<ColumnShape> shapes =
        List.of(ColumnShape.of(type), ColumnShape.of(INT), ColumnShape.of(DataType.INT64));
    return new TestTable(shapes, all, 1024).scan();
  }

  /** Rows, and the sums of all columns of a join. */
  private PhysicalPlan plan(JoinType type, int rows) {
    int[] keys = random.ints(rows).toArray();
    // Some keys twice, and one that a third of the probe side has.
    PhysicalPlan build = table(rows, i -> keys[i % 10 == 0 ? i / 2 : i]);
    PhysicalPlan probe = table(rows, i -> i % 3 == 0 ? keys[5] : keys[i] + (i % 7 == 0 ? 1 : 0));
    return plan(type, probe, build, INT);
  }

  private static PhysicalPlan plan(
      JoinType type, PhysicalPlan probe, PhysicalPlan build, DataType key) {
    boolean pairs = type != JoinType.SEMI && type != JoinType.ANTI;
    List<DataType> types = new ArrayList<>(List.of(key, INT, DataType.INT64));
    if (pairs) {
      types.addAll(List.of(key, INT, DataType.INT64));
    }
    if (type == JoinType.FULL) {
      types.replaceAll(t -> t.withNullable(true));
    }
    Join join =
        new Join(
            probe,
            build,
            type,
            List.of(new JoinKey(0, 0, false)),
            null,
            JoinAlgorithm.NON_PARTITIONED_HASH,
            false,
            types);
    List<AggregateCall> calls = new ArrayList<>();
    List<DataType> sums = new ArrayList<>();
    calls.add(AggregateCall.of(AggregateFunction.COUNT, DataType.INT64));
    sums.add(DataType.INT64);
    for (int i = 0; i < types.size(); i++) {
      calls.add(AggregateCall.of(AggregateFunction.SUM, SUM, i));
      sums.add(SUM);
    }
    return new Aggregate(join, List.of(), List.of(List.of()), calls, false, sums);
  }

  private List<List<@Nullable Object>> expected(PhysicalPlan plan) {
    try (SpillMachine machine = new SpillMachine(true, 1L << 30, folder, Long.MAX_VALUE)) {
      return machine.run(plan);
    }
  }

  @Test
  void answersAreTheSame() {
    for (JoinType type :
        List.of(JoinType.INNER, JoinType.FULL, JoinType.LEFT, JoinType.SEMI, JoinType.ANTI)) {
      PhysicalPlan plan = plan(type, 80_000);
      List<List<@Nullable Object>> expected = expected(plan);
      for (String parts : List.of("table", "partitioned")) {
        System.setProperty("aragonite.spill.parts", parts);
        Map<String, Long> figures = check(expected, plan, 6 << 20, type + ", " + parts);
        assertTrue(figures.containsKey("partitions with packed keys"), type + ", " + parts);
      }
    }
  }

  /** Runs a join with little memory, and gives back its figures. */
  private Map<String, Long> check(
      List<List<@Nullable Object>> expected, PhysicalPlan plan, long memory, String what) {
    try (SpillMachine machine = new SpillMachine(true, memory, 16 << 20, folder, Long.MAX_VALUE)) {
      List<List<@Nullable Object>> rows = new ArrayList<>();
      QueryMetrics metrics;
      try (BatchResult result = machine.engine.execute(plan, QueryOptions.DEFAULT)) {
        for (ColumnBatch batch = result.next(); batch != null; batch = result.next()) {
          rows.addAll(TestEngine.rows(batch));
        }
        metrics = result.metrics();
      }
      assertEquals(expected, rows, what);
      machine.assertReleased();
      return metrics.node(plan.inputs().getFirst()).figures;
    }
  }

  /** Keys of 8 bytes and those that may be null leave whole: no place says all of them. */
  @Test
  void otherKeysLeaveWhole() {
    int rows = 80_000;
    long[] keys = random.longs(rows, -1L << 40, 1L << 40).toArray();
    Map<DataType, IntFunction<@Nullable Long>> cases =
        Map.of(
            DataType.INT64,
            i -> keys[i],
            INT.withNullable(true),
            i -> i % 5 == 0 ? null : (Long) (long) (int) keys[i]);
    cases.forEach((type, key) -> {
      PhysicalPlan probe = table(rows, type, i -> key.apply((i * 7) % rows));
      PhysicalPlan plan = plan(JoinType.INNER, probe, table(rows, type, key), type);
      Map<String, Long> figures = check(expected(plan), plan, 6 << 20, type.toString());
      assertTrue(figures.containsKey("partitions"), type + " was not put aside: " + figures);
      assertFalse(figures.containsKey("partitions with packed keys"), type + ": " + figures);
    });
  }

  /** Rows of a part are the same from the device, from the host, and from a file. */
  @Test
  void partsComeBack() {
    int rows = 3000;
    int[] keys = random.ints(rows).toArray();
    int bits = 3;
    try (SpillMachine machine = new SpillMachine(true, 8 << 20, 16 << 20, folder, Long.MAX_VALUE);
        TestContext context = new TestContext(machine.engine.device())) {
      for (int moves = 0; moves < 3; moves++) {
        try (QuerySpill query =
            new QuerySpill(context.device(), context.memory(), context.hostMemory(), 0, null)) {
          List<ColumnShape> shapes = List.of(ColumnShape.of(DataType.INT64), ColumnShape.of(INT));
          List<SpillableRowCollection> parts = new ArrayList<>();
          for (int i = 0; i < 1 << bits; i++) {
            parts.add(query.newRowCollection(shapes, new QueryMetrics.NodeMetrics()));
          }
          Partitioner partitioner =
              new Partitioner(
                  parts, Partitioner.PartitionWords.places(1), Integer.SIZE - bits, bits);
          List<Long> numbers = LongStream.range(0, rows).boxed().toList();
          List<Long> boxed = IntStream.of(keys).asLongStream().boxed().toList();
          BatchConsumer worker = partitioner.newWorker(context);
          List<Column> columns =
              List.of(context.column(shapes.get(0), numbers), context.column(shapes.get(1), boxed));
          worker.accept(new ColumnBatch(columns, rows));
          worker.finish();
          for (int part = 0; part < parts.size(); part++) {
            SpillableRowCollection collection = parts.get(part);
            for (RowBlock block : collection.blocks()) {
              if (moves > 0) {
                block.leaveDevice(context);
              }
              if (moves > 1) {
                block.evict(false);
              }
            }
            assertEquals(moves > 1, machine.space.used() > 0, "bytes in files");
            ColumnBatch read = collection.gather(context);
            Map<Long, Long> found = new HashMap<>();
            for (int i = 0; i < read.rows(); i++) {
              Object number = context.value(read.column(0), i);
              found.put((Long) number, (Long) context.value(read.column(1), i));
            }
            Map<Long, Long> expected = new HashMap<>();
            for (int i = 0; i < rows; i++) {
              if (PackedKeys.place(keys[i]) >>> (Integer.SIZE - bits) == part) {
                expected.put((long) i, (long) keys[i]);
              }
            }
            assertEquals(expected, found);
          }
        }
      }
    }
  }

  @Test
  void anyAllocationMayFail() {
    PhysicalPlan plan = plan(JoinType.INNER, 60_000);
    List<List<@Nullable Object>> expected = expected(plan);
    System.setProperty("aragonite.spill.parts", "partitioned");
    try (SpillMachine machine = new SpillMachine(true, 6 << 20, 16 << 20, folder, Long.MAX_VALUE)) {
      for (FailingBudget budget : List.of(machine.memory, machine.hostMemory)) {
        for (long n = 1; ; n += 1 + n / 2) {
          budget.failAllocation(n);
          try {
            assertEquals(expected, machine.run(plan));
            if (budget.failsLater()) {
              assertTrue(n > 100, "only " + n + " allocations");
              break;
            }
          } catch (AragoniteException e) {
            assertEquals(ErrorKind.RESOURCES, e.kind(), e::getMessage);
            budget.failAllocation(0);
            assertEquals(expected, machine.run(plan), "after a failure");
          } finally {
            budget.failAllocation(0);
          }
        }
      }
    }
  }
}
