package io.aragonite.exec.integration.join;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.aragonite.exec.device.Device;
import io.aragonite.exec.engine.TestEngine;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.plan.AggregateCall;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.exec.plan.JoinType;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.PhysicalPlan.Aggregate;
import io.aragonite.exec.plan.PhysicalPlan.Filter;
import io.aragonite.exec.plan.PhysicalPlan.Join;
import io.aragonite.exec.plan.PhysicalPlan.JoinKey;
import io.aragonite.exec.plan.PhysicalPlan.Project;
import io.aragonite.exec.plan.PhysicalPlan.Scan;
import io.aragonite.exec.plan.TestTable;
import io.aragonite.exec.runtime.BatchResult;
import io.aragonite.exec.runtime.QueryOptions;
import io.aragonite.exec.testing.TestSeed;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.Dictionary;
import io.aragonite.exec.vector.ValueRange;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Every algorithm, join type and build side against a nested loop, over random key types, sizes,
 * nulls, duplicates, residual conditions and batch sizes.
 */
class JoinContractTest {
  private static final int ROUNDS = Integer.getInteger("aragonite.rounds", 10);

  /** A key column on both sides, in storages that may differ. */
  private enum KeyKind {
    LONG_RANGE,
    LONG,
    LONG_EXTREMES,
    INT_EXTREMES,
    INT_RANGE,
    SHORTS,
    BYTES,
    DATES,
    DECIMALS,
    WIDE_DECIMALS,
    WIDEST_DECIMALS,
    TEXT,
    CODES,
    OTHER_CODES,
    CODE_AND_TEXT,
    FLOATS,
    SINGLES,
    BOOLEANS
  }

  private record Case(
      JoinType type,
      JoinAlgorithm algorithm,
      boolean buildLeft,
      boolean residual,
      List<KeyKind> keys,
      boolean nullSafe,
      int leftRows,
      int rightRows,
      int distinct,
      double nulls,
      int batchRows,
      int workers,
      boolean hashZero,
      String tables,
      long seed) {}

  @Test
  void agreesWithNestedLoop() {
    long seed = TestSeed.seed();
    Random random = new Random(seed);
    for (int round = 0; round < ROUNDS; round++) {
      for (JoinType type : JoinType.values()) {
        for (JoinAlgorithm algorithm : JoinAlgorithm.values()) {
          check(randomCase(random, type, algorithm), seed);
        }
      }
    }
  }

  /** A million pairs in the memory of a few thousand. */
  @Test
  void manyPairsNeedLittleMemory() {
    List<ColumnShape> shapes = List.of(ColumnShape.of(DataType.INT64));
    // compute-sanitizer takes minutes for the batches of a million pairs
    int copies = Boolean.getBoolean("aragonite.contract.light") ? 100 : 1000;
    List<List<Long>> rows = Collections.nCopies(copies, List.of(7L));
    TestTable table = new TestTable(shapes, rows, 64);
    for (JoinAlgorithm algorithm : JoinAlgorithm.values()) {
      List<JoinKey> keys =
          algorithm == JoinAlgorithm.NESTED_LOOP ? List.of() : List.of(new JoinKey(0, 0, false));
      Join join =
          new Join(
              table.scan(),
              table.scan(),
              JoinType.INNER,
              keys,
              null,
              algorithm,
              false,
              List.of(DataType.INT64, DataType.INT64));
      Aggregate count =
          new Aggregate(
              join,
              List.of(),
              List.of(List.of()),
              List.of(AggregateCall.of(AggregateFunction.COUNT, DataType.INT64)),
              false,
              List.of(DataType.INT64));
      try (TestEngine engine = new TestEngine(1, 256, 2 << 20)) {
        assertEquals(List.of(List.of((long) copies * copies)), engine.run(count));
      }
    }
  }

  @Test
  void joinsWithoutColumnsCountRows() {
    TestTable table =
        new TestTable(
            List.of(ColumnShape.of(DataType.INT64)), Collections.nCopies(1000, List.of(7L)), 64);
    Scan left = new Scan(table, List.of(), List.of());
    Filter none =
        new Filter(
            new Scan(table, List.of(0), List.of(DataType.INT64)),
            Expr.call(
                Op.LT,
                DataType.BOOLEAN,
                Expr.ref(0, DataType.INT64),
                Expr.literal(7L, DataType.INT64)));
    for (JoinType type : JoinType.values()) {
      for (boolean buildLeft : new boolean[] {false, true}) {
        for (boolean empty : new boolean[] {false, true}) {
          PhysicalPlan right = empty ? new Project(none, List.of()) : left;
          Join join =
              new Join(
                  left,
                  right,
                  type,
                  List.of(),
                  null,
                  JoinAlgorithm.NESTED_LOOP,
                  buildLeft,
                  List.of());
          long pairs = empty ? 0 : 1_000_000;
          long expected =
              switch (type) {
                case INNER, RIGHT -> pairs;
                case LEFT, FULL -> empty ? 1000 : pairs;
                case SEMI -> empty ? 0 : 1000;
                case ANTI, NULL_AWARE_ANTI -> empty ? 1000 : 0;
              };
          Aggregate count =
              new Aggregate(
                  join,
                  List.of(),
                  List.of(List.of()),
                  List.of(AggregateCall.of(AggregateFunction.COUNT, DataType.INT64)),
                  false,
                  List.of(DataType.INT64));
          try (TestEngine engine = new TestEngine(2, 256, 2 << 20)) {
            assertEquals(
                List.of(List.of(expected)), engine.run(count), () -> type + " " + buildLeft);
          }
        }
      }
    }
  }

  /**
   * Partitions get tables of their own where a sample of the words has none twice; two rows beyond
   * the sample that are equal after all take the way over one table.
   */
  @Test
  void partitionsWithTablesOfTheirOwn() {
    for (boolean twice : new boolean[] {false, true}) {
      int count = manyRows();
      List<List<@Nullable Object>> rows = new ArrayList<>();
      for (int i = count - 1; i >= 0; i--) {
        rows.add(List.of((twice && i == 1 ? 0 : i) * 0x9E37_79B9L, (long) i));
      }
      checkPartitioned(
          rows,
          rows,
          count,
          (figures, device) -> {
            boolean small = device.hash().joinedPartitionRows(8) > 0;
            assertEquals(
                twice || !small ? Long.valueOf(1) : figures.get("partitions"),
                figures.get("tables"));
          });
    }
  }

  /** Where words of both sides ascend and lie evenly, a GPU leaves rows as they lie. */
  @Test
  void sidesInOrderAreNotPartitionedOnGpus() {
    for (boolean even : new boolean[] {false, true}) {
      int count = manyRows();
      List<List<@Nullable Object>> build = new ArrayList<>();
      List<List<@Nullable Object>> probe = new ArrayList<>();
      long pairs = 0;
      for (int i = 0; i < count; i++) {
        long key = even ? 1000L * i - 7_000_000 : 1_000_000L * (i / 1000) + i % 1000;
        probe.add(List.of(key, (long) i));
        // Some keys are there twice, some not at all.
        boolean twice = i % 5 == 1;
        boolean other = i % 5 > 1 && i % 7 == 0;
        long built = twice ? key - (even ? 1000 : 1) : other ? key + 1 : key;
        build.add(List.of(built, (long) i));
        pairs += twice || other ? 0 : 1;
      }
      checkPartitioned(
          build,
          probe,
          pairs,
          (figures, device) -> {
            boolean stay = even && device.name().startsWith("cuda");
            assertEquals(stay, figures.get("partitions") == 1, figures::toString);
          });
    }
  }

  /** Where tests have joins spill, parts are joined as they come: many rows are no other test. */
  private static int manyRows() {
    return Long.getLong("aragonite.test.spillRoom", 0) > 0 ? 10_000 : 300_000;
  }

  /**
   * Counts pairs of equal keys, of which rows with the same number remain.
   *
   * @param figures gets those of the join, and the device, if one joins all rows in memory
   */
  private static void checkPartitioned(
      List<List<@Nullable Object>> build,
      List<List<@Nullable Object>> probe,
      long pairs,
      BiConsumer<Map<String, Long>, Device> figures) {
    List<ColumnShape> shapes =
        List.of(ColumnShape.of(DataType.INT64), ColumnShape.of(DataType.INT64));
    Join join =
        new Join(
            new TestTable(shapes, probe, 1 << 16).scan(),
            new TestTable(shapes, build, 1 << 16).scan(),
            JoinType.INNER,
            List.of(new JoinKey(0, 0, false)),
            null,
            JoinAlgorithm.PARTITIONED_HASH,
            false,
            Collections.nCopies(4, DataType.INT64));
    Expr same =
        Expr.call(
            Op.EQ, DataType.BOOLEAN, Expr.ref(1, DataType.INT64), Expr.ref(3, DataType.INT64));
    Aggregate counts =
        new Aggregate(
            new Filter(join, same),
            List.of(),
            List.of(List.of()),
            List.of(AggregateCall.of(AggregateFunction.COUNT, DataType.INT64)),
            false,
            List.of(DataType.INT64));
    System.setProperty("aragonite.join.parts", "on");
    try (TestEngine engine = new TestEngine(2, 1 << 14);
        BatchResult result = engine.engine().execute(counts, QueryOptions.DEFAULT)) {
      assertEquals(List.of(List.of(pairs)), TestEngine.rows(Objects.requireNonNull(result.next())));
      boolean spills = Long.getLong("aragonite.test.spillRoom", 0) > 0;
      // Of several devices the one that has the equal rows goes another way.
      if (!spills && engine.devices().size() == 1) {
        figures.accept(result.metrics().node(join).figures, engine.engine().device());
      }
    } finally {
      System.clearProperty("aragonite.join.parts");
    }
  }

  /** Semi and anti joins mark a build row a word: equal rows on both sides make no pairs. */
  @Test
  void semiJoinOfManyEqualRowsMakesNoPairs() {
    List<ColumnShape> shapes = List.of(ColumnShape.of(DataType.INT64));
    TestTable table = new TestTable(shapes, Collections.nCopies(100_000, List.of(7L)), 1024);
    for (boolean buildLeft : new boolean[] {false, true}) {
      Join join =
          new Join(
              table.scan(),
              table.scan(),
              JoinType.SEMI,
              List.of(new JoinKey(0, 0, false)),
              null,
              JoinAlgorithm.NON_PARTITIONED_HASH,
              buildLeft,
              List.of(DataType.INT64));
      try (TestEngine engine = new TestEngine(2, 1024)) {
        assertEquals(100_000, engine.run(join).size());
      }
    }
  }

  private static Case randomCase(Random random, JoinType type, JoinAlgorithm algorithm) {
    int[] sizes = {0, 1, 2, 31, 64, 65, 150, 400};
    KeyKind[] kinds = KeyKind.values();
    List<KeyKind> keys = new ArrayList<>();
    int keyCount = random.nextInt(4) == 0 ? 2 : 1;
    boolean nullAware = type == JoinType.NULL_AWARE_ANTI;
    if (nullAware) {
      keyCount = 1 + random.nextInt(4);
    }
    if (algorithm == JoinAlgorithm.NESTED_LOOP && random.nextBoolean()) {
      keyCount = 0;
    }
    for (int i = 0; i < keyCount; i++) {
      keys.add(kinds[random.nextInt(kinds.length)]);
    }
    return new Case(
        type,
        algorithm,
        random.nextBoolean(),
        random.nextInt(3) == 0,
        keys,
        random.nextInt(4) == 0,
        sizes[random.nextInt(sizes.length)],
        sizes[random.nextInt(sizes.length)],
        random.nextBoolean() ? nullAware ? 2 : 5 : 500,
        random.nextBoolean() ? 0 : random.nextBoolean() ? 0.02 : nullAware ? 0.6 : 0.3,
        random.nextBoolean() ? 64 : 1024,
        1 + random.nextInt(2),
        random.nextInt(3) == 0,
        List.of("auto", "on", "off").get(random.nextInt(3)),
        random.nextLong());
  }

  private static void check(Case c, long seed) {
    Random random = new Random(c.seed);
    List<ColumnShape> leftShapes = new ArrayList<>();
    List<ColumnShape> rightShapes = new ArrayList<>();
    List<JoinKey> keys = new ArrayList<>();
    for (int i = 0; i < c.keys.size(); i++) {
      leftShapes.add(shape(c.keys.get(i), true, c));
      rightShapes.add(shape(c.keys.get(i), false, c));
      keys.add(new JoinKey(i, i, c.nullSafe && random.nextBoolean()));
    }
    leftShapes.add(ColumnShape.of(DataType.INT64));
    rightShapes.add(ColumnShape.of(DataType.INT64.withNullable(true)));
    List<List<@Nullable Object>> left = rows(c, random, leftShapes, c.leftRows);
    List<List<@Nullable Object>> right = rows(c, random, rightShapes, c.rightRows);
    int places = c.keys.size() + 1;
    Expr residual =
        c.residual
            ? Expr.call(
                Op.LT,
                DataType.BOOLEAN.withNullable(true),
                Expr.ref(places - 1, DataType.INT64),
                Expr.ref(2 * places - 1, DataType.INT64.withNullable(true)))
            : null;
    List<DataType> types = new ArrayList<>();
    leftShapes.forEach(
        s -> types.add(s.type().withNullable(c.type.padsLeft() || s.type().nullable())));
    if (!c.type.leftOnly()) {
      rightShapes.forEach(
          s -> types.add(s.type().withNullable(c.type.padsRight() || s.type().nullable())));
    }
    // What the first run has made the second one finds.
    boolean keeps = random.nextInt(4) == 0;
    Join join =
        new Join(
            table(leftShapes, left, keeps).scan(),
            table(rightShapes, right, keeps).scan(),
            c.type,
            keys,
            residual,
            c.algorithm,
            c.buildLeft,
            types);
    List<List<@Nullable Object>> expected = nestedLoop(c, keys, left, right);
    System.setProperty("aragonite.test.hashZero", "" + c.hashZero);
    System.setProperty("aragonite.join.parts", c.tables);
    try (TestEngine engine = new TestEngine(c.workers, c.batchRows)) {
      for (int run = 0; run < (keeps ? 2 : 1); run++) {
        assertEquals(
            TestEngine.counts(expected),
            TestEngine.counts(engine.run(join)),
            () -> c + "; reproduce with -Daragonite.seed=" + seed);
      }
    } catch (RuntimeException e) {
      throw new AssertionError(c + "; reproduce with -Daragonite.seed=" + seed, e);
    } finally {
      System.clearProperty("aragonite.test.hashZero");
      System.clearProperty("aragonite.join.parts");
    }
  }

  /** In one piece, as what hash tables are kept of. */
  private static TestTable table(
      List<ColumnShape> shapes, List<List<@Nullable Object>> rows, boolean keeps) {
    return keeps
        ? new TestTable(shapes, rows, 1 << 20).keepingHashTables()
        : new TestTable(shapes, rows, 128);
  }

  private static ColumnShape shape(KeyKind kind, boolean left, Case c) {
    boolean nulls = c.nulls > 0;
    DataType text = DataType.VARCHAR.withNullable(nulls);
    DataType wide = DataType.decimal(30, 2, nulls);
    return switch (kind) {
      case LONG_RANGE ->
          new ColumnShape(
              DataType.INT64.withNullable(nulls),
              Storage.LONG,
              nulls,
              null,
              new ValueRange(-c.distinct, c.distinct));
      case LONG, LONG_EXTREMES -> ColumnShape.of(DataType.INT64.withNullable(nulls));
      case INT_EXTREMES -> ColumnShape.of(DataType.INT32.withNullable(nulls));
      case INT_RANGE ->
          new ColumnShape(
              DataType.INT32.withNullable(nulls),
              Storage.INT,
              nulls,
              null,
              left ? new ValueRange(-c.distinct, c.distinct) : null);
      case SHORTS -> ColumnShape.of(DataType.of(TypeKind.INT16, nulls));
      case BYTES -> ColumnShape.of(DataType.of(TypeKind.INT8, nulls));
      case DATES -> ColumnShape.of(DataType.DATE.withNullable(nulls));
      case DECIMALS -> ColumnShape.of(DataType.decimal(15, 2, nulls));
      case WIDEST_DECIMALS -> ColumnShape.of(DataType.decimal(38, 2, nulls));
      case WIDE_DECIMALS ->
          new ColumnShape(wide, left ? Storage.LONG : Storage.LONG128, nulls, null, null);
      case TEXT -> ColumnShape.of(text);
      case CODES -> new ColumnShape(text, Storage.CODE, nulls, dictionary(c.distinct, 1), null);
      case OTHER_CODES ->
          new ColumnShape(text, Storage.CODE, nulls, dictionary(c.distinct, left ? 2 : 3), null);
      case CODE_AND_TEXT ->
          left
              ? new ColumnShape(text, Storage.CODE, nulls, dictionary(c.distinct, 2), null)
              : ColumnShape.of(text);
      case FLOATS -> ColumnShape.of(DataType.FLOAT64.withNullable(nulls));
      case SINGLES -> ColumnShape.of(DataType.of(TypeKind.FLOAT32, nulls));
      case BOOLEANS -> ColumnShape.of(new DataType(TypeKind.BOOLEAN, 0, 0, nulls));
    };
  }

  private static final Dictionary[][] DICTIONARIES = new Dictionary[2][4];

  private static Dictionary dictionary(int distinct, int which) {
    int size = distinct < 100 ? 0 : 1;
    int most = size == 0 ? 5 : distinct; // the same one for all that are few
    Dictionary known = DICTIONARIES[size][which];
    if (known == null) {
      TreeSet<String> values = new TreeSet<>();
      for (int i = -most; i <= most; i++) {
        values.add("v" + i);
      }
      IntStream.range(0, which).forEach(i -> values.add("only here " + which + i));
      byte[][] bytes =
          values.stream().map(v -> v.getBytes(StandardCharsets.UTF_8)).toArray(byte[][]::new);
      Arrays.sort(bytes, Arrays::compareUnsigned);
      known = new Dictionary(bytes);
      DICTIONARIES[size][which] = known;
    }
    return known;
  }

  private static List<List<@Nullable Object>> rows(
      Case c, Random random, List<ColumnShape> shapes, int count) {
    List<List<@Nullable Object>> rows = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      @Nullable Object[] row = new Object[shapes.size()];
      for (int k = 0; k < c.keys.size(); k++) {
        row[k] = random.nextDouble() < c.nulls ? null : value(c.keys.get(k), c, random);
      }
      boolean isNull = shapes.getLast().mayBeNull() && random.nextInt(10) == 0;
      row[row.length - 1] = isNull ? null : (Long) (long) random.nextInt(20);
      rows.add(Arrays.asList(row));
    }
    return rows;
  }

  private static Object value(KeyKind kind, Case c, Random random) {
    int number = random.nextInt(2 * c.distinct + 1) - c.distinct;
    return switch (kind) {
      case LONG_RANGE, INT_RANGE -> (long) number;
      // Wraps around, so that all of the type's range is there.
      case SHORTS -> (long) (short) (number * 66);
      case BYTES -> (long) (byte) number;
      case DATES -> (long) number * 31;
      // Words that differ in the upper half only, and in the lower one only.
      case WIDEST_DECIMALS ->
          new BigDecimal(
              BigInteger.valueOf(number / 3).shiftLeft(64).add(BigInteger.valueOf(number % 3)), 2);
      case LONG -> number * 0x1234_5678_9ABCL;
      case LONG_EXTREMES -> extreme(number, Long.MIN_VALUE, Long.MAX_VALUE);
      case INT_EXTREMES -> extreme(number, Integer.MIN_VALUE, Integer.MAX_VALUE);
      case DECIMALS, WIDE_DECIMALS -> BigDecimal.valueOf(number, 2);
      case TEXT, CODES, OTHER_CODES, CODE_AND_TEXT -> "v" + number;
      case FLOATS -> number == 0 ? (random.nextBoolean() ? 0.0 : -0.0) : number / 3.0;
      case SINGLES -> number == 0 ? (random.nextBoolean() ? 0.0 : -0.0) : (double) (number / 3.0f);
      case BOOLEANS -> number > 0;
    };
  }

  /** SideEncoders ends of a type, what lies next to them, and what lies around zero. */
  private static long extreme(int number, long least, long most) {
    return switch (Math.floorMod(number, 6)) {
      case 0 -> least;
      case 1 -> most;
      case 2 -> least + Math.abs(number);
      case 3 -> most - Math.abs(number);
      default -> number;
    };
  }

  /** The definition of a join. */
  private static List<List<@Nullable Object>> nestedLoop(
      Case c,
      List<JoinKey> keys,
      List<List<@Nullable Object>> left,
      List<List<@Nullable Object>> right) {
    List<List<@Nullable Object>> out = new ArrayList<>();
    boolean[] rightMatched = new boolean[right.size()];
    int rightColumns = c.keys.size() + 1;
    for (List<@Nullable Object> l : left) {
      boolean matched = false;
      for (int j = 0; j < right.size(); j++) {
        if (matches(c, keys, l, right.get(j))) {
          matched = true;
          rightMatched[j] = true;
          if (!c.type.leftOnly()) {
            out.add(concat(l, right.get(j)));
          }
        }
      }
      if (c.type.leftOnly() && matched == (c.type == JoinType.SEMI)) {
        out.add(l);
      } else if (!matched && c.type.padsRight()) {
        out.add(concat(l, nulls(rightColumns)));
      }
    }
    for (int j = 0; c.type.padsLeft() && j < right.size(); j++) {
      if (!rightMatched[j]) {
        out.add(concat(nulls(rightColumns), right.get(j)));
      }
    }
    return out;
  }

  private static boolean matches(
      Case c, List<JoinKey> keys, List<@Nullable Object> l, List<@Nullable Object> r) {
    for (int k = 0; k < c.keys.size(); k++) {
      Object a = l.get(k);
      Object b = r.get(k);
      if (a == null || b == null) {
        boolean both = a == null && b == null;
        if (!(keys.get(k).nullSafe() ? both : c.type == JoinType.NULL_AWARE_ANTI)) {
          return false;
        }
      } else if (!(a instanceof Double x ? x.doubleValue() == (Double) b : a.equals(b))) {
        return false;
      }
    }
    if (!c.residual) {
      return true;
    }
    Object x = l.getLast();
    Object y = r.getLast();
    return x != null && y != null && (Long) x < (Long) y;
  }

  private static List<@Nullable Object> nulls(int count) {
    return Arrays.asList(new @Nullable Object[count]);
  }

  private static List<@Nullable Object> concat(List<@Nullable Object> a, List<@Nullable Object> b) {
    List<@Nullable Object> all = new ArrayList<>(a);
    all.addAll(b);
    return all;
  }
}
