package io.aragonite.exec.integration.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.collective.KeyRanges;
import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.DiscreteDevice;
import io.aragonite.exec.device.ExpressionCompiler;
import io.aragonite.exec.device.PartitionFunction;
import io.aragonite.exec.device.cpu.CpuDevice;
import io.aragonite.exec.device.cpu.CpuExpressionCompiler;
import io.aragonite.exec.engine.Engine;
import io.aragonite.exec.engine.TestEngine;
import io.aragonite.exec.exchange.ShardedTable;
import io.aragonite.exec.exchange.SortedKey;
import io.aragonite.exec.group.DeviceGroup;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.MemoryLeaks;
import io.aragonite.exec.plan.AggregateCall;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.exec.plan.JoinType;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.PhysicalPlan.Aggregate;
import io.aragonite.exec.plan.PhysicalPlan.Exchange;
import io.aragonite.exec.plan.PhysicalPlan.Join;
import io.aragonite.exec.plan.PhysicalPlan.JoinKey;
import io.aragonite.exec.plan.TestTable;
import io.aragonite.exec.runtime.BatchResult;
import io.aragonite.exec.runtime.QueryOptions;
import io.aragonite.exec.testing.TestSample;
import io.aragonite.exec.testing.TestSeed;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.ValueRange;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.function.IntFunction;
import java.util.function.IntToLongFunction;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tables in order of a key, whose ranges lie on devices: the same rows as on one, unmoved. */
@Timeout(120)
class SortedKeyTest {
  private static final String EVERYWHERE = "aragonite.exchange.replicate";
  private static final String JOIN = "aragonite.exchange.join";
  private static final List<Integer> DEVICES = List.of(2, 3, 4, 5, 8);

  /** Three of them in a build. */
  private static final int[] COUNTS =
      new TestSample(SortedKeyTest.class)
          .some(DEVICES, 0.6).stream().mapToInt(count -> count).toArray();

  private static final ExpressionCompiler EXPRESSIONS = new CpuExpressionCompiler();
  private static final JoinAlgorithm NPHJ = JoinAlgorithm.NON_PARTITIONED_HASH;

  private final long seed = TestSeed.seed();
  private final Random random = new Random(seed);

  @BeforeEach
  void spreadAllTables() {
    System.setProperty(EVERYWHERE, "0");
    System.setProperty(JOIN, "hash");
  }

  @AfterEach
  void clear() {
    System.clearProperty(EVERYWHERE);
    System.clearProperty(JOIN);
  }

  /** Key, number, text. */
  private static TestTable table(boolean wide, int rows, IntUnaryOperator key) {
    DataType type = wide ? DataType.INT64 : DataType.INT32;
    List<ColumnShape> shapes =
        List.of(
            ColumnShape.of(type), ColumnShape.of(DataType.INT32), ColumnShape.of(DataType.VARCHAR));
    List<List<Object>> values = new ArrayList<>();
    for (int i = 0; i < rows; i++) {
      values.add(List.of((long) key.applyAsInt(i), (long) (i * 31 % 900), "text " + i % 97));
    }
    return new TestTable(shapes, values, 640);
  }

  private static Join join(PhysicalPlan left, PhysicalPlan right, JoinType type, int leftKey) {
    List<DataType> types = new ArrayList<>();
    left.types().forEach(t -> types.add(type.padsLeft() ? t.withNullable(true) : t));
    if (!type.leftOnly()) {
      right.types().forEach(t -> types.add(type.padsRight() ? t.withNullable(true) : t));
    }
    List<JoinKey> keys = List.of(new JoinKey(leftKey, 0, false));
    return new Join(left, right, type, keys, null, NPHJ, false, types);
  }

  private static List<List<@Nullable Object>> rows(BatchResult result) {
    List<List<@Nullable Object>> rows = new ArrayList<>();
    for (ColumnBatch batch = result.next(); batch != null; batch = result.next()) {
      rows.addAll(TestEngine.rows(batch));
    }
    return rows;
  }

  private static int moves(PhysicalPlan plan) {
    boolean here = plan instanceof Exchange e && e.kind() != Exchange.ExchangeKind.GATHER;
    return (here ? 1 : 0) + plan.inputs().stream().mapToInt(SortedKeyTest::moves).sum();
  }

  /**
   * @param moved exchanges but those that bring the result to the first device; -1: any number
   */
  private void check(PhysicalPlan plan, int moved, String what) {
    Map<List<@Nullable Object>, Integer> expected;
    try (TestEngine one = new TestEngine(1, 1024)) {
      expected = TestEngine.counts(one.run(plan));
    }
    for (int count : COUNTS) {
      List<Device> devices = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        CpuDevice host = new CpuDevice(1, new MemoryBudget("host", 64 << 20), EXPRESSIONS);
        devices.add(new DiscreteDevice(i, new MemoryBudget("memory", 64 << 20), host));
      }
      DeviceGroup group = new DeviceGroup(devices, true);
      try (var engine = new Engine(group)) {
        PhysicalPlan spread = group.choose(plan, devices).result().plan();
        assertNotNull(spread);
        String where = what + " on %d devices; -Daragonite.seed=%d".formatted(count, seed);
        assertTrue(moved < 0 || moved == moves(spread), () -> moves(spread) + " moves, " + where);
        try (BatchResult result = engine.execute(plan, QueryOptions.DEFAULT)) {
          assertEquals(expected, TestEngine.counts(rows(result)), where);
        }
        for (Device device : devices) {
          MemoryLeaks.assertReleased(device.memory());
          MemoryLeaks.assertReleased(device.host().memory());
        }
      }
    }
  }

  @Test
  void joinsOfAllTypesByTheKey() {
    for (boolean wide : new boolean[] {false, true}) {
      int least = random.nextInt(4000) - 2000;
      // Keys have none to four rows, and the last one is the other side's last: so ranges are
      // alike.
      TestTable many = table(wide, 3000, i -> least + i / 7 * 2 + (i % 7) / 4);
      TestTable one = table(wide, 429, i -> least + 2 * i);
      for (JoinType type : JoinType.values()) {
        if (type != JoinType.NULL_AWARE_ANTI) {
          check(join(many.scan(), one.scan(), type, 0), 0, "many with one, " + type);
          check(join(one.scan(), many.scan(), type, 0), 0, "one with many, " + type);
        }
      }
    }
  }

  /** Keys of 4 and of 8 bytes lie by the same ranges, and have to meet all the same. */
  @Test
  void keysOfTwoWidths() {
    int least = random.nextInt(4000) - 2000;
    TestTable narrow = table(false, 3000, i -> least + i / 7 * 2 + (i % 7) / 4);
    TestTable wide = table(true, 429, i -> least + 2 * i);
    for (JoinType type : List.of(JoinType.INNER, JoinType.LEFT, JoinType.FULL, JoinType.ANTI)) {
      check(join(narrow.scan(), wide.scan(), type, 0), -1, "4 with 8 bytes, " + type);
      check(join(wide.scan(), narrow.scan(), type, 0), -1, "8 with 4 bytes, " + type);
    }
  }

  /** What is joined by another column goes to where the keys are, and groups are where they are. */
  @Test
  void othersFollow() {
    TestTable a = table(false, 1800, i -> i / 2);
    TestTable b = table(false, 900, i -> i);
    Join ab = join(a.scan(), b.scan(), JoinType.INNER, 0);
    TestTable other = table(false, 700, i -> i * 37 % 901);
    check(join(other.scan(), ab, JoinType.INNER, 0), 1, "another with a, b");
    check(join(ab, b.scan(), JoinType.LEFT, 1), 1, "a, b by another column");
    AggregateCall count = AggregateCall.of(AggregateFunction.COUNT, DataType.INT64);
    List<DataType> types = List.of(DataType.INT32, DataType.INT64);
    Aggregate byKey =
        new Aggregate(ab, List.of(0), List.of(List.of(0)), List.of(count), false, types);
    check(byKey, 0, "groups of the key");
    check(join(byKey, a.scan(), JoinType.SEMI, 0), 0, "groups that have a partner");
    Aggregate byOther =
        new Aggregate(ab, List.of(1), List.of(List.of(0)), List.of(count), false, types);
    check(byOther, 1, "groups of another column");
    DataType padded = DataType.INT32.withNullable(true);
    Join outer = join(other.scan(), b.scan(), JoinType.LEFT, 0);
    Aggregate byPadded =
        new Aggregate(
            outer,
            List.of(3),
            List.of(List.of(0)),
            List.of(count),
            false,
            List.of(padded, DataType.INT64));
    check(byPadded, 2, "groups of a key that is null where there is no partner");
    PhysicalPlan texts =
        new PhysicalPlan.Scan(a, List.of(2, 1), List.of(DataType.VARCHAR, DataType.INT32));
    check(join(ab, texts, JoinType.SEMI, 2), 2, "the same table without its key");
    TestTable long64 = table(true, 900, i -> i);
    TestTable apart = table(false, 900, i -> 100_000 + i);
    check(join(a.scan(), apart.scan(), JoinType.LEFT, 0), 1, "ranges apart");
    check(long64.scan(), 0, "a table alone");
  }

  /** All rows, those of equal keys together, in pieces that a device can lay out. */
  @Test
  void sharesAreRangesOfKeys() {
    for (int ranks : COUNTS) {
      TestTable parents = table(false, 5000, i -> i);
      // The last keys have no children.
      TestTable children = table(true, 14_990, i -> i / 3);
      ShardedTable first = new ShardedTable(children, List::of, ranks);
      SortedKey childKey = first.key();
      assertNotNull(childKey);
      List<PartitionFunction> known = List.of(childKey.order());
      ShardedTable second = new ShardedTable(parents, () -> known, ranks);
      assertEquals(childKey.order(), Objects.requireNonNull(second.key()).order());
      Map<Object, Integer> ranks1 = where(first, ranks, 14_990);
      Map<Object, Integer> ranks2 = where(second, ranks, 5000);
      ranks1.forEach((key, rank) -> assertEquals(ranks2.get(key), rank, () -> "" + key));
      // A query on some of the devices finds equal keys on one device as well.
      for (int some = 1; some < ranks; some++) {
        Map<Object, Integer> fewer = where(second, some, 5000);
        where(first, some, 14_990)
            .forEach((key, rank) -> assertEquals(fewer.get(key), rank, () -> "" + key));
      }
    }
  }

  private static Map<Object, Integer> where(ShardedTable table, int ranks, int rows) {
    Map<Object, Integer> where = new HashMap<>();
    int all = 0;
    for (int rank = 0; rank < ranks; rank++) {
      List<ColumnBatch> chunks = table.share(rank, ranks).pin(List.of(0, 2)).chunks();
      int share = 0;
      int odd = 0;
      for (ColumnBatch chunk : chunks) {
        odd = (share & 63) == 0 ? 0 : odd + 1;
        assertTrue(odd < 2, "a piece begins between two lines of 64 rows, and the next does too");
        for (List<@Nullable Object> row : TestEngine.rows(chunk)) {
          Integer before = where.put(row.getFirst(), rank);
          assertTrue(before == null || before == rank, () -> "a key on two devices: " + row);
        }
        share += chunk.rows();
      }
      all += share;
      assertTrue(share <= 1.15 * rows / ranks + 1, share + " rows on one of " + ranks);
    }
    assertEquals(rows, all);
    return where;
  }

  @Test
  void whatIsDealtOut() {
    assertNull(key(table(true, 1000, i -> i == 500 ? 3 : i)), "not in order");
    assertNull(key(table(true, 1000, i -> i < 900 ? i : 50 * i)), "uneven");
    assertNull(key(table(true, 1000, i -> 7)), "one key");
    assertNull(key(table(true, 0, i -> i)), "no rows");
    assertNull(key(nullable(1000, i -> i == 999 ? null : (long) i, Storage.INT)), "a null key");
    assertNotNull(key(nullable(1000, i -> (long) i, Storage.INT)));
    assertNotNull(key(table(true, 1000, i -> i)));
  }

  /** Bitmaps begin at any row of a share; the key is in fewer bytes than its type has. */
  @Test
  void nullsBesideTheKey() {
    for (Storage storage : List.of(Storage.BYTE, Storage.SHORT, Storage.INT)) {
      int step = storage == Storage.BYTE ? 40 : 4;
      int rows = storage == Storage.BYTE ? 3000 : 2987;
      TestTable many = nullable(rows, i -> i / step - 40L, storage);
      TestTable one = nullable(rows / step, i -> i - 40L, storage);
      check(many.scan(), 0, "a table of nulls, " + storage);
      for (JoinType type : List.of(JoinType.INNER, JoinType.LEFT, JoinType.FULL, JoinType.ANTI)) {
        check(join(many.scan(), one.scan(), type, 0), 0, storage + ", " + type);
        check(join(one.scan(), many.scan(), type, 0), 0, storage + ", " + type);
      }
      Join byNulls = join(many.scan(), one.scan(), JoinType.LEFT, 1);
      check(byNulls, -1, "by a column of nulls, " + storage);
    }
  }

  /** Key, number and text, all of types that may be null; every third number is, and some texts. */
  private static TestTable nullable(int rows, IntFunction<@Nullable Long> key, Storage storage) {
    DataType number = DataType.INT32.withNullable(true);
    ColumnShape keys =
        new ColumnShape(number, storage, true, null, new ValueRange(Byte.MIN_VALUE, 1000));
    List<ColumnShape> shapes =
        List.of(keys, ColumnShape.of(number), ColumnShape.of(DataType.VARCHAR.withNullable(true)));
    List<List<@Nullable Object>> values = new ArrayList<>();
    for (int i = 0; i < rows; i++) {
      Long value = i % 3 == 1 ? null : (long) (i * 31 % 900);
      values.add(Arrays.asList(key.apply(i), value, i % 67 > 60 ? null : "text " + i % 97));
    }
    return new TestTable(shapes, values, 640);
  }

  /** Keys so far apart that their distance has 63 bits, and some beyond another table's range. */
  @Test
  void distantKeys() {
    long base = -(1L << 62);
    long step = (3L << 61) / 3000;
    long far = 1L << 62;
    TestTable first = numbers(i -> base + i * step);
    TestTable beyond = numbers(i -> i < 2900 ? base + i * step : far + i);
    TestTable other =
        numbers(i -> i % 2 == 0 ? far + 2900 + i * 7L % 100 : base + i * 37L % 3000 * step);
    ShardedTable known = new ShardedTable(first, List::of, 3);
    SortedKey key = Objects.requireNonNull(known.key());
    assertNull(new ShardedTable(beyond, () -> List.of(key.order()), 3).key());
    Join join = join(beyond.scan(), other.scan(), JoinType.INNER, 0);
    check(join(first.scan(), join, JoinType.LEFT, 0), -1, "a table beyond another's range");
  }

  private static TestTable numbers(IntToLongFunction key) {
    List<List<Object>> values = new ArrayList<>();
    for (int i = 0; i < 3000; i++) {
      values.add(List.of(key.applyAsLong(i), (long) i));
    }
    List<ColumnShape> shapes =
        List.of(ColumnShape.of(DataType.INT64), ColumnShape.of(DataType.INT32));
    return new TestTable(shapes, values, 640);
  }

  private static @Nullable SortedKey key(TestTable table) {
    return new ShardedTable(table, List::of, 3).key();
  }

  @Test
  void ordersBetweenKeys() {
    for (int i = 0; i < 10_000; i++) {
      long least = random.nextLong() >> random.nextInt(64);
      long most = least + (random.nextLong() >>> 1 + random.nextInt(62)) + 1;
      PartitionFunction order = most <= least ? null : KeyRanges.around(least, most);
      if (order != null) {
        KeyRanges ranges = KeyRanges.of(order, 3);
        String what = least + " to " + most + "; -Daragonite.seed=" + seed;
        assertTrue(order.base() <= least, what);
        assertTrue(Long.compareUnsigned(most - order.base(), order.range()) <= 0, what);
        assertTrue(ranges.parts() <= 1 << KeyRanges.BITS && ranges.parts() > 0, what);
        assertEquals(0, order.base() & (1L << order.shift(KeyRanges.BITS)) - 1, what);
      }
    }
    assertEquals(KeyRanges.around(1, 6_000_000), KeyRanges.around(3, 5_999_000));
    assertNull(KeyRanges.around(5, 5));
    assertNull(KeyRanges.around(Long.MIN_VALUE, Long.MAX_VALUE));
  }
}
