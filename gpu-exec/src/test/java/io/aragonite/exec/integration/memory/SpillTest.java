package io.aragonite.exec.integration.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.aragonite.exec.engine.TestEngine;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.error.ErrorKind;
import io.aragonite.exec.memory.FailingBudget;
import io.aragonite.exec.plan.AggregateCall;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.exec.plan.JoinType;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.PhysicalPlan.Aggregate;
import io.aragonite.exec.plan.PhysicalPlan.Join;
import io.aragonite.exec.plan.PhysicalPlan.JoinKey;
import io.aragonite.exec.plan.PhysicalPlan.SetOperation;
import io.aragonite.exec.plan.PhysicalPlan.Sort;
import io.aragonite.exec.plan.PhysicalPlan.Window;
import io.aragonite.exec.plan.SortKey;
import io.aragonite.exec.plan.TestTable;
import io.aragonite.exec.plan.WindowCall;
import io.aragonite.exec.plan.WindowCall.Function;
import io.aragonite.exec.plan.WindowFrame;
import io.aragonite.exec.plan.WindowFrame.Exclude;
import io.aragonite.exec.plan.WindowFrame.FrameBound;
import io.aragonite.exec.plan.WindowFrame.FrameBoundKind;
import io.aragonite.exec.runtime.BatchResult;
import io.aragonite.exec.runtime.QueryMetrics;
import io.aragonite.exec.runtime.QueryOptions;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Queries in too little memory: their answers, what they leave behind when they fail at any
 * allocation or the disk does, and the spill folder.
 */
class SpillTest {
  private static final DataType TEXT = DataType.VARCHAR.withNullable(true);
  private static final DataType LONG = DataType.INT64.withNullable(true);
  private static final int ROWS = 60_000;
  private static final boolean EVERY = Boolean.getBoolean("aragonite.faults.every");

  /** Less than the rows take, and more than the batches of two workers. */
  private static final long LITTLE = 1_800_000;

  @TempDir Path folder;

  private static PhysicalPlan table(int rows) {
    List<List<@Nullable Object>> all = new ArrayList<>();
    for (long i = 0; i < rows; i++) {
      List<@Nullable Object> row = new ArrayList<>();
      // Keys in no order, some more often than others, some null.
      row.add(i % 97 == 0 ? null : Long.valueOf(i * 7919 % rows));
      row.add("text " + i * 31 % rows);
      all.add(row);
    }
    return new TestTable(List.of(ColumnShape.of(LONG), ColumnShape.of(TEXT)), all, 1024).scan();
  }

  /** Rows that stay in one piece when they are partitioned on a device with memory of its own. */
  private static PhysicalPlan numbers(int rows) {
    List<List<@Nullable Object>> all = new ArrayList<>();
    for (long i = 0; i < rows; i++) {
      all.add(List.of(i * 7919 % rows, i));
    }
    ColumnShape shape = ColumnShape.of(DataType.INT64);
    return new TestTable(List.of(shape, shape), all, 1024).scan();
  }

  /** Of each operator that spills. */
  static Map<String, PhysicalPlan> plans(int rows) {
    Map<String, PhysicalPlan> plans = new LinkedHashMap<>();
    PhysicalPlan table = table(rows);
    plans.put(
        "join",
        new Join(
            table,
            table(rows / 2),
            JoinType.FULL,
            List.of(new JoinKey(0, 0, false)),
            null,
            JoinAlgorithm.NON_PARTITIONED_HASH,
            true,
            List.of(LONG, TEXT, LONG, TEXT)));
    plans.put(
        "numbers",
        new Join(
            numbers(rows),
            numbers(2 * rows),
            JoinType.INNER,
            List.of(new JoinKey(0, 0, false)),
            null,
            JoinAlgorithm.NON_PARTITIONED_HASH,
            false,
            List.of(DataType.INT64, DataType.INT64, DataType.INT64, DataType.INT64)));
    plans.put(
        "sort",
        new Sort(
            table, List.of(new SortKey(1, true, false), new SortKey(0, false, true)), null, null));
    addAggregates(plans, table);
    plans.put(
        "distinct",
        new SetOperation(
            SetOperation.SetOperationKind.UNION,
            false,
            List.of(table, table(rows / 3)),
            List.of(LONG, TEXT)));
    plans.put(
        "window",
        new Window(
            table,
            List.of(),
            List.of(new SortKey(1, true, false)),
            new WindowFrame(
                true,
                new FrameBound(FrameBoundKind.UNBOUNDED_PRECEDING, null),
                new FrameBound(FrameBoundKind.CURRENT_ROW, null),
                Exclude.NO_OTHERS),
            List.of(
                new WindowCall(
                    Function.AGGREGATE,
                    AggregateCall.of(AggregateFunction.SUM, LONG, 0),
                    List.of(),
                    false,
                    LONG),
                new WindowCall(Function.RANK, null, List.of(), false, DataType.INT64))));
    return plans;
  }

  private static void addAggregates(Map<String, PhysicalPlan> plans, PhysicalPlan table) {
    plans.put(
        "groups",
        new Aggregate(
            table,
            List.of(1),
            List.of(List.of(0)),
            List.of(
                AggregateCall.of(AggregateFunction.SUM, LONG, 0),
                AggregateCall.of(AggregateFunction.COUNT, DataType.INT64)),
            false,
            List.of(TEXT, LONG, DataType.INT64)));
    AggregateCall count = AggregateCall.of(AggregateFunction.COUNT, DataType.INT64, 1);
    AggregateCall sum = AggregateCall.of(AggregateFunction.SUM, LONG, 0);
    plans.put(
        "one group",
        new Aggregate(
            table,
            List.of(),
            List.of(List.of()),
            List.of(
                distinct(count), distinct(sum), AggregateCall.of(AggregateFunction.MAX, LONG, 0)),
            false,
            List.of(DataType.INT64, LONG, LONG)));
  }

  private static AggregateCall distinct(AggregateCall call) {
    return new AggregateCall(
        call.function(), null, call.name(), call.args(), true, -1, List.of(), call.type());
  }

  private static boolean spilled(QueryMetrics metrics, PhysicalPlan plan) {
    return metrics.node(plan).figures.containsKey("passes");
  }

  @Test
  void answersAreTheSame() throws IOException {
    for (boolean discrete : new boolean[] {false, true}) {
      for (var plan : plans(ROWS).entrySet()) {
        Map<?, Integer> expected;
        try (SpillMachine machine = new SpillMachine(discrete, 1L << 30, folder, Long.MAX_VALUE)) {
          expected = TestEngine.counts(machine.run(plan.getValue()));
        }
        // The other device has a copy of the tables in its memory.
        long little = discrete ? 3 * LITTLE : LITTLE;
        try (SpillMachine machine = new SpillMachine(discrete, little, folder, Long.MAX_VALUE)) {
          QueryMetrics metrics;
          List<List<@Nullable Object>> rows = new ArrayList<>();
          try (BatchResult result = machine.engine.execute(plan.getValue(), QueryOptions.DEFAULT)) {
            for (ColumnBatch batch = result.next(); batch != null; batch = result.next()) {
              rows.addAll(TestEngine.rows(batch));
            }
            metrics = result.metrics();
          }
          String what = plan.getKey() + (discrete ? ", discrete" : "");
          assertEquals(expected, TestEngine.counts(rows), what);
          assertTrue(spilled(metrics, plan.getValue()), () -> what + " was not spilled");
          machine.assertReleased();
        }
        assertEmpty(folder);
      }
    }
  }

  @Test
  void sortedRowsStayInOrder() {
    try (SpillMachine machine = new SpillMachine(false, LITTLE, folder, Long.MAX_VALUE)) {
      Sort sort = new Sort(table(ROWS), List.of(new SortKey(0, true, false)), null, null);
      List<List<@Nullable Object>> rows = machine.run(sort);
      assertEquals(ROWS, rows.size());
      long last = Long.MAX_VALUE;
      for (List<@Nullable Object> row : rows) {
        long key = row.getFirst() == null ? Long.MIN_VALUE : (Long) row.getFirst();
        assertTrue(key <= last);
        last = key;
      }
    }
  }

  /**
   * One allocation after the other fails: the query is right all the same, because it asks again or
   * leaves memory, or it ends with RESOURCES; then nothing is left, and the next query is right.
   * Each of the first five, then in growing steps; each one with -Daragonite.faults.every=true.
   */
  @Test
  void anyAllocationMayFail() {
    for (boolean discrete : new boolean[] {false, true}) {
      for (var plan : plans(6000).entrySet()) {
        try (SpillMachine machine = new SpillMachine(discrete, 3 << 20, folder, Long.MAX_VALUE)) {
          Map<?, Integer> expected = TestEngine.counts(machine.run(plan.getValue()));
          for (boolean ofHost : discrete ? new boolean[] {false, true} : new boolean[] {false}) {
            FailingBudget budget = ofHost ? machine.hostMemory : machine.memory;
            int failed = failOneByOne(machine, budget, plan.getValue(), expected);
            String what = plan.getKey() + (discrete ? ", discrete" : "") + (ofHost ? ", host" : "");
            assertTrue(failed > 3, () -> "only " + failed + " allocations of " + what + " failed");
          }
        }
      }
    }
  }

  private static int failOneByOne(
      SpillMachine machine, FailingBudget budget, PhysicalPlan plan, Map<?, Integer> expected) {
    int failed = 0;
    for (long n = 1; ; n += EVERY ? 1 : 1 + n / 3) {
      budget.failAllocation(n);
      try {
        Map<?, Integer> rows = TestEngine.counts(machine.run(plan));
        assertEquals(expected, rows);
        if (budget.failsLater()) {
          return failed;
        }
      } catch (AragoniteException e) {
        assertEquals(ErrorKind.RESOURCES, e.kind(), e::getMessage);
        budget.failAllocation(0);
        assertEquals(expected, TestEngine.counts(machine.run(plan)), "after a failure");
      } finally {
        budget.failAllocation(0);
      }
      failed++;
    }
  }

  @Test
  void aFullDiskIsAResourcesError() throws IOException {
    for (var plan : plans(ROWS).entrySet()) {
      try (SpillMachine machine = new SpillMachine(false, LITTLE, folder, 100_000)) {
        AragoniteException error =
            assertThrows(AragoniteException.class, () -> machine.run(plan.getValue()));
        assertEquals(ErrorCode.DISK_FAILED, error.code(), error::getMessage);
        assertTrue(error.getMessage().contains(folder.toString()), error::getMessage);
        assertEquals(100, machine.run(table(100)).size());
      }
      assertEmpty(folder);
    }
  }

  @Test
  void aMissingFolderIsNamed() {
    Path missing = folder.resolve("missing");
    try (SpillMachine machine = new SpillMachine(false, LITTLE, missing, Long.MAX_VALUE)) {
      AragoniteException error =
          assertThrows(AragoniteException.class, () -> machine.run(plans(ROWS).get("sort")));
      assertEquals(ErrorCode.DISK_FAILED, error.code());
      assertTrue(error.getMessage().contains(missing.toString()), error::getMessage);
    }
  }

  /** What a killed process leaves goes when the next one starts; a living one's stays. */
  @Test
  void foldersOfDeadProcessesAreRemoved() throws Exception {
    assumeTrue(ModuleLayer.boot().findModule("jdk.compiler").isPresent(), "no Java compiler");
    Path dead = Files.createDirectory(folder.resolve("aragonite-spill-4711-dead"));
    Files.createFile(dead.resolve("lock"));
    Files.write(dead.resolve("000001.spill"), new byte[1000]);
    Path other = Files.createDirectory(folder.resolve("somebody-elses"));
    Path living = Files.createDirectory(folder.resolve("aragonite-spill-4712-living"));
    Path lock = Files.createFile(living.resolve("lock"));
    String holder =
        "var c = java.nio.channels.FileChannel.open(java.nio.file.Path.of(\""
            + lock
            + "\"), java.nio.file.StandardOpenOption.WRITE); c.lock();"
            + " System.out.println(\"locked\"); System.out.flush(); Thread.sleep(60000);";
    Path source = folder.resolve("Holder.java");
    Files.writeString(
        source,
        "class Holder { public static void main(String[] a) throws Exception { " + holder + " } }");
    Process process =
        new ProcessBuilder(
                ProcessHandle.current().info().command().orElseThrow(), source.toString())
            .start();
    try {
      assertEquals("locked", process.inputReader().readLine());
      try (SpillMachine machine = new SpillMachine(false, LITTLE, folder, Long.MAX_VALUE)) {
        assertFalse(Files.exists(dead));
        machine.run(plans(ROWS).get("sort"));
        assertTrue(Files.exists(living));
        assertTrue(Files.exists(other));
      }
    } finally {
      process.destroyForcibly();
    }
  }

  @Test
  void queriesShareMemory() throws Exception {
    Map<String, PhysicalPlan> plans = plans(ROWS / 2);
    try (SpillMachine machine = new SpillMachine(false, 8 << 20, folder, Long.MAX_VALUE)) {
      Map<String, Integer> sizes = new LinkedHashMap<>();
      plans.forEach((name, plan) -> sizes.put(name, machine.run(plan).size()));
      AtomicInteger wrong = new AtomicInteger();
      AtomicInteger right = new AtomicInteger();
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        String name = List.copyOf(plans.keySet()).get(i % plans.size());
        PhysicalPlan plan = plans.get(name);
        threads.add(
            Thread.ofPlatform()
                .start(() -> {
                  for (int round = 0; round < 3; round++) {
                    int rows = 0;
                    try (BatchResult result = machine.engine.execute(plan, QueryOptions.DEFAULT)) {
                      for (ColumnBatch b = result.next(); b != null; b = result.next()) {
                        rows += b.rows();
                      }
                      (rows == sizes.get(name) ? right : wrong).incrementAndGet();
                    } catch (AragoniteException e) {
                      if (e.kind() != ErrorKind.RESOURCES) {
                        wrong.incrementAndGet();
                      }
                    }
                  }
                }));
      }
      for (Thread thread : threads) {
        thread.join(60_000);
        assertFalse(thread.isAlive(), "queries wait for each other");
      }
      assertEquals(0, wrong.get());
      assertTrue(right.get() >= 6, () -> "only " + right + " of 12 queries got through");
      machine.assertReleased();
    }
  }

  private static void assertEmpty(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      assertEquals(List.of(), files.toList());
    }
  }
}
