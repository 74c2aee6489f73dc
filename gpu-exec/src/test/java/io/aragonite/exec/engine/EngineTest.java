package io.aragonite.exec.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.memory.MemoryLeaks;
import io.aragonite.exec.plan.AggregateCall;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.exec.plan.JoinType;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.SortKey;
import io.aragonite.exec.plan.TestTable;
import io.aragonite.exec.runtime.BatchResult;
import io.aragonite.exec.runtime.QueryMetrics;
import io.aragonite.exec.runtime.QueryOptions;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Scans, filters, projections, limits, unions and results; how queries end early. */
@Timeout(60)
class EngineTest {
  private static final DataType TEXT = DataType.VARCHAR.withNullable(true);

  private final List<TestEngine> engines = new ArrayList<>();

  private TestEngine engine(int workers, int batchRows) {
    TestEngine engine = new TestEngine(workers, batchRows);
    engines.add(engine);
    return engine;
  }

  private List<TestEngine> someEngines() {
    return List.of(engine(1, 64), engine(2, 64), engine(4, 64), engine(1, 4096), engine(2, 4096));
  }

  /** Nothing may be left of any query. */
  @AfterEach
  void closeEngines() {
    engines.forEach(TestEngine::close);
  }

  /** Rows (i, "t" + i, or null for every third). */
  private static TestTable numbers(long count) {
    List<List<@Nullable Object>> rows =
        LongStream.range(0, count)
            .mapToObj(i -> Arrays.asList((Object) i, i % 3 == 0 ? null : "t" + i))
            .toList();
    return new TestTable(List.of(ColumnShape.of(DataType.INT64), ColumnShape.of(TEXT)), rows, 640);
  }

  private static Expr number() {
    return Expr.ref(0, DataType.INT64);
  }

  private static Expr literal(long value) {
    return Expr.literal(value, DataType.INT64);
  }

  private static Expr modulo(long divisor) {
    return Expr.call(Op.MOD, DataType.INT64, number(), literal(divisor));
  }

  private static Expr equal(Expr a, Expr b) {
    return Expr.call(Op.EQ, DataType.BOOLEAN, a, b);
  }

  @Test
  void scansWholeTables() {
    for (TestEngine engine : someEngines()) {
      for (long count : new long[] {0, 1, 63, 64, 65, 5000}) {
        List<List<@Nullable Object>> rows = engine.run(numbers(count).scan());
        assertEquals(count, rows.size());
        assertEquals(count, TestEngine.counts(rows).size());
        assertTrue(rows.stream().allMatch(EngineTest::isNumber), rows::toString);
      }
    }
  }

  private static boolean isNumber(List<@Nullable Object> row) {
    Object number = row.get(0);
    return number instanceof Long i
        && (i % 3 == 0 ? row.get(1) == null : ("t" + i).equals(row.get(1)));
  }

  @Test
  void filtersThenFiltersThenProjects() {
    PhysicalPlan even = new PhysicalPlan.Filter(numbers(5000).scan(), equal(modulo(2), literal(0)));
    PhysicalPlan sixths = new PhysicalPlan.Filter(even, equal(modulo(3), literal(1)));
    PhysicalPlan plan =
        new PhysicalPlan.Project(
            sixths,
            List.of(Expr.ref(1, TEXT), Expr.call(Op.PLUS, DataType.INT64, number(), literal(100))));
    for (TestEngine engine : someEngines()) {
      List<List<@Nullable Object>> rows = engine.run(plan);
      assertEquals(833, rows.size());
      for (List<@Nullable Object> row : rows) {
        long i = (Long) assertNotNull2(row.get(1)) - 100;
        assertEquals(4, i % 6);
        assertEquals("t" + i, row.get(0));
      }
    }
  }

  private static Object assertNotNull2(@Nullable Object value) {
    assertNotNull(value);
    return value;
  }

  @Test
  void limitsExactlyWhateverTheWorkers() {
    for (TestEngine engine : someEngines()) {
      for (long offset : new long[] {0, 1, 64, 100, 4999, 6000}) {
        for (long fetch : new long[] {0, 1, 63, 64, 200, 100_000}) {
          PhysicalPlan plan =
              new PhysicalPlan.Sort(
                  numbers(5000).scan(), List.of(), literal(offset), literal(fetch));
          List<List<@Nullable Object>> rows = engine.run(plan);
          assertEquals(Math.clamp(5000 - offset, 0, fetch), rows.size());
          assertEquals(rows.size(), TestEngine.counts(rows).size());
        }
      }
    }
  }

  @Test
  void limitOfSortedRowsKeepsOrder() {
    PhysicalPlan sorted =
        new PhysicalPlan.Sort(
            numbers(5000).scan(), List.of(new SortKey(0, true, false)), null, null);
    PhysicalPlan odd = new PhysicalPlan.Filter(sorted, equal(modulo(2), literal(1)));
    PhysicalPlan plan = new PhysicalPlan.Sort(odd, List.of(), literal(10), literal(90));
    for (TestEngine engine : someEngines()) {
      List<Long> numbers =
          engine.run(plan).stream().map(row -> (Long) assertNotNull2(row.get(0))).toList();
      assertEquals(LongStream.range(0, 90).map(i -> 4999 - 2 * (i + 10)).boxed().toList(), numbers);
    }
  }

  @Test
  void unionsBringColumnsTogether() {
    PhysicalPlan constants =
        new PhysicalPlan.Values(
            List.of(
                List.of(literal(-1), Expr.literal("x", TEXT)),
                List.of(literal(-2), Expr.literal(null, TEXT))),
            List.of(DataType.INT64, TEXT));
    PhysicalPlan nulls =
        new PhysicalPlan.Project(
            numbers(3).scan(),
            List.of(number(), Expr.literal(null, DataType.of(TypeKind.NULL, true))));
    for (boolean all : new boolean[] {true, false}) {
      PhysicalPlan plan =
          new PhysicalPlan.SetOperation(
              PhysicalPlan.SetOperation.SetOperationKind.UNION,
              all,
              List.of(numbers(500).scan(), constants, nulls, numbers(500).scan()),
              List.of(DataType.INT64, TEXT));
      for (TestEngine engine : someEngines()) {
        List<List<@Nullable Object>> rows = engine.run(plan);
        // Row (0, null) is in the table too; (1, null) and (2, null) are not.
        assertEquals(all ? 1005 : 504, rows.size());
        assertTrue(rows.contains(Arrays.asList(-2L, null)));
        assertTrue(rows.contains(Arrays.asList(2L, null)));
        assertTrue(rows.contains(Arrays.asList(-1L, "x")));
      }
    }
  }

  @Test
  void valuesOfManyTypes() {
    List<Object> values =
        Arrays.asList(true, 5L, new BigDecimal("12345678901234567890.12"), "text", 1.5, null, -3L);
    List<DataType> types =
        List.of(
            DataType.BOOLEAN,
            DataType.INT32,
            DataType.decimal(22, 2, false),
            DataType.VARCHAR,
            DataType.FLOAT64,
            TEXT,
            DataType.DATE);
    List<Expr> row = new ArrayList<>();
    for (int i = 0; i < types.size(); i++) {
      row.add(Expr.literal(values.get(i), types.get(i)));
    }
    TestEngine engine = engine(2, 4096);
    assertEquals(
        List.of(values, values), engine.run(new PhysicalPlan.Values(List.of(row, row), types)));
    assertEquals(List.of(), engine.run(new PhysicalPlan.Values(List.of(), types)));
  }

  @Test
  void parametersAreReplaced() {
    Expr parameter = new Expr.Parameter(0, DataType.INT64);
    PhysicalPlan plan =
        new PhysicalPlan.Sort(
            new PhysicalPlan.Filter(numbers(100).scan(), equal(number(), parameter)),
            List.of(),
            null,
            new Expr.Parameter(1, DataType.INT64));
    TestEngine engine = engine(1, 4096);
    assertEquals(
        List.of(List.of(41L, "t41")),
        engine.run(plan, new QueryOptions(List.of(41L, 5L), 0, 0, null)));
    assertEquals(
        ErrorCode.MISSING_PARAMETER,
        error(engine, plan, new QueryOptions(List.of(41L), 0, 0, null)));
    assertEquals(
        ErrorCode.INVALID_ARGUMENT,
        error(engine, plan, new QueryOptions(List.of(41L, -1L), 0, 0, null)));
  }

  private static ErrorCode error(TestEngine engine, PhysicalPlan plan, QueryOptions options) {
    return assertThrows(AragoniteException.class, () -> engine.run(plan, options)).code();
  }

  /** A table that takes about a millisecond a row, and counts the rows that were looked at. */
  private static PhysicalPlan slow(int rows, AtomicInteger seen) {
    Expr wait =
        new Expr.HostFunctionCall(
            "SLOW",
            arguments -> {
              seen.incrementAndGet();
              try {
                Thread.sleep(1);
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
              return arguments[0];
            },
            List.of(number()),
            true,
            DataType.INT64);
    return new PhysicalPlan.Project(numbers(rows).scan(), List.of(wait));
  }

  private static PhysicalPlan count(PhysicalPlan input) {
    AggregateCall sum =
        AggregateCall.of(AggregateFunction.SUM, DataType.INT64.withNullable(true), 0);
    return new PhysicalPlan.Aggregate(
        input, List.of(), List.of(List.of()), List.of(sum), false, List.of(sum.type()));
  }

  @Test
  void timesOut() {
    AtomicInteger seen = new AtomicInteger();
    QueryOptions options = new QueryOptions(List.of(), 0, 0, Duration.ofMillis(100));
    for (PhysicalPlan plan : List.of(slow(60_000, seen), count(slow(60_000, seen)))) {
      for (TestEngine engine : someEngines().subList(0, 3)) {
        assertEquals(ErrorCode.TIMED_OUT, error(engine, plan, options));
      }
    }
    assertTrue(seen.get() < 60_000, () -> seen.get() + " rows before the time was noticed");
  }

  @Test
  void isCancelledFromOutside() throws InterruptedException {
    AtomicInteger seen = new AtomicInteger();
    for (PhysicalPlan plan : List.of(slow(60_000, seen), count(slow(60_000, seen)))) {
      for (TestEngine engine : someEngines().subList(0, 3)) {
        try (BatchResult result = engine.engine().execute(plan, QueryOptions.DEFAULT)) {
          Thread canceller = Thread.ofPlatform().start(() -> cancelSoon(result));
          AragoniteException e =
              assertThrows(
                  AragoniteException.class,
                  () -> {
                    while (result.next() != null) {}
                  });
          assertEquals(ErrorCode.CANCELLED, e.code());
          canceller.join();
        }
        MemoryLeaks.assertReleased(engine.budget());
      }
    }
  }

  private static void cancelSoon(BatchResult result) {
    try {
      Thread.sleep(50);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    result.cancel();
  }

  @Test
  void honoursInterrupts() {
    TestEngine engine = engine(2, 64);
    for (PhysicalPlan plan : List.of(numbers(5000).scan(), count(numbers(5000).scan()))) {
      Thread.currentThread().interrupt();
      try {
        assertEquals(ErrorCode.CANCELLED, error(engine, plan, QueryOptions.DEFAULT));
      } finally {
        assertTrue(Thread.interrupted());
      }
    }
  }

  @Test
  void closesInTheMiddle() {
    AtomicInteger seen = new AtomicInteger();
    for (TestEngine engine : someEngines().subList(0, 3)) {
      // Several devices gather all rows before the first is handed out.
      int rows = engine.devices().size() > 1 ? 2000 : 60_000;
      try (BatchResult result = engine.engine().execute(slow(rows, seen), QueryOptions.DEFAULT)) {
        ColumnBatch first = result.next();
        assertNotNull(first);
        assertFalse(TestEngine.rows(first).isEmpty());
      }
      MemoryLeaks.assertReleased(engine.budget());
    }
    assertTrue(seen.get() < 60_000 || engines.stream().anyMatch(e -> e.devices().size() > 1));
    TestEngine engine = engine(2, 64);
    engine.engine().execute(numbers(10).scan(), QueryOptions.DEFAULT).close();
  }

  @Test
  void staysWithinItsMemory() {
    QueryOptions options = new QueryOptions(List.of(), 0, 300 << 10, null);
    PhysicalPlan groups =
        new PhysicalPlan.Aggregate(
            numbers(200_000).scan(),
            List.of(1, 0),
            List.of(List.of(0, 1)),
            List.of(),
            false,
            List.of(TEXT, DataType.INT64));
    for (TestEngine engine : someEngines()) {
      assertEquals(ErrorCode.MEMORY_EXCEEDED, error(engine, groups, options));
      assertEquals(0, engine.budget().used());
      assertEquals(1, engine.run(numbers(1).scan(), QueryOptions.DEFAULT).size());
    }
  }

  /** A plan with a build side, groups, a sort and a union. */
  private static PhysicalPlan everything(int rows) {
    PhysicalPlan scan = numbers(rows).scan();
    List<DataType> both = List.of(DataType.INT64, TEXT, DataType.INT64, TEXT);
    PhysicalPlan join =
        new PhysicalPlan.Join(
            scan,
            new PhysicalPlan.Filter(scan, equal(modulo(2), literal(0))),
            JoinType.LEFT,
            List.of(new PhysicalPlan.JoinKey(1, 1, false)),
            null,
            JoinAlgorithm.NON_PARTITIONED_HASH,
            false,
            both);
    AggregateCall count = AggregateCall.of(AggregateFunction.COUNT, DataType.INT64, 3);
    PhysicalPlan groups =
        new PhysicalPlan.Aggregate(
            join,
            List.of(0, 1),
            List.of(List.of(0, 1)),
            List.of(count),
            false,
            List.of(DataType.INT64, TEXT, DataType.INT64));
    PhysicalPlan union =
        new PhysicalPlan.SetOperation(
            PhysicalPlan.SetOperation.SetOperationKind.UNION,
            false,
            List.of(groups, groups),
            groups.types());
    return new PhysicalPlan.Sort(union, List.of(new SortKey(0, false, false)), null, null);
  }

  private static List<List<@Nullable Object>> everythingExpected(int rows) {
    return LongStream.range(0, rows)
        .mapToObj(i ->
            Arrays.asList(
                (Object) i, i % 3 == 0 ? null : "t" + i, i % 3 == 0 || i % 2 == 1 ? 0L : 1L))
        .toList();
  }

  /**
   * With ever more memory, until it is enough: the right error, nothing left, the next one runs.
   */
  @Test
  void survivesEveryShortageOfMemory() {
    PhysicalPlan plan = everything(3000);
    for (TestEngine engine : List.of(engine(1, 64), engine(2, 4096), engine(4, 64))) {
      int failures = 0;
      for (long limit = 64 << 10; ; limit += limit / 8) {
        QueryOptions options = new QueryOptions(List.of(), 0, limit, null);
        try {
          assertEquals(everythingExpected(3000), engine.run(plan, options));
          break;
        } catch (AragoniteException e) {
          assertEquals(ErrorCode.MEMORY_EXCEEDED, e.code(), e::getMessage);
          failures++;
        }
      }
      assertTrue(failures > 10, failures + " failures only");
    }
  }

  @Test
  void runsQueriesBesideEachOther() throws Exception {
    TestEngine engine = engine(3, 64);
    PhysicalPlan plan = everything(2000);
    List<List<@Nullable Object>> expected = everythingExpected(2000);
    List<Callable<Boolean>> sessions = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      boolean hasty = i % 2 == 1;
      sessions.add(() -> {
        for (int round = 0; round < 6; round++) {
          try (BatchResult result = engine.engine().execute(plan, QueryOptions.DEFAULT)) {
            List<List<@Nullable Object>> rows = new ArrayList<>();
            ColumnBatch batch = result.next();
            for (; batch != null && !(hasty && rows.size() > round * 300); ) {
              rows.addAll(TestEngine.rows(batch));
              batch = result.next();
            }
            if (!expected.subList(0, rows.size()).equals(rows)
                || (!hasty && rows.size() < expected.size())) {
              return false;
            }
          }
        }
        return true;
      });
    }
    try (ExecutorService threads = Executors.newCachedThreadPool()) {
      for (Future<Boolean> session : threads.invokeAll(sessions)) {
        assertTrue(session.get());
      }
    }
  }

  @Test
  void failsWithTheFirstError() {
    PhysicalPlan plan =
        new PhysicalPlan.Project(
            numbers(5000).scan(),
            List.of(
                Expr.call(
                    Op.DIVIDE,
                    DataType.INT64,
                    literal(1),
                    Expr.call(Op.MINUS, DataType.INT64, number(), literal(4321)))));
    for (TestEngine engine : someEngines()) {
      assertEquals(ErrorCode.DIVISION_BY_ZERO, error(engine, plan, QueryOptions.DEFAULT));
      assertEquals(ErrorCode.DIVISION_BY_ZERO, error(engine, count(plan), QueryOptions.DEFAULT));
      assertEquals(5000, engine.run(numbers(5000).scan()).size());
    }
  }

  @Test
  void countsRowsByNode() {
    PhysicalPlan scan = numbers(5000).scan();
    PhysicalPlan filter = new PhysicalPlan.Filter(scan, equal(modulo(2), literal(0)));
    PhysicalPlan aggregate =
        new PhysicalPlan.Aggregate(
            filter, List.of(0), List.of(List.of(0)), List.of(), false, List.of(DataType.INT64));
    for (TestEngine engine : someEngines()) {
      try (BatchResult result = engine.engine().execute(aggregate, QueryOptions.DEFAULT)) {
        while (result.next() != null) {}
        assertNull(result.next());
        QueryMetrics metrics = result.metrics();
        assertEquals(5000, metrics.node(scan).rows.sum());
        assertEquals(2500, metrics.node(filter).rows.sum());
        assertEquals(2500, metrics.node(aggregate).rows.sum());
        for (PhysicalPlan node : List.of(scan, filter, aggregate)) {
          assertTrue(metrics.node(node).nanos.sum() > 0);
          assertTrue(metrics.node(node).batches.sum() > 0);
        }
        assertTrue(metrics.node(aggregate).stateBytes.sum() > 2500 * 8);
      }
    }
  }
}
