package io.aragonite.exec.integration.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.device.DiscreteDevice;
import io.aragonite.exec.engine.Engine;
import io.aragonite.exec.engine.TestEngine;
import io.aragonite.exec.exchange.ShardedTable;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.group.DeviceGroup;
import io.aragonite.exec.group.GroupQueries;
import io.aragonite.exec.plan.AggregateCall;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.exec.plan.JoinType;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.PhysicalPlan.Aggregate;
import io.aragonite.exec.plan.PhysicalPlan.Filter;
import io.aragonite.exec.plan.PhysicalPlan.Join;
import io.aragonite.exec.plan.PhysicalPlan.Project;
import io.aragonite.exec.plan.PhysicalPlan.SetOperation;
import io.aragonite.exec.plan.SortKey;
import io.aragonite.exec.plan.TestTable;
import io.aragonite.exec.runtime.BatchResult;
import io.aragonite.exec.runtime.QueryMetrics;
import io.aragonite.exec.runtime.QueryOptions;
import io.aragonite.exec.testing.TestSeed;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Queries on several devices together. */
@Timeout(120)
class DeviceGroupTest {
  private static final String EVERYWHERE = "aragonite.exchange.replicate";
  private static final String JOIN = "aragonite.exchange.join";
  private static final int[] COUNTS = {1, 2, 3, 4, 5, 8};

  private final List<TestEngine> engines = new ArrayList<>();

  @BeforeEach
  void spreadAllTables() {
    System.setProperty(EVERYWHERE, "0");
  }

  @AfterEach
  void close() {
    System.clearProperty(EVERYWHERE);
    System.clearProperty(JOIN);
    engines.forEach(TestEngine::close);
  }

  private TestEngine engine(int devices) {
    TestEngine engine = new TestEngine(1, 1024, 64 << 20, devices);
    engines.add(engine);
    return engine;
  }

  /** With texts and nulls as payload, by either way to bring the sides together. */
  @Test
  void joinsOfEveryTypeOnAnyNumberOfDevices() {
    long seed = TestSeed.seed();
    Random random = new Random(seed);
    TestTable left = GroupQueries.table(random, 3000, 2000);
    TestTable right = GroupQueries.table(random, 2000, 2500);
    Map<JoinType, Map<List<@Nullable Object>, Integer>> expected = new EnumMap<>(JoinType.class);
    for (JoinType type : JoinType.values()) {
      expected.put(
          type,
          TestEngine.counts(engine(1).run(GroupQueries.join(left.scan(), right.scan(), type))));
    }
    for (String way : List.of("hash", "broadcast")) {
      System.setProperty(JOIN, way);
      for (int devices : COUNTS) {
        TestEngine engine = engine(devices);
        for (JoinType type : JoinType.values()) {
          assertEquals(
              expected.get(type),
              TestEngine.counts(engine.run(GroupQueries.join(left.scan(), right.scan(), type))),
              () -> type + " by " + way + " on " + devices + " devices, seed " + seed);
        }
      }
    }
  }

  /** Each device makes a row of a grouping without keys, and only the first one's counts. */
  @Test
  void groupingsWithoutKeysHaveOneRow() {
    TestTable left = GroupQueries.table(new Random(4), 3000, 50);
    TestTable right = GroupQueries.table(new Random(5), 40, 50);
    Aggregate one = GroupQueries.count(right.scan());
    Join joined =
        new Join(
            left.scan(),
            one,
            JoinType.INNER,
            List.of(),
            null,
            JoinAlgorithm.NESTED_LOOP,
            false,
            List.of(GroupQueries.NUMBER, GroupQueries.TEXT, DataType.INT64));
    SetOperation both =
        new SetOperation(
            SetOperation.SetOperationKind.UNION,
            true,
            List.of(one, GroupQueries.count(left.scan())),
            List.of(DataType.INT64));
    for (PhysicalPlan plan : List.of(joined, both, GroupQueries.count(joined))) {
      Map<List<@Nullable Object>, Integer> expected = TestEngine.counts(engine(1).run(plan));
      for (int devices : COUNTS) {
        assertEquals(expected, TestEngine.counts(engine(devices).run(plan)), devices + " devices");
      }
    }
  }

  /** A scalar subquery: each device makes its row of all devices' parts, if these are the same. */
  @Test
  void everyDeviceMakesARowThatAllNeed() {
    TestTable left = GroupQueries.table(new Random(10), 3000, 50);
    DataType real = DataType.FLOAT64.withNullable(true);
    Project reals =
        new Project(
            GroupQueries.table(new Random(11), 700, 50).scan(),
            List.of(
                Expr.call(Op.CAST, real, Expr.ref(0, GroupQueries.NUMBER)),
                Expr.ref(0, GroupQueries.NUMBER),
                Expr.ref(1, GroupQueries.TEXT)));
    DeviceGroup group = new DeviceGroup(GroupQueries.fakes(3, 64 << 20), true);
    for (boolean exact : new boolean[] {true, false}) {
      DataType type = exact ? GroupQueries.NUMBER : real;
      Aggregate one = sumMinCount(reals, type, exact ? 1 : 0);
      Project average = average(one, type);
      for (JoinType joinType : List.of(JoinType.INNER, JoinType.LEFT, JoinType.ANTI)) {
        PhysicalPlan plan = above(left.scan(), average, joinType);
        Map<List<@Nullable Object>, Integer> expected = TestEngine.counts(engine(1).run(plan));
        assertFalse(expected.isEmpty());
        for (int devices : COUNTS) {
          String what = joinType + " on " + devices + " devices";
          Engine engine = engine(devices).engine();
          try (BatchResult result = engine.execute(plan, QueryOptions.DEFAULT)) {
            assertEquals(expected, TestEngine.counts(GroupQueries.rows(result)), what);
            assertEquals(1, result.metrics().node(one).rows.sum(), what);
            assertEquals(1, result.metrics().node(average).rows.sum(), what);
          }
        }
        Map<PhysicalPlan, String> exchanges = group.preview(plan).exchanges();
        assertEquals(exact ? "groups of all devices to each" : null, exchanges.get(one));
        assertEquals(exact ? null : "rows to all devices", exchanges.get(average));
      }
    }
    group.close();
  }

  private static Aggregate sumMinCount(PhysicalPlan input, DataType type, int column) {
    return new Aggregate(
        input,
        List.of(),
        List.of(List.of()),
        List.of(
            AggregateCall.of(AggregateFunction.SUM, type, column),
            AggregateCall.of(AggregateFunction.MIN, GroupQueries.TEXT, 2),
            AggregateCall.of(AggregateFunction.COUNT, DataType.INT64)),
        false,
        List.of(type, GroupQueries.TEXT, DataType.INT64));
  }

  private static Project average(Aggregate one, DataType type) {
    return new Project(
        one,
        List.of(
            Expr.call(
                Op.DIVIDE,
                GroupQueries.NUMBER,
                Expr.call(Op.CAST, GroupQueries.NUMBER, Expr.ref(0, type)),
                Expr.ref(2, DataType.INT64)),
            Expr.ref(1, GroupQueries.TEXT)));
  }

  /** Rows of one side whose number is above that of the one row of the other. */
  private static Join above(PhysicalPlan left, PhysicalPlan one, JoinType type) {
    return new Join(
        left,
        one,
        type,
        List.of(),
        Expr.call(
            Op.GT,
            DataType.BOOLEAN.withNullable(true),
            Expr.ref(0, GroupQueries.NUMBER),
            Expr.ref(2, GroupQueries.NUMBER)),
        JoinAlgorithm.NESTED_LOOP,
        false,
        type.leftOnly()
            ? left.types()
            : List.of(
                GroupQueries.NUMBER, GroupQueries.TEXT, GroupQueries.NUMBER, GroupQueries.TEXT));
  }

  /** A scalar subquery, or groups, of a small table: nothing moves if groups are the same. */
  @Test
  void everyDeviceGroupsWhatAllHave() {
    System.setProperty(EVERYWHERE, "100");
    TestTable large = GroupQueries.table(new Random(13), 3000, 20);
    DataType real = DataType.FLOAT64.withNullable(true);
    Project small =
        new Project(
            GroupQueries.table(new Random(14), 90, 20).scan(),
            List.of(
                Expr.ref(0, GroupQueries.NUMBER),
                Expr.call(Op.CAST, real, Expr.ref(0, GroupQueries.NUMBER))));
    DeviceGroup group = new DeviceGroup(GroupQueries.fakes(3, 64 << 20), true);
    for (boolean keys : new boolean[] {true, false}) {
      for (boolean exact : new boolean[] {true, false}) {
        DataType type = exact ? GroupQueries.NUMBER : real;
        List<DataType> types = new ArrayList<>(List.of(type, DataType.INT64));
        if (keys) {
          types.addFirst(GroupQueries.NUMBER);
        }
        Aggregate groups =
            new Aggregate(
                small,
                keys ? List.of(0) : List.of(),
                List.of(keys ? List.of(0) : List.of()),
                List.of(
                    AggregateCall.of(AggregateFunction.SUM, type, exact ? 0 : 1),
                    AggregateCall.of(AggregateFunction.COUNT, DataType.INT64)),
                false,
                types);
        PhysicalPlan plan =
            keys
                ? GroupQueries.join(large.scan(), groups, JoinType.INNER)
                : new Join(
                    large.scan(),
                    groups,
                    JoinType.INNER,
                    List.of(),
                    null,
                    JoinAlgorithm.NESTED_LOOP,
                    false,
                    List.of(GroupQueries.NUMBER, GroupQueries.TEXT, type, DataType.INT64));
        Map<List<@Nullable Object>, Integer> expected = TestEngine.counts(engine(1).run(plan));
        long rows = TestEngine.counts(engine(1).run(groups)).size();
        for (int devices : COUNTS) {
          Engine engine = engine(devices).engine();
          try (BatchResult result = engine.execute(plan, QueryOptions.DEFAULT)) {
            assertEquals(expected, TestEngine.counts(GroupQueries.rows(result)));
            assertEquals(rows, result.metrics().node(groups).rows.sum(), devices + " devices");
            assertEquals(90, result.metrics().node(small).rows.sum(), devices + " devices");
          }
        }
        assertEquals(exact, group.preview(plan).exchanges().get(groups) == null);
      }
    }
    group.close();
  }

  /** A device without a row to join others with reads none of those, small tables' too. */
  @Test
  void rowsThatAllHaveAreCountedWhereTheyAreRead() {
    System.setProperty(EVERYWHERE, "100");
    PhysicalPlan small = numbers(2980, 3000);
    Filter few =
        new Filter(
            numbers(0, 3000),
            Expr.call(
                Op.EQ,
                DataType.BOOLEAN,
                Expr.ref(0, DataType.INT64),
                Expr.literal(2990L, DataType.INT64)));
    Join joined = GroupQueries.join(small, few, JoinType.INNER);
    for (int devices : COUNTS) {
      try (BatchResult result = engine(devices).engine().execute(joined, QueryOptions.DEFAULT)) {
        assertEquals(List.of(List.of(2990L, 2990L)), GroupQueries.rows(result));
        assertEquals(20, result.metrics().node(small).rows.sum(), devices + " devices");
      }
    }
  }

  private static PhysicalPlan numbers(long from, long to) {
    List<List<Long>> rows = new ArrayList<>();
    for (long i = from; i < to; i++) {
      rows.add(List.of(i));
    }
    return new TestTable(List.of(ColumnShape.of(DataType.INT64)), rows, 640).scan();
  }

  /** An order that a sort-merge join gives on one device. */
  @Test
  void joinsKeepTheirOrder() {
    Join unordered =
        GroupQueries.join(
            GroupQueries.table(new Random(6), 3000, 2000).scan(),
            GroupQueries.table(new Random(7), 900, 2000).scan(),
            JoinType.INNER);
    Join ordered =
        new Join(
            unordered.left(),
            unordered.right(),
            unordered.joinType(),
            unordered.keys(),
            null,
            JoinAlgorithm.SORT_MERGE,
            false,
            unordered.types(),
            null,
            List.of(new SortKey(0, false, false)));
    for (int devices : COUNTS) {
      List<List<@Nullable Object>> rows = engine(devices).run(ordered);
      assertFalse(rows.isEmpty());
      List<Long> keys = rows.stream().map(row -> (Long) row.getFirst()).toList();
      assertEquals(keys.stream().sorted().toList(), keys, devices + " devices");
    }
  }

  /** A chain whose second join has its left side where it belongs already. */
  @Test
  void rowsStayWhereTheyBelong() {
    System.setProperty(JOIN, "hash");
    TestTable a = GroupQueries.table(new Random(1), 3000, 1000);
    TestTable b = GroupQueries.table(new Random(2), 900, 1000);
    TestTable c = GroupQueries.table(new Random(3), 500, 1000);
    Join first = GroupQueries.join(a.scan(), b.scan(), JoinType.INNER);
    Join second = GroupQueries.join(first, c.scan(), JoinType.INNER);
    Aggregate grouped =
        new Aggregate(
            second,
            List.of(4),
            List.of(List.of(0)),
            List.of(AggregateCall.of(AggregateFunction.COUNT, DataType.INT64)),
            false,
            List.of(GroupQueries.NUMBER, DataType.INT64));
    assertEquals(
        TestEngine.counts(engine(1).run(grouped)), TestEngine.counts(engine(4).run(grouped)));
    try (BatchResult result = engine(4).engine().execute(grouped, QueryOptions.DEFAULT)) {
      while (result.next() != null) {}
      QueryMetrics metrics = result.metrics();
      assertEquals("on 4 devices", metrics.note());
      assertEquals(3000L, received(metrics, first.left()));
      assertEquals(900L, received(metrics, first.right()));
      assertEquals(500L, received(metrics, second.right()));
      assertFalse(metrics.node(first).figures.containsKey("rows received"));
    }
  }

  /** As of a view that a query names twice. */
  @Test
  void equalGroupingsRunOnce() {
    TestTable table = GroupQueries.table(new Random(9), 3000, 500);
    List<Aggregate> views = List.of(byNumber(table.scan()), byNumber(table.scan()));
    Join joined = GroupQueries.join(views.getFirst(), views.getLast(), JoinType.INNER);
    List<List<@Nullable Object>> expected =
        engine(1).run(views.getFirst()).stream()
            .filter(row -> row.getFirst() != null)
            .map(row -> Arrays.asList(row.get(0), row.get(1), row.get(0), row.get(1)))
            .toList();
    for (int devices : COUNTS) {
      TestEngine engine = engine(devices);
      assertEquals(TestEngine.counts(expected), TestEngine.counts(engine.run(joined)));
      try (BatchResult result = engine.engine().execute(joined, QueryOptions.DEFAULT)) {
        while (result.next() != null) {}
        List<Long> read =
            views.stream().map(view -> result.metrics().node(view.input()).rows.sum()).toList();
        assertEquals(List.of(0L, 3000L), read, devices + " devices");
      }
    }
  }

  private static Aggregate byNumber(PhysicalPlan input) {
    return new Aggregate(
        input,
        List.of(0),
        List.of(List.of(0)),
        List.of(AggregateCall.of(AggregateFunction.COUNT, DataType.INT64)),
        false,
        List.of(GroupQueries.NUMBER, DataType.INT64));
  }

  private static long received(QueryMetrics metrics, PhysicalPlan plan) {
    return metrics.node(plan).figures.getOrDefault("rows received", 0L);
  }

  @Test
  void oneKeyAndFewRows() {
    List<ColumnShape> shapes = List.of(ColumnShape.of(DataType.INT64));
    for (int rows : new int[] {0, 1, 2, 65, 700}) {
      List<List<Long>> same = Collections.nCopies(rows, List.of(7L));
      TestTable table = new TestTable(shapes, same, 64);
      for (int devices : COUNTS) {
        assertEquals(
            List.of(List.of((long) rows * rows)),
            engine(devices)
                .run(
                    GroupQueries.count(
                        GroupQueries.join(table.scan(), table.scan(), JoinType.INNER))),
            () -> rows + " rows on " + devices + " devices");
      }
    }
  }

  /** What one device does in less time than it takes to exchange rows stays there. */
  @Test
  void littleWorkStaysOnOneDevice() {
    TestTable table = GroupQueries.table(new Random(8), 3000, 1000);
    List<DiscreteDevice> devices = GroupQueries.fakes(3, 64 << 20);
    DeviceGroup group = new DeviceGroup(devices);
    try (Engine engine = new Engine(group)) {
      PhysicalPlan plan = GroupQueries.count(table.scan());
      try (BatchResult result = engine.execute(plan, QueryOptions.DEFAULT)) {
        assertEquals(List.of(List.of(3000L)), GroupQueries.rows(result));
        assertTrue(result.metrics().note().startsWith("on one device: estimated"));
      }
      assertEquals("discrete", group.preview(plan).device());
    }
  }

  /** Every row is on one device, and none has many more than its share. */
  @Test
  void sharesAreEvenAndComplete() {
    for (int rows : new int[] {0, 1, 64, 65, 1000, 20_000}) {
      List<List<Long>> values = new ArrayList<>();
      for (long i = 0; i < rows; i++) {
        values.add(List.of(i));
      }
      TestTable table = new TestTable(List.of(ColumnShape.of(DataType.INT64)), values, 640);
      ShardedTable spread = new ShardedTable(table);
      for (int ranks : COUNTS) {
        List<Object> all = new ArrayList<>();
        for (int i = 0; i < ranks; i++) {
          int before = all.size();
          for (ColumnBatch chunk : spread.share(i, ranks).pin(List.of(0)).chunks()) {
            TestEngine.rows(chunk).forEach(row -> all.add(row.getFirst()));
          }
          int share = all.size() - before;
          assertTrue(share <= rows / ranks + 64 * 8, share + " of " + rows + " on " + ranks);
        }
        assertEquals(rows, all.size());
        assertEquals(rows, all.stream().distinct().count());
      }
    }
  }
}
