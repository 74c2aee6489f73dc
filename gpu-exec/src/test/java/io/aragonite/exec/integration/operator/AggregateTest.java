package io.aragonite.exec.integration.operator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.aragonite.exec.engine.TestEngine;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.plan.AggregateCall;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.SortKey;
import io.aragonite.exec.plan.TestTable;
import io.aragonite.exec.testing.TestSeed;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.Dictionary;
import io.aragonite.exec.vector.ValueRange;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Aggregates against maps, on one and several workers, with small and default batches. */
class AggregateTest {
  private static final String GROUP = "aragonite.group";
  private static final String SPILL_ROOM = "aragonite.test.spillRoom";
  private static final int ROUNDS = Integer.getInteger("aragonite.rounds", 40);
  private static final Dictionary DICTIONARY =
      new Dictionary(new byte[][] {bytes(""), bytes("a"), bytes("ab"), bytes("zz")});
  private static final DataType DECIMAL = DataType.decimal(15, 2, true);
  private static final DataType WIDE = DataType.decimal(38, 2, true);
  private static final DataType INT64 = DataType.INT64.withNullable(true);

  /** What the run of this test has been given. */
  private final @Nullable String givenRoom = System.getProperty(SPILL_ROOM);

  /** Keys and arguments in many storages; the last column is a filter. */
  private static final List<ColumnShape> SHAPES =
      List.of(
          ColumnShape.of(INT64),
          new ColumnShape(DataType.INT64, Storage.LONG, false, null, new ValueRange(-3, 90_000)),
          new ColumnShape(
              DataType.VARCHAR.withNullable(true), Storage.CODE, true, DICTIONARY, null),
          ColumnShape.of(DataType.VARCHAR.withNullable(true)),
          ColumnShape.of(DataType.FLOAT64.withNullable(true)),
          ColumnShape.of(DECIMAL),
          ColumnShape.of(WIDE),
          ColumnShape.of(DataType.INT32),
          ColumnShape.of(DataType.BOOLEAN.withNullable(true)));

  private static final int FILTER = 8;

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @AfterEach
  void hashAgain() {
    System.clearProperty("aragonite.test.hashZero");
    System.clearProperty("aragonite.test.flushGroups");
    System.clearProperty(GROUP);
    setOrClear(SPILL_ROOM, givenRoom);
  }

  private static void setOrClear(String property, @Nullable String value) {
    if (value == null) {
      System.clearProperty(property);
    } else {
      System.setProperty(property, value);
    }
  }

  private static List<List<@Nullable Object>> rows(Random random, int count, int distinct) {
    List<List<@Nullable Object>> rows = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      long value = random.nextInt(distinct);
      @Nullable Object[] row = {
        random.nextInt(8) == 0 ? null : (Object) (value * 1_000_003L * 1_000_003L),
        value - 3,
        random.nextInt(8) == 0 ? null : DICTIONARY.text(random.nextInt(4)),
        random.nextInt(8) == 0 ? null : "text of some length " + value,
        random.nextInt(8) == 0 ? null : (Object) special(value),
        random.nextInt(8) == 0 ? null : BigDecimal.valueOf(value * 7 - 50, 2),
        random.nextInt(8) == 0 ? null : BigDecimal.valueOf(value * Long.MAX_VALUE / 3, 2),
        (long) random.nextInt(),
        random.nextInt(8) == 0 ? null : (Object) random.nextBoolean()
      };
      rows.add(Arrays.asList(row));
    }
    return rows;
  }

  private static double special(long value) {
    return value == 0 ? -0.0 : value == 1 ? Double.NaN : value / 2.0;
  }

  @Test
  void agreesWithMaps() {
    Random random = TestSeed.random(AggregateTest.class);
    for (int round = 0; round < ROUNDS; round++) {
      int count = List.of(0, 1, 63, 64, 65, 1000, 5000).get(random.nextInt(7));
      check(random, count, 1 + random.nextInt(List.of(1, 5, 3000).get(random.nextInt(3))));
    }
  }

  /** What several workers or devices add up need not fit the type before all is added. */
  @Test
  void sumsMayOverflowInParts() {
    Random random = TestSeed.random(AggregateTest.class);
    List<Integer> signs = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      signs.add(i % 2 == 0 ? 1 : -1);
    }
    Collections.shuffle(signs, random);
    List<List<Long>> rows = new ArrayList<>();
    for (int sign : signs) {
      // A morsel of rows of one sign.
      for (long i = 0; i < 128; i++) {
        rows.add(List.of(i % 2, sign * (1L << 62) + i % 2));
      }
    }
    PhysicalPlan table =
        new TestTable(
                List.of(ColumnShape.of(DataType.INT64), ColumnShape.of(DataType.INT64)), rows, 128)
            .scan();
    List<AggregateCall> calls =
        List.of(
            AggregateCall.of(AggregateFunction.SUM, INT64, 1),
            AggregateCall.of(AggregateFunction.SUM0, DataType.INT64, 1));
    PhysicalPlan whole =
        new PhysicalPlan.Aggregate(
            table, List.of(), List.of(List.of()), calls, false, List.of(INT64, DataType.INT64));
    PhysicalPlan groups =
        new PhysicalPlan.Aggregate(
            table,
            List.of(0),
            List.of(List.of(0)),
            calls,
            false,
            List.of(DataType.INT64, INT64, DataType.INT64));
    for (boolean flush : new boolean[] {false, true}) {
      System.setProperty("aragonite.test.flushGroups", flush ? "1" : "1000000");
      try (TestEngine engine = new TestEngine(4, 64)) {
        assertEquals(List.of(List.of(2560L, 2560L)), engine.run(whole));
        assertEquals(
            Set.of(List.of(0L, 0L, 0L), List.of(1L, 2560L, 2560L)),
            new HashSet<>(engine.run(groups)));
      }
    }
  }

  /** More groups than one thread merges. */
  @Test
  void mergesPartitions() {
    Random random = TestSeed.random(AggregateTest.class);
    for (int round = 0; round < 4; round++) {
      check(random, 40_000, 30_000);
    }
  }

  /** Tables are put aside after a few groups. */
  @Test
  void mergesRuns() {
    System.setProperty("aragonite.test.flushGroups", "20");
    Random random = TestSeed.random(AggregateTest.class);
    for (int round = 0; round < 30; round++) {
      check(random, 3000, List.of(30, 300, 30_000).get(random.nextInt(3)));
    }
  }

  /** Rows are sorted, all at once or, where they are in order, batch by batch. */
  @Test
  void sortsRows() {
    Random random = TestSeed.random(AggregateTest.class);
    for (int round = 0; round < ROUNDS / 2; round++) {
      System.setProperty(GROUP, round % 3 == 0 ? "order" : "sort");
      // Collisions that only comparing finds: a table does it then.
      System.setProperty("aragonite.test.hashZero", "" + (round % 5 == 0));
      int count = List.of(0, 1, 63, 64, 65, 1000, 5000).get(random.nextInt(7));
      check(random, count, 1 + random.nextInt(List.of(1, 5, 3000).get(random.nextInt(3))));
    }
  }

  /** All words of text keys are 0: only comparing keeps groups apart. */
  @Test
  void survivesCollisions() {
    System.setProperty("aragonite.test.hashZero", "true");
    Random random = TestSeed.random(AggregateTest.class);
    for (int round = 0; round < 12; round++) {
      check(random, 500, round % 4 == 0 ? 500 : 30);
    }
  }

  /**
   * Coarser sets come of finer ones' groups, of which some have been put aside or spilled, or of
   * rows from some row on.
   */
  @Test
  void makesCoarserSetsOfFinerOnes() {
    Random random = TestSeed.random(AggregateTest.class);
    for (int round = 0; round < ROUNDS / 3; round++) {
      System.setProperty(
          "aragonite.test.flushGroups", List.of("1", "20", "1000000").get(random.nextInt(3)));
      String room = List.of("1", "10000", "100000").get(random.nextInt(3));
      if (random.nextBoolean()) {
        System.setProperty(SPILL_ROOM, room);
      } else {
        setOrClear(SPILL_ROOM, givenRoom);
      }
      int count = List.of(0, 65, 3000).get(random.nextInt(3));
      check(random, count, List.of(2, 30, 3000).get(random.nextInt(3)), 3 + random.nextInt(4));
    }
  }

  private static void check(Random random, int count, int distinct) {
    check(random, count, distinct, random.nextInt(3) == 0 ? random.nextInt(3) + 1 : 0);
  }

  /**
   * @param several grouping sets, of any of the keys; 0: one of all of them
   */
  private static void check(Random random, int count, int distinct, int several) {
    List<List<@Nullable Object>> rows = rows(random, count, distinct);
    TestTable table = new TestTable(SHAPES, rows, 64 * (1 + random.nextInt(20)));
    List<Integer> keys = new ArrayList<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      int key = random.nextInt(6);
      if (!keys.contains(key)) {
        keys.add(key);
      }
    }
    List<List<Integer>> sets = new ArrayList<>();
    if (several > 0) {
      for (int i = 0; i < several; i++) {
        sets.add(
            IntStream.range(0, keys.size()).filter(k -> random.nextBoolean()).boxed().toList());
      }
    } else {
      sets.add(IntStream.range(0, keys.size()).boxed().toList());
    }
    List<AggregateCall> calls = new ArrayList<>();
    for (int i = random.nextInt(6); i > 0; i--) {
      AggregateCall call = call(random);
      if (several < 3 || !call.distinct()) {
        calls.add(call);
      }
    }
    boolean ids = random.nextBoolean();
    List<DataType> types = new ArrayList<>();
    keys.forEach(key -> types.add(SHAPES.get(key).type().withNullable(true)));
    calls.forEach(call -> types.add(call.type()));
    if (ids) {
      types.add(DataType.INT64);
    }
    PhysicalPlan plan = new PhysicalPlan.Aggregate(table.scan(), keys, sets, calls, ids, types);
    int workers = List.of(1, 2, 4).get(random.nextInt(3));
    int batch = random.nextBoolean() ? 64 : 4096;
    try (TestEngine engine = new TestEngine(workers, batch)) {
      List<List<@Nullable Object>> actual = engine.run(plan);
      assertEquals(
          TestEngine.counts(expected(rows, keys, sets, calls, ids)),
          TestEngine.counts(actual),
          () -> "keys " + keys + " sets " + sets + " calls " + calls + " workers " + workers);
    }
  }

  private static AggregateCall call(Random random) {
    AggregateFunction function =
        List.of(
                AggregateFunction.COUNT,
                AggregateFunction.SUM,
                AggregateFunction.SUM0,
                AggregateFunction.MIN,
                AggregateFunction.MAX)
            .get(random.nextInt(5));
    boolean sum = function == AggregateFunction.SUM || function == AggregateFunction.SUM0;
    int arg = sum ? List.of(1, 5, 6, 7).get(random.nextInt(4)) : random.nextInt(8);
    DataType type = SHAPES.get(arg).type().withNullable(true);
    if (function == AggregateFunction.COUNT) {
      type = DataType.INT64;
    } else if (sum) {
      type = type.kind() == TypeKind.DECIMAL ? WIDE : INT64;
      type = type.withNullable(function == AggregateFunction.SUM);
    }
    List<Integer> args = List.of(arg);
    if (function == AggregateFunction.COUNT && random.nextInt(3) == 0) {
      args = random.nextBoolean() ? List.of() : List.of(arg, (arg + 1) % 8);
    }
    boolean distinct = !args.isEmpty() && random.nextInt(3) == 0;
    int filter = random.nextInt(4) == 0 ? FILTER : -1;
    return new AggregateCall(
        function, null, function.name(), args, distinct, filter, List.of(), type);
  }

  static List<List<@Nullable Object>> expected(
      List<List<@Nullable Object>> rows,
      List<Integer> keys,
      List<List<Integer>> sets,
      List<AggregateCall> calls,
      boolean ids) {
    List<List<@Nullable Object>> result = new ArrayList<>();
    for (int set = 0; set < sets.size(); set++) {
      Map<List<@Nullable Object>, List<List<@Nullable Object>>> groups = new LinkedHashMap<>();
      if (sets.get(set).isEmpty()) {
        groups.put(key(List.of(), keys, sets.get(set)), new ArrayList<>());
      }
      for (List<@Nullable Object> row : rows) {
        groups.computeIfAbsent(key(row, keys, sets.get(set)), k -> new ArrayList<>()).add(row);
      }
      for (var group : groups.entrySet()) {
        List<@Nullable Object> row = new ArrayList<>(group.getKey());
        calls.forEach(call -> row.add(aggregate(call, group.getValue())));
        if (ids) {
          row.add((long) set);
        }
        result.add(row);
      }
    }
    return result;
  }

  private static List<@Nullable Object> key(
      List<@Nullable Object> row, List<Integer> keys, List<Integer> set) {
    List<@Nullable Object> key = new ArrayList<>();
    for (int i = 0; i < keys.size(); i++) {
      key.add(set.contains(i) ? normal(row.get(keys.get(i))) : null);
    }
    return key;
  }

  private static @Nullable Object normal(@Nullable Object value) {
    return value instanceof Double number && number == 0 ? (Object) (-0.0) : value;
  }

  private static @Nullable Object aggregate(
      AggregateCall call, List<List<@Nullable Object>> group) {
    List<List<@Nullable Object>> args = new ArrayList<>();
    for (List<@Nullable Object> row : group) {
      List<@Nullable Object> values = new ArrayList<>();
      call.args().forEach(arg -> values.add(row.get(arg)));
      if ((call.filter() < 0 || Boolean.TRUE.equals(row.get(call.filter())))
          && values.stream().allMatch(Objects::nonNull)) {
        args.add(values);
      }
    }
    if (call.distinct()) {
      Set<List<@Nullable Object>> seen = new HashSet<>(args);
      args = new ArrayList<>(seen);
    }
    AggregateFunction function = Objects.requireNonNull(call.function());
    if (function == AggregateFunction.COUNT) {
      return (long) args.size();
    }
    List<Object> values = args.stream().map(row -> Objects.requireNonNull(row.getFirst())).toList();
    if (values.isEmpty() && function != AggregateFunction.SUM0) {
      return null;
    }
    return switch (function) {
      case MIN -> values.stream().min(AggregateTest::compare).orElseThrow();
      case MAX -> values.stream().max(AggregateTest::compare).orElseThrow();
      default ->
          call.type().kind() == TypeKind.DECIMAL
              ? values.stream()
                  .map(value -> (BigDecimal) value)
                  .reduce(BigDecimal.valueOf(0, 2), BigDecimal::add)
              : (Object) values.stream().mapToLong(value -> (Long) value).sum();
    };
  }

  @SuppressWarnings({"unchecked", "rawtypes"})
  private static int compare(Object a, Object b) {
    return ((Comparable) a).compareTo(b);
  }

  @Test
  void hostAggregateSeesRowsInOrder() {
    Random random = TestSeed.random(AggregateTest.class);
    List<List<@Nullable Object>> rows = rows(random, 3000, 10);
    TestTable table = new TestTable(SHAPES, rows, 128);
    AggregateCall join =
        new AggregateCall(
            null,
            values -> String.join(",", values.stream().map(row -> row[0] + "").toList()),
            "LISTAGG",
            List.of(1),
            false,
            FILTER,
            List.of(new SortKey(1, true, false)),
            DataType.VARCHAR.withNullable(true));
    PhysicalPlan plan =
        new PhysicalPlan.Aggregate(
            table.scan(),
            List.of(2),
            List.of(List.of(0)),
            List.of(join),
            false,
            List.of(SHAPES.get(2).type(), join.type()));
    Map<@Nullable Object, List<Long>> expected = new LinkedHashMap<>();
    for (List<@Nullable Object> row : rows) {
      List<Long> values = expected.computeIfAbsent(row.get(2), k -> new ArrayList<>());
      if (Boolean.TRUE.equals(row.get(FILTER))) {
        values.add((Long) Objects.requireNonNull(row.get(1)));
      }
    }
    List<List<@Nullable Object>> wanted = new ArrayList<>();
    expected.forEach((key, values) -> {
      values.sort(Comparator.reverseOrder());
      wanted.add(
          Arrays.asList(key, String.join(",", values.stream().map(Object::toString).toList())));
    });
    for (int workers : new int[] {1, 3}) {
      try (TestEngine engine = new TestEngine(workers, 64)) {
        assertEquals(TestEngine.counts(wanted), TestEngine.counts(engine.run(plan)));
      }
    }
  }

  @Test
  void sumOverflowIsAnError() {
    List<List<Object>> rows = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      rows.add(List.of(Long.MAX_VALUE / 100));
    }
    TestTable table = new TestTable(List.of(ColumnShape.of(DataType.INT64)), rows, 64);
    PhysicalPlan plan = total(table, AggregateCall.of(AggregateFunction.SUM, INT64, 0));
    try (TestEngine engine = new TestEngine(2, 64)) {
      AragoniteException e = assertThrows(AragoniteException.class, () -> engine.run(plan));
      assertEquals(ErrorCode.NUMERIC_OVERFLOW, e.code());
    }
  }

  @Test
  void singleValueRefusesASecondRow() {
    AggregateCall call = AggregateCall.of(AggregateFunction.SINGLE_VALUE, INT64, 0);
    try (TestEngine engine = new TestEngine(4, 64)) {
      for (int count : new int[] {0, 1, 2, 600}) {
        List<List<Object>> rows = new ArrayList<>();
        for (int i = 0; i < count; i++) {
          rows.add(List.of(7L));
        }
        TestTable table = new TestTable(List.of(ColumnShape.of(DataType.INT64)), rows, 64);
        PhysicalPlan plan = total(table, call);
        if (count < 2) {
          assertEquals(
              List.of(Arrays.asList(count == 0 ? (Object) null : (Object) 7L)), engine.run(plan));
        } else {
          AragoniteException e = assertThrows(AragoniteException.class, () -> engine.run(plan));
          assertEquals(ErrorCode.SCALAR_SUBQUERY_ROWS, e.code());
        }
      }
    }
  }

  private static PhysicalPlan total(TestTable table, AggregateCall call) {
    return new PhysicalPlan.Aggregate(
        table.scan(), List.of(), List.of(List.of()), List.of(call), false, List.of(call.type()));
  }
}
