package io.aragonite.exec.integration.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.collective.KeyRanges;
import io.aragonite.exec.collective.KeyRanges.KeySummary;
import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.DiscreteDevice;
import io.aragonite.exec.device.ExpressionCompiler;
import io.aragonite.exec.device.HostPerfectHashTable;
import io.aragonite.exec.device.cpu.CpuDevice;
import io.aragonite.exec.device.cpu.CpuExpressionCompiler;
import io.aragonite.exec.engine.Engine;
import io.aragonite.exec.engine.TestEngine;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.group.DeviceGroup;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.MemoryLeaks;
import io.aragonite.exec.plan.AggregateCall;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.exec.plan.JoinEstimate;
import io.aragonite.exec.plan.JoinType;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.PhysicalPlan.Aggregate;
import io.aragonite.exec.plan.PhysicalPlan.Join;
import io.aragonite.exec.plan.PhysicalPlan.JoinKey;
import io.aragonite.exec.plan.TestTable;
import io.aragonite.exec.runtime.BatchResult;
import io.aragonite.exec.runtime.QueryOptions;
import io.aragonite.exec.testing.TestSample;
import io.aragonite.exec.testing.TestSeed;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.ValueRange;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.IntUnaryOperator;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Joins on several devices whose keys are spread by ranges, against the same on one. */
@Timeout(120)
class KeyRangesTest {
  private static final String EVERYWHERE = "aragonite.exchange.replicate";
  private static final String JOIN = "aragonite.exchange.join";
  private static final String RANGES = "aragonite.exchange.ranges";
  private static final String PARTS = "aragonite.join.parts";
  private static final String FILTER = "aragonite.join.filter";
  private static final String SORTED = "aragonite.exchange.sorted";
  private static final String CHUNKS = "aragonite.exchange.split";
  private static final List<Integer> DEVICES = List.of(2, 3, 4, 5, 8);

  private static final int[] ALL_COUNTS = DEVICES.stream().mapToInt(count -> count).toArray();

  /** Three of them in a build. */
  private static final int[] COUNTS =
      new TestSample(KeyRangesTest.class)
          .some(DEVICES, 0.6).stream().mapToInt(count -> count).toArray();

  /** Two of them, where there are many cases. */
  private int[] few() {
    return new int[] {DEVICES.get(random.nextInt(2)), DEVICES.get(2 + random.nextInt(3))};
  }

  private static final ExpressionCompiler EXPRESSIONS = new CpuExpressionCompiler();

  private final long seed = TestSeed.seed();
  private final Random random = new Random(seed);

  /** Rows of the last plan's scans and groups that devices got from exchanges. */
  private long moved;

  /** Partitions that the last plan's join was done in as they came. */
  private long received;

  /** Partitions of the last plan's probe sides that stayed where they were. */
  private long kept;

  @BeforeEach
  void spreadAllTables() {
    System.setProperty(EVERYWHERE, "0");
    System.setProperty(JOIN, "hash");
    System.setProperty(RANGES, "on");
    System.setProperty(SORTED, "off");
    System.setProperty(CHUNKS, random.nextBoolean() ? "0" : "1000000");
  }

  @AfterEach
  void clear() {
    System.clearProperty(EVERYWHERE);
    System.clearProperty(JOIN);
    System.clearProperty(RANGES);
    System.clearProperty(FILTER);
    System.clearProperty(SORTED);
    System.clearProperty(CHUNKS);
    System.clearProperty(PARTS);
    System.clearProperty(HostPerfectHashTable.PROPERTY);
  }

  /** Key, number, and, if {@code mixed}, a text and a number that may be null. */
  private TestTable table(boolean wide, boolean mixed, int rows, IntUnaryOperator key) {
    DataType type = wide ? DataType.INT64 : DataType.INT32;
    List<ColumnShape> shapes =
        new ArrayList<>(List.of(ColumnShape.of(type), ColumnShape.of(DataType.INT32)));
    if (mixed) {
      shapes.add(ColumnShape.of(DataType.VARCHAR));
      shapes.add(ColumnShape.of(DataType.INT64.withNullable(true)));
    }
    List<List<@Nullable Object>> values = new ArrayList<>();
    for (int i = 0; i < rows; i++) {
      List<@Nullable Object> row =
          new ArrayList<>(Arrays.asList((long) key.applyAsInt(i), (long) i));
      if (mixed) {
        row.add("text " + i % 97);
        row.add(i % 5 == 0 ? null : (Object) (long) i);
      }
      values.add(row);
    }
    return new TestTable(shapes, values, 640);
  }

  private static Join join(
      PhysicalPlan left, PhysicalPlan right, JoinType type, JoinAlgorithm algorithm) {
    List<DataType> types = new ArrayList<>();
    left.types().forEach(t -> types.add(type.padsLeft() ? t.withNullable(true) : t));
    if (!type.leftOnly()) {
      right.types().forEach(t -> types.add(type.padsRight() ? t.withNullable(true) : t));
    }
    return new Join(
        left, right, type, List.of(new JoinKey(0, 0, false)), null, algorithm, false, types);
  }

  private static List<List<@Nullable Object>> rows(BatchResult result) {
    List<List<@Nullable Object>> rows = new ArrayList<>();
    for (ColumnBatch batch = result.next(); batch != null; batch = result.next()) {
      rows.addAll(TestEngine.rows(batch));
    }
    return rows;
  }

  /**
   * @param remote whether the third of them is reached by none of the others
   */
  private static List<DiscreteDevice> fakes(int count, boolean remote) {
    List<DiscreteDevice> fakes = new ArrayList<>();
    for (int k = 0; k < count; k++) {
      int i = remote || k < DiscreteDevice.REMOTE ? k : k + 1;
      MemoryBudget budget = new MemoryBudget("memory", 64 << 20);
      CpuDevice host = new CpuDevice(1, new MemoryBudget("host", 64 << 20), EXPRESSIONS);
      fakes.add(new DiscreteDevice(i, budget, host));
    }
    return fakes;
  }

  /** How many joins of the plan had their keys spread by ranges. */
  private static int ranged(BatchResult result, PhysicalPlan plan, Set<Object> seen) {
    int here =
        seen.add(result.metrics().node(plan))
                && result.metrics().node(plan).figures.containsKey("ranges of keys")
            ? 1
            : 0;
    return here + plan.inputs().stream().mapToInt(p -> ranged(result, p, seen)).sum();
  }

  private static long moved(BatchResult result, PhysicalPlan plan, Set<Object> seen) {
    long here =
        seen.add(result.metrics().node(plan))
            ? result.metrics().node(plan).figures.getOrDefault("rows received", 0L)
            : 0;
    return here + plan.inputs().stream().mapToLong(p -> moved(result, p, seen)).sum();
  }

  private static long kept(BatchResult result, PhysicalPlan plan, Set<Object> seen) {
    long here =
        seen.add(result.metrics().node(plan))
            ? result.metrics().node(plan).figures.getOrDefault("partitions that stay", 0L)
            : 0;
    return here + plan.inputs().stream().mapToLong(p -> kept(result, p, seen)).sum();
  }

  /** Whatever devices reach each other. */
  private int check(PhysicalPlan plan, String what) {
    return check(plan, what, random.nextBoolean());
  }

  private int check(PhysicalPlan plan, String what, boolean remote) {
    return check(plan, what, remote, COUNTS);
  }

  private int check(PhysicalPlan plan, String what, boolean remote, int[] counts) {
    received = 0;
    kept = 0;
    moved = 0;
    Map<List<@Nullable Object>, Integer> expected;
    try (TestEngine one = new TestEngine(1, 1024)) {
      expected = TestEngine.counts(one.run(plan));
    }
    int ranged = 0;
    for (int count : counts) {
      // All devices have two chunks, or those with more rows, or none.
      int chunks = List.of(0, 3000 / count, 1_000_000).get(random.nextInt(3));
      System.setProperty(CHUNKS, String.valueOf(chunks));
      List<DiscreteDevice> devices = fakes(count, remote);
      try (var engine = new Engine(new DeviceGroup(devices, true))) {
        try (BatchResult result = engine.execute(plan, QueryOptions.DEFAULT)) {
          assertEquals(
              expected,
              TestEngine.counts(rows(result)),
              () ->
                  "%s on %d devices, chunks from %d rows; -Daragonite.seed=%d"
                      .formatted(what, count, chunks, seed));
          ranged += ranged(result, plan, new HashSet<>());
          moved += moved(result, plan, new HashSet<>());
          kept += kept(result, plan, new HashSet<>());
          received +=
              result.metrics().node(plan).figures.getOrDefault("partitions as received", 0L);
        }
        for (Device device : devices) {
          MemoryLeaks.assertReleased(device.memory());
          MemoryLeaks.assertReleased(device.host().memory());
        }
      }
    }
    return ranged;
  }

  @Test
  void keysOfAllKinds() {
    Map<String, IntUnaryOperator> kinds = new LinkedHashMap<>();
    kinds.put("dense", i -> i);
    kinds.put("mixed", i -> i * 37 % 1009 - 500);
    kinds.put("sparse", i -> 5 * i);
    // Far fewer partitions have keys than a power of two, and others' keys lie behind them.
    kinds.put("between", i -> i % 520);
    kinds.put("beyond", i -> i < 700 ? i : 3 * i);
    kinds.put("repeated", i -> i % 300);
    kinds.put("skewed", i -> (int) (900 * Math.pow(random.nextDouble(), 6)));
    kinds.forEach((name, key) -> {
      boolean wide = random.nextBoolean();
      TestTable left = table(wide, random.nextBoolean(), 1009, key);
      TestTable right = table(wide, random.nextBoolean(), 700, i -> key.applyAsInt(i) + i % 3);
      for (JoinAlgorithm algorithm :
          List.of(JoinAlgorithm.PARTITIONED_HASH, JoinAlgorithm.NON_PARTITIONED_HASH)) {
        int ranged = check(join(left.scan(), right.scan(), JoinType.INNER, algorithm), name);
        assertEquals(COUNTS.length, ranged, name);
      }
    });
  }

  private static TestTable bounded(DataType type, long most, int rows, IntUnaryOperator key) {
    ColumnShape keys = ColumnShape.of(type).withRange(new ValueRange(-most, most));
    List<List<@Nullable Object>> values = new ArrayList<>();
    for (int i = 0; i < rows; i++) {
      long value = key.applyAsInt(i);
      values.add(
          Arrays.asList(
              type.kind() == TypeKind.DECIMAL
                  ? BigDecimal.valueOf(value, type.scale())
                  : (Object) value,
              (long) i));
    }
    return new TestTable(List.of(keys, ColumnShape.of(DataType.INT32)), values, 640);
  }

  /** Keys that a device keeps in one or two bytes, beside some that take four or eight. */
  @Test
  void keysNarrowerThanWords() {
    DataType decimal = DataType.decimal(18, 2, false);
    int ranged = 0;
    for (DataType type : List.of(DataType.DATE, decimal)) {
      for (long most : new long[] {100, 30_000, 1_000_000}) {
        int span = (int) Math.min(most, 500);
        TestTable first = bounded(type, 3_000_000, 1009, i -> i * 37 % (2 * span) - span);
        TestTable second = bounded(type, 3_000_000, 700, i -> i % (2 * span) - span);
        TestTable third = bounded(type, most, 2 * span, i -> i - span);
        for (JoinAlgorithm algorithm :
            List.of(JoinAlgorithm.PARTITIONED_HASH, JoinAlgorithm.NON_PARTITIONED_HASH)) {
          Join join = join(first.scan(), second.scan(), JoinType.INNER, algorithm);
          String what = "%s to %d, %s".formatted(type, most, algorithm);
          ranged += check(join, what, false, few());
          ranged += check(join(join, third.scan(), JoinType.INNER, algorithm), what, false, few());
          ranged += check(join(third.scan(), join, JoinType.LEFT, algorithm), what, false, few());
        }
      }
    }
    assertTrue(ranged > 0, ranged + " joins by ranges");
  }

  /** Plain columns alone, which are joined in the partitions that they come in. */
  @Test
  void sidesAsTheyCome() {
    Map<String, IntUnaryOperator> probes = new LinkedHashMap<>();
    probes.put("partners", i -> i % 3000);
    probes.put("most with partners", i -> i % 3100 - 50);
    probes.put("of one device", i -> 2990 + i % 10);
    probes.put("none", i -> 5000 + i);
    for (boolean wide : new boolean[] {false, true}) {
      for (int repeated : new int[] {1, 2}) {
        TestTable build = table(wide, false, 3000, i -> i * 7 % 3000 / repeated * repeated);
        probes.forEach((name, key) -> {
          TestTable probe = table(wide, false, 4000, key);
          Join join =
              join(probe.scan(), build.scan(), JoinType.INNER, JoinAlgorithm.PARTITIONED_HASH);
          String what = name + (wide ? ", wide, each " : ", each ") + repeated;
          assertEquals(COUNTS.length, check(join, what, false), what);
          // Some keys stand out on some devices only, and some partitions have a key of none.
          assertTrue(received > 0 || kept > 0 || name.equals("none"), what);
        });
      }
    }
  }

  /** So many that copies are made when somebody asks for what they bring, slice by slice. */
  @Test
  void manyRowsComeLate() {
    int rows = 50_000;
    TestTable build = table(true, false, rows, i -> (int) (i * 7919L % rows));
    for (int without : new int[] {0, 5}) {
      TestTable probe = table(true, false, rows, i -> (int) (i * 31L % (rows + without)));
      Join join = join(probe.scan(), build.scan(), JoinType.INNER, JoinAlgorithm.PARTITIONED_HASH);
      String what = "many rows, " + without + " keys without partners";
      assertEquals(COUNTS.length, check(join, what, false));
      assertTrue(received > 0);
    }
  }

  /**
   * Where single keys are frequent rows of the probe side stay where they are, unless somebody
   * wants the joined rows on the devices of their keys.
   */
  @Test
  void frequentKeysStay() {
    Map<String, IntUnaryOperator> probes = new LinkedHashMap<>();
    probes.put("one key", i -> 1234);
    probes.put("half of one key", i -> i % 2 == 0 ? 2999 : i % 3000);
    probes.put("two keys", i -> i % 2 * 2000 + 50);
    probes.put("one without a partner", i -> i % 4 == 0 ? i % 3000 : 4000);
    DataType key = DataType.INT64;
    AggregateCall count = AggregateCall.of(AggregateFunction.COUNT, DataType.INT64);
    for (int repeated : new int[] {1, 3}) {
      TestTable build = table(true, false, 3000, i -> i * 7 % 3000 / repeated * repeated);
      probes.forEach((name, probed) -> {
        TestTable probe = table(true, false, 6000, probed);
        for (JoinType type : List.of(JoinType.INNER, JoinType.LEFT, JoinType.FULL)) {
          for (JoinAlgorithm algorithm :
              List.of(JoinAlgorithm.PARTITIONED_HASH, JoinAlgorithm.NON_PARTITIONED_HASH)) {
            Join join = join(probe.scan(), build.scan(), type, algorithm);
            String what = "%s, %s, %s, each %d".formatted(name, type, algorithm, repeated);
            check(join, what, false, few());
            assertTrue(type != JoinType.INNER || kept > 0, what);
            boolean whole = type == JoinType.INNER && algorithm == JoinAlgorithm.PARTITIONED_HASH;
            assertTrue(!whole || received > 0, what + ": what has come is partitioned again");
            List<DataType> types = List.of(key, DataType.INT64);
            check(
                new Aggregate(join, List.of(0), List.of(List.of(0)), List.of(count), false, types),
                what + ", grouped",
                false,
                new int[] {DEVICES.get(random.nextInt(DEVICES.size()))});
            assertEquals(0, kept, what);
          }
        }
      });
    }
  }

  /**
   * Payload of the build side where keys say, which a GPU has: as a stand-in on the host has it.
   */
  @Test
  void payloadLiesWhereKeysSay() {
    System.setProperty(HostPerfectHashTable.PROPERTY, "true");
    System.setProperty(PARTS, "on");
    Map<String, IntUnaryOperator> probes = new LinkedHashMap<>();
    probes.put("partners", i -> i % 3000);
    probes.put("one key", i -> 1234);
    probes.put("half of the last key", i -> i % 2 == 0 ? 2999 : i % 3000);
    probes.put("two keys", i -> i % 2 * 2900 + 50);
    probes.put("one without a partner", i -> i % 4 == 0 ? i % 3000 : 4000);
    for (boolean wide : new boolean[] {false, true}) {
      for (int base : new int[] {-1700, 0, 1_000_000}) {
        // Complete, or with a gap, or with a key that is there twice.
        for (int gap : new int[] {0, 1, -1}) {
          IntUnaryOperator key = i -> i == 77 && gap != 0 ? (gap > 0 ? 3001 : 78) : i * 7 % 3000;
          TestTable build = table(wide, false, 3000, i -> base + key.applyAsInt(i));
          probes.forEach((name, probed) -> {
            TestTable probe = table(wide, false, 4000, i -> base + probed.applyAsInt(i));
            Join join =
                join(probe.scan(), build.scan(), JoinType.INNER, JoinAlgorithm.PARTITIONED_HASH);
            int before = HostPerfectHashTable.JOINED.get();
            String what = "%s from %d, wide %s, gap %d".formatted(name, base, wide, gap);
            check(join, what, false, gap == 0 ? ALL_COUNTS : few());
            boolean joined = HostPerfectHashTable.JOINED.get() > before;
            assertTrue(joined || gap != 0 || name.endsWith("without a partner"), what);
          });
        }
      }
    }
  }

  private static Join selective(PhysicalPlan probe, PhysicalPlan build, JoinType type) {
    Join join = join(probe, build, type, JoinAlgorithm.PARTITIONED_HASH);
    JoinEstimate expected = new JoinEstimate(300, 4000, 300, 0.15, 600, 0.01, "", false);
    return new Join(
        probe, build, type, join.keys(), null, join.algorithm(), false, join.types(), expected);
  }

  /** By the keys of all devices, whatever becomes of the keys' places. */
  @Test
  void rowsAreFilteredBeforeTheyAreSent() {
    TestTable probe = table(true, true, 4000, i -> i * 31 % 2100);
    TestTable narrow = table(false, false, 4000, i -> i * 31 % 2100);
    TestTable build = table(true, false, 300, i -> 7 * i);
    AggregateCall count = AggregateCall.of(AggregateFunction.COUNT, DataType.INT64);
    List<DataType> types = List.of(DataType.INT64, DataType.INT64);
    Aggregate groups =
        new Aggregate(probe.scan(), List.of(0), List.of(List.of(0)), List.of(count), false, types);
    for (String ranges : List.of("on", "off")) {
      System.setProperty(RANGES, ranges);
      List<Join> joins = new ArrayList<>();
      for (JoinType type : List.of(JoinType.INNER, JoinType.SEMI, JoinType.RIGHT)) {
        joins.add(selective(probe.scan(), build.scan(), type));
      }
      // Keys of another width, which never go by ranges; groups of the probe side's keys.
      joins.add(selective(narrow.scan(), build.scan(), JoinType.INNER));
      joins.add(selective(groups, build.scan(), JoinType.INNER));
      joins.add(selective(joins.getFirst(), build.scan(), JoinType.INNER));
      for (Join join : joins) {
        System.setProperty(FILTER, "off");
        int[] counts = few();
        boolean remote = random.nextBoolean();
        check(join, join.joinType() + " without filters, ranges " + ranges, remote, counts);
        long all = moved;
        System.setProperty(FILTER, "on");
        check(join, join.joinType() + " with filters, ranges " + ranges, remote, counts);
        // Parts of groups move under a plan of their own.
        boolean parts = join.left() instanceof Aggregate;
        assertTrue(parts || moved < all / 2, join.joinType() + ": " + moved + " rows of " + all);
      }
      Join left = selective(probe.scan(), build.scan(), JoinType.LEFT);
      check(left, "what has no partner comes out");
      check(selective(probe.scan(), table(true, false, 0, i -> i).scan(), JoinType.INNER), "none");
    }
  }

  @Test
  void joinsOfAllTypes() {
    TestTable left = table(true, true, 800, i -> i % 500 - 20);
    TestTable right = table(true, false, 600, i -> i);
    for (JoinType type : JoinType.values()) {
      check(join(left.scan(), right.scan(), type, JoinAlgorithm.PARTITIONED_HASH), type.toString());
    }
  }

  /** What follows on the same keys goes to the same places, in whatever order it is asked for. */
  @Test
  void severalJoinsByOneKey() {
    TestTable a = table(false, false, 900, i -> i);
    TestTable b = table(false, true, 500, i -> 2 * i);
    TestTable c = table(false, false, 700, i -> i + 100);
    JoinAlgorithm phj = JoinAlgorithm.PARTITIONED_HASH;
    Join ab = join(a.scan(), b.scan(), JoinType.INNER, phj);
    check(join(ab, c.scan(), JoinType.INNER, phj), "a, b, then c");
    check(join(c.scan(), ab, JoinType.INNER, phj), "c with a, b");
    check(join(c.scan(), ab, JoinType.LEFT, phj), "c with or without a, b");
    Join cb = join(c.scan(), b.scan(), JoinType.INNER, phj);
    check(join(ab, cb, JoinType.INNER, phj), "a, b with c, b");
    DataType key = DataType.INT32;
    List<DataType> types = List.of(key, DataType.INT64);
    AggregateCall count = AggregateCall.of(AggregateFunction.COUNT, DataType.INT64);
    Aggregate groups =
        new Aggregate(ab, List.of(0), List.of(List.of(0)), List.of(count), false, types);
    check(groups, "groups of a, b");
    Aggregate others =
        new Aggregate(c.scan(), List.of(0), List.of(List.of(0)), List.of(count), false, types);
    check(join(ab, others, JoinType.INNER, phj), "a, b with groups of c");
    check(join(others, ab, JoinType.INNER, phj), "groups of c with a, b");
    // By their hash groups are where their keys belong, and stay there.
    System.setProperty(RANGES, "off");
    check(join(ab, others, JoinType.INNER, phj), "a, b with groups of c, by hash");
    check(join(others, ab, JoinType.INNER, phj), "groups of c with a, b, by hash");
    check(join(ab, groups, JoinType.LEFT, phj), "a, b with their groups, by hash");
  }

  @Test
  void fewRowsAndOneKey() {
    for (int rows : new int[] {0, 1, 2, 9, 70}) {
      TestTable left = table(true, false, rows, i -> i);
      TestTable right = table(true, false, 100, i -> 7);
      JoinAlgorithm phj = JoinAlgorithm.PARTITIONED_HASH;
      check(join(left.scan(), right.scan(), JoinType.INNER, phj), rows + " with one key");
      check(join(right.scan(), left.scan(), JoinType.INNER, phj), "one key with " + rows);
      check(join(left.scan(), left.scan(), JoinType.INNER, phj), rows + " with themselves");
    }
  }

  /**
   * However far two sides have come: on without a device that fails or is out of memory, to an end
   * where the query is to end, and nothing is left on any device.
   */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void somethingHappensUnderWay(boolean plain) {
    // Only plain columns are brought in partitions.
    TestTable left = table(true, !plain, 3000, i -> i % 2000);
    TestTable right = table(true, false, 2000, i -> i);
    Join join = join(left.scan(), right.scan(), JoinType.INNER, JoinAlgorithm.PARTITIONED_HASH);
    check(join, "nothing happens", !plain);
    assertEquals(plain, received > 0);
    System.setProperty(CHUNKS, "0");
    Map<List<@Nullable Object>, Integer> expected;
    try (TestEngine one = new TestEngine(1, 1024)) {
      expected = TestEngine.counts(one.run(join));
    }
    int disturbed = 0;
    for (int after = 1; after < 60; after += 3) {
      int when = after;
      for (int what = 0; what < 3; what++) {
        List<DiscreteDevice> devices = fakes(3, !plain);
        AtomicInteger polls = new AtomicInteger();
        boolean ends = what == 0;
        boolean fails = what == 1;
        if (what == 2) {
          devices.get(1).refuseAfter(when);
        }
        BooleanSupplier ended =
            () -> {
              boolean now = polls.incrementAndGet() == when;
              if (now && fails) {
                devices.get(1).fail();
              }
              return ends && polls.get() >= when;
            };
        QueryOptions options = new QueryOptions(List.of(), 0, 0, null, ended, null);
        try (var engine = new Engine(new DeviceGroup(devices, true))) {
          try (BatchResult result = engine.execute(join, options)) {
            assertEquals(expected, TestEngine.counts(rows(result)), "after " + when);
            disturbed += result.metrics().note().startsWith("after a failure") ? 1 : 0;
          } catch (AragoniteException e) {
            assertEquals(ErrorCode.CANCELLED, e.code(), e::getMessage);
            assertTrue(ends, e::getMessage);
            disturbed++;
          }
          for (Device device : devices) {
            MemoryLeaks.assertReleased(device.memory());
            MemoryLeaks.assertReleased(device.host().memory());
          }
        }
      }
    }
    assertTrue(disturbed > 20, disturbed + " queries were disturbed");
  }

  /** A key that cannot be null, in a column with a bitmap, follows ranges that others decided. */
  @Test
  void keysWithABitmap() {
    ColumnShape number = ColumnShape.of(DataType.INT64);
    for (boolean text : new boolean[] {false, true}) {
      ColumnShape third = text ? ColumnShape.of(DataType.VARCHAR) : number;
      List<ColumnShape> shapes = List.of(number.withMayBeNull(true), number, third);
      List<List<@Nullable Object>> values = new ArrayList<>();
      for (long i = 0; i < 900; i++) {
        values.add(Arrays.asList(i * 7 % 900, i * 1000, text ? "text " + i : (Object) i));
      }
      TestTable c = new TestTable(shapes, values, 640);
      JoinAlgorithm phj = JoinAlgorithm.PARTITIONED_HASH;
      TestTable a = table(true, false, 1009, i -> i);
      TestTable b = table(true, false, 700, i -> i);
      Join ab = join(a.scan(), b.scan(), JoinType.INNER, phj);
      check(join(c.scan(), ab, JoinType.INNER, phj), "a key with a bitmap, text " + text);
    }
  }

  private static @Nullable KeyRanges decided(List<KeySummary> deciding, List<KeySummary> other) {
    return KeyRanges.of(deciding, other).ranges();
  }

  private static KeySummary facts(long rows, long least, long most, LongStream sample) {
    return new KeySummary(true, rows, least, most, sample.toArray());
  }

  /** By themselves: dense keys only, and where no device would have much more than others. */
  @Test
  void whatIsSpreadByRanges() {
    System.clearProperty(RANGES);
    long n = 1 << 24;
    LongStream.Builder none = LongStream.builder();
    KeySummary dense = facts(n, 0, 2 * n - 1, LongStream.range(0, 4096).map(i -> i * n / 2048));
    KeySummary other = facts(n, -5, 3 * n, LongStream.range(0, 4096).map(i -> i * 7919 % (2 * n)));
    KeyRanges ranges = decided(List.of(dense, dense), List.of(other, dense));
    assertNotNull(ranges);
    assertEquals(1 << KeyRanges.BITS, ranges.parts());
    assertEquals(128, ranges.first(1));
    assertEquals(n, ranges.least(1));
    assertTrue(KeyRanges.servesTable(ranges.order(), n));
    assertFalse(KeyRanges.servesTable(ranges.order(), n / 4));
    KeySummary apart = facts(n, 0, 100 * n, none.build());
    assertNull(decided(List.of(apart, apart), List.of(other, dense)));
    KeySummary clustered = facts(n, 0, n / 4, LongStream.range(0, 4096).map(i -> i * 512));
    assertNull(decided(List.of(dense, dense), List.of(clustered, clustered)));
    KeySummary empty = facts(0, Long.MAX_VALUE, Long.MIN_VALUE, LongStream.empty());
    assertNotNull(decided(List.of(dense, empty), List.of(empty, other)));
    assertNull(decided(List.of(empty, empty), List.of(dense, dense)));
    KeySummary nulls = new KeySummary(false, n, 0, 0, new long[0]);
    assertNull(decided(List.of(dense, nulls), List.of(dense, dense)));
    assertTrue(KeyRanges.worth(n));
  }
}
