package io.aragonite.exec.integration.operator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.engine.TestEngine;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.plan.AggregateCall;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.TestTable;
import io.aragonite.exec.runtime.BatchResult;
import io.aragonite.exec.runtime.QueryOptions;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.ValueRange;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which rows are grouped in order, by sorting or by a table, and that they are grouped right. */
class GroupingStrategyTest {
  private static final String GROUP = "aragonite.group";
  private static final String GROUP_ROWS = "aragonite.test.groupRows";
  private static final DataType DECIMAL = DataType.decimal(15, 2, true);
  private static final DataType WIDE = DataType.decimal(38, 2, true);
  private static final DataType INT64 = DataType.INT64.withNullable(true);

  @AfterEach
  void reset() {
    System.clearProperty("aragonite.test.flushGroups");
    System.clearProperty(GROUP);
    System.clearProperty(GROUP_ROWS);
  }

  /** Which rows were sorted, and which came in order; sums of 128 bits, nulls and all. */
  @Test
  void saysHowRowsWereGrouped() {
    int count = 20_000;
    List<List<@Nullable Object>> rows = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Object value = i % 5 == 0 ? null : BigDecimal.valueOf(Long.MAX_VALUE - i, 2);
      rows.add(Arrays.asList((long) i / 3, i % 7 == 0 ? null : (Object) (long) (i % 1000), value));
    }
    List<ColumnShape> shapes =
        List.of(
            new ColumnShape(DataType.INT64, Storage.LONG, false, null, new ValueRange(0, count)),
            ColumnShape.of(INT64),
            ColumnShape.of(WIDE));
    AggregateCall sum = AggregateCall.of(AggregateFunction.SUM, WIDE, 2);
    AggregateCall some = AggregateCall.of(AggregateFunction.COUNT, DataType.INT64, 2);
    AggregateCall all = AggregateCall.of(AggregateFunction.COUNT, DataType.INT64);
    for (int key : new int[] {0, 1}) {
      PhysicalPlan plan =
          new PhysicalPlan.Aggregate(
              new TestTable(shapes, rows, 1024).scan(),
              List.of(key),
              List.of(List.of(0)),
              List.of(sum, some, all),
              false,
              List.of(INT64, WIDE, DataType.INT64, DataType.INT64));
      List<List<@Nullable Object>> expected =
          AggregateTest.expected(
              rows, List.of(key), List.of(List.of(0)), List.of(sum, some, all), false);
      for (String way : List.of("sort", "order", "table")) {
        System.setProperty(GROUP, way);
        try (TestEngine engine = new TestEngine(1, 256);
            BatchResult result = engine.engine().execute(plan, QueryOptions.DEFAULT)) {
          List<List<@Nullable Object>> actual = new ArrayList<>();
          for (ColumnBatch batch = result.next(); batch != null; batch = result.next()) {
            actual.addAll(TestEngine.rows(batch));
          }
          assertEquals(TestEngine.counts(expected), TestEngine.counts(actual), way + " " + key);
          Map<String, Long> figures = result.metrics().node(plan).figures;
          if (engine.devices().size() == 1) {
            long inOrder = figures.getOrDefault("rows grouped in order", 0L);
            long sorted = figures.getOrDefault("rows grouped by sorting", 0L);
            boolean order = way.equals("order");
            assertEquals(order && key == 0, inOrder >= count, figures::toString);
            // Of groups that were made in order only those at the ends of batches are merged.
            assertTrue(inOrder <= count + count / 20, figures::toString);
            assertEquals(
                way.equals("sort") || order && key == 1, sorted >= count, figures::toString);
          }
        }
      }
    }
  }

  /** A sum fits its type, but not what a batch or a worker has of it. */
  @Test
  void sumsFitAsAWhole() {
    long half = Long.MAX_VALUE / 2;
    List<List<@Nullable Object>> rows = new ArrayList<>();
    for (int i = 0; i < 512; i++) {
      long key = i < 252 ? i : i < 260 ? 252 : i;
      rows.add(List.of(key, i < 252 || i >= 260 ? 1L : i < 256 ? half : -half));
    }
    ColumnShape key =
        new ColumnShape(DataType.INT64, Storage.LONG, false, null, new ValueRange(0, 1000));
    AggregateCall sum = AggregateCall.of(AggregateFunction.SUM, INT64, 1);
    PhysicalPlan plan =
        new PhysicalPlan.Aggregate(
            new TestTable(List.of(key, ColumnShape.of(DataType.INT64)), rows, 256).scan(),
            List.of(0),
            List.of(List.of(0)),
            List.of(sum),
            false,
            List.of(DataType.INT64, INT64));
    for (String way : List.of("table", "sort", "order")) {
      System.setProperty(GROUP, way);
      for (int workers : new int[] {1, 2}) {
        try (TestEngine engine = new TestEngine(workers, 256)) {
          List<List<@Nullable Object>> found = engine.run(plan);
          assertEquals(505, found.size(), way);
          assertTrue(found.contains(List.of(252L, 0L)), way);
        }
      }
    }
  }

  /** Groups that are put aside, first with small sums and then with large ones. */
  @Test
  void groupsThatArePutAsideKeepNoBounds() {
    System.setProperty("aragonite.test.flushGroups", "20");
    System.setProperty(GROUP, "table");
    BigDecimal large = BigDecimal.valueOf(1L << 59);
    List<List<@Nullable Object>> rows = new ArrayList<>();
    for (int i = 0; i < 64 * 40; i++) {
      rows.add(List.of((long) (i % 64), i < 64 ? BigDecimal.ONE : large));
    }
    ColumnShape value = ColumnShape.of(DataType.decimal(18, 0, false));
    DataType exact = DataType.decimal(38, 0, true);
    PhysicalPlan plan =
        new PhysicalPlan.Aggregate(
            new TestTable(List.of(ColumnShape.of(DataType.INT64), value), rows, 64).scan(),
            List.of(0),
            List.of(List.of(0)),
            List.of(AggregateCall.of(AggregateFunction.SUM, exact, 1)),
            false,
            List.of(DataType.INT64, exact));
    BigDecimal sum = large.multiply(BigDecimal.valueOf(39)).add(BigDecimal.ONE);
    try (TestEngine engine = new TestEngine(1, 64)) {
      List<List<@Nullable Object>> found = engine.run(plan);
      assertEquals(64, found.size());
      found.forEach(row -> assertEquals(sum, row.get(1)));
    }
  }

  /**
   * Several workers have rows in the order of their keys: of unlike keys, of the same ones, with
   * keys that go on in another worker's rows, and with a row that is out of order.
   */
  @Test
  void workersHaveRowsInOrder() {
    int count = 60_000;
    for (IntUnaryOperator keyOf :
        List.<IntUnaryOperator>of(
            i -> i,
            i -> i / 7,
            i -> i / 3000,
            i -> i % 20_000 / 2,
            i -> i == 50_000 ? 3 : i / 5,
            i -> i < 2000 ? i : count - i,
            i -> i / 2 - 10_000)) {
      for (boolean nulls : new boolean[] {false, true}) {
        checkWorkersInOrder(count, keyOf, nulls);
      }
    }
  }

  private static void checkWorkersInOrder(int count, IntUnaryOperator keyOf, boolean nulls) {
    List<List<@Nullable Object>> rows = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Object value = nulls && i % 3 != 0 ? null : BigDecimal.valueOf(999_999_999_999_999L - i, 2);
      rows.add(Arrays.asList((long) keyOf.applyAsInt(i), value));
    }
    ColumnShape key =
        new ColumnShape(DataType.INT32, Storage.INT, false, null, new ValueRange(-10_000, 60_000));
    ColumnShape value = ColumnShape.of(DECIMAL.withNullable(nulls));
    List<AggregateCall> calls =
        List.of(
            AggregateCall.of(AggregateFunction.SUM, WIDE, 1),
            AggregateCall.of(AggregateFunction.MIN, DECIMAL, 1),
            AggregateCall.of(AggregateFunction.COUNT, DataType.INT64));
    PhysicalPlan plan =
        new PhysicalPlan.Aggregate(
            new TestTable(List.of(key, value), rows, 4096).scan(),
            List.of(0),
            List.of(List.of(0)),
            calls,
            false,
            List.of(DataType.INT32, WIDE, DECIMAL, DataType.INT64));
    try (TestEngine engine = new TestEngine(3, 2048)) {
      assertEquals(
          TestEngine.counts(
              AggregateTest.expected(rows, List.of(0), List.of(List.of(0)), calls, false)),
          TestEngine.counts(engine.run(plan)));
    }
  }

  /** Groups of small batches are put aside before a larger one shows that rows come in order. */
  @Test
  void orderIsSeenBehindGroupsThatWerePutAside() {
    System.setProperty("aragonite.test.flushGroups", "64");
    int count = 30_000;
    List<List<@Nullable Object>> rows = new ArrayList<>();
    for (long i = 0; i < count; i++) {
      rows.add(List.of(1000 * i, i < 10_000 && i % 4 != 0 ? 0L : 1L));
    }
    List<List<@Nullable Object>> kept =
        rows.stream().filter(row -> Long.valueOf(1).equals(row.get(1))).toList();
    ColumnShape key =
        new ColumnShape(
            DataType.INT64, Storage.LONG, false, null, new ValueRange(0, 1000L * count));
    ColumnShape flag = ColumnShape.of(DataType.INT64);
    List<AggregateCall> calls = List.of(AggregateCall.of(AggregateFunction.SUM, INT64, 1));
    Expr isKept =
        Expr.call(
            Op.EQ,
            DataType.BOOLEAN,
            Expr.ref(1, DataType.INT64),
            new Expr.Literal(1L, DataType.INT64));
    PhysicalPlan plan =
        new PhysicalPlan.Aggregate(
            new PhysicalPlan.Filter(new TestTable(List.of(key, flag), rows, 2048).scan(), isKept),
            List.of(0),
            List.of(List.of(0)),
            calls,
            false,
            List.of(DataType.INT64, INT64));
    for (int workers : new int[] {1, 2}) {
      try (TestEngine engine = new TestEngine(workers, 2048)) {
        assertEquals(
            TestEngine.counts(
                AggregateTest.expected(kept, List.of(0), List.of(List.of(0)), calls, false)),
            TestEngine.counts(engine.run(plan)));
      }
    }
  }

  /** What a sample of a batch says of its order, and right answers whatever comes after it. */
  @Test
  void choosesByASample() {
    System.setProperty(GROUP_ROWS, "64");
    int count = 6000;
    ColumnShape known =
        new ColumnShape(DataType.INT64, Storage.LONG, false, null, new ValueRange(0, count));
    for (int late : new int[] {-1, 5000, 300, 10}) {
      List<List<@Nullable Object>> rows = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        rows.add(List.of((long) (i == late ? 7 : i / 4), (long) i));
      }
      List<AggregateCall> calls = List.of(AggregateCall.of(AggregateFunction.SUM, INT64, 1));
      PhysicalPlan plan =
          new PhysicalPlan.Aggregate(
              new TestTable(List.of(known, ColumnShape.of(DataType.INT64)), rows, 512).scan(),
              List.of(0),
              List.of(List.of(0)),
              calls,
              false,
              List.of(DataType.INT64, INT64));
      try (TestEngine engine = new TestEngine(1, 512);
          BatchResult result = engine.engine().execute(plan, QueryOptions.DEFAULT)) {
        List<List<@Nullable Object>> actual = new ArrayList<>();
        for (ColumnBatch batch = result.next(); batch != null; batch = result.next()) {
          actual.addAll(TestEngine.rows(batch));
        }
        assertEquals(
            TestEngine.counts(
                AggregateTest.expected(rows, List.of(0), List.of(List.of(0)), calls, false)),
            TestEngine.counts(actual));
        long inOrder =
            result.metrics().node(plan).figures.getOrDefault("rows grouped in order", 0L);
        // Where tables stream, batches are too small to tell.
        boolean streams = Long.getLong("aragonite.test.scanRoom", 0) > 0;
        if (!streams && engine.devices().size() == 1 && late != 300 && late != 10) {
          assertTrue(
              late < 0 ? inOrder >= count : inOrder > 0 && inOrder < count,
              "late row " + late + ", rows in order " + inOrder);
        }
      }
    }
  }
}
