package io.aragonite.exec.integration.operator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.aragonite.exec.engine.TestEngine;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.plan.AggregateCall;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.plan.PhysicalPlan.Window;
import io.aragonite.exec.plan.SortKey;
import io.aragonite.exec.plan.TestTable;
import io.aragonite.exec.plan.WindowCall;
import io.aragonite.exec.plan.WindowCall.Function;
import io.aragonite.exec.plan.WindowFrame;
import io.aragonite.exec.plan.WindowFrame.Exclude;
import io.aragonite.exec.plan.WindowFrame.FrameBound;
import io.aragonite.exec.plan.WindowFrame.FrameBoundKind;
import io.aragonite.exec.testing.TestSeed;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.exec.vector.ColumnShape;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Window functions against a naive evaluator, with random frames. */
class WindowTest {
  private static final int ROUNDS = Integer.getInteger("aragonite.rounds", 75);

  // Columns of the input.
  private static final int PARTITION = 0;
  private static final int KEY = 1;
  private static final int LONG = 2;
  private static final int DECIMAL = 3;
  private static final int DOUBLE = 4;
  private static final int TEXT = 5;
  private static final int FLAG = 6;
  private static final int STEP = 7;
  private static final int ID = 8;
  private static final int OTHER = 9;

  private static final DataType INT64 = DataType.INT64.withNullable(true);
  private static final DataType SUM = DataType.decimal(38, 2, true);
  private static final DataType FLOAT64 = DataType.FLOAT64.withNullable(true);
  private static final DataType VARCHAR = DataType.VARCHAR.withNullable(true);

  private static final DataType[] KEY_TYPES = {
    DataType.INT32.withNullable(true),
    DataType.decimal(12, 1, true),
    FLOAT64,
    DataType.DATE.withNullable(true),
    DataType.of(TypeKind.TIME, true),
    DataType.of(TypeKind.TIMESTAMP, true),
  };

  @Test
  void agreesWithNaiveEvaluator() {
    long seed = TestSeed.seed();
    Random random = new Random(seed);
    for (int round = 0; round < ROUNDS; round++) {
      check(random, "-Daragonite.seed=" + seed);
    }
  }

  private static AggregateCall aggregate(
      AggregateFunction function,
      DataType type,
      boolean distinct,
      boolean filter,
      Integer... args) {
    return new AggregateCall(
        function,
        null,
        function.name(),
        List.of(args),
        distinct,
        filter ? FLAG : -1,
        List.of(),
        type);
  }

  private static WindowCall over(AggregateFunction function, DataType type, Integer... args) {
    return new WindowCall(
        Function.AGGREGATE, aggregate(function, type, false, false, args), List.of(), false, type);
  }

  private static WindowCall call(
      Function function, DataType type, boolean ignore, Integer... args) {
    return new WindowCall(function, null, List.of(args), ignore, type);
  }

  /** Functions whose results do not depend on the order of peers. */
  private static List<WindowCall> insensitive() {
    return List.of(
        over(AggregateFunction.COUNT, DataType.INT64),
        over(AggregateFunction.COUNT, DataType.INT64, LONG),
        over(AggregateFunction.SUM, SUM, DECIMAL),
        over(AggregateFunction.SUM0, DataType.INT64, LONG),
        over(AggregateFunction.SUM, FLOAT64, DOUBLE),
        over(AggregateFunction.MIN, VARCHAR, TEXT),
        over(AggregateFunction.MAX, SUM, DECIMAL),
        over(AggregateFunction.MIN, FLOAT64, DOUBLE),
        over(AggregateFunction.BIT_XOR, INT64, LONG),
        over(AggregateFunction.BIT_AND, INT64, LONG),
        new WindowCall(
            Function.AGGREGATE,
            aggregate(AggregateFunction.SUM, INT64, false, true, LONG),
            List.of(),
            false,
            INT64),
        call(Function.RANK, DataType.INT64, false),
        call(Function.DENSE_RANK, DataType.INT64, false),
        call(Function.PERCENT_RANK, DataType.FLOAT64, false),
        call(Function.CUME_DIST, DataType.FLOAT64, false),
        call(Function.COMOMENT, FLOAT64, false, DOUBLE, DOUBLE),
        call(Function.COMOMENT, FLOAT64, false, DOUBLE, OTHER),
        call(Function.COMOMENT_ROWS, FLOAT64, false, DOUBLE, OTHER),
        call(Function.COMOMENT_LEFT_MEAN, FLOAT64, false, DOUBLE, OTHER),
        call(Function.COMOMENT_LEFT_REST, FLOAT64, false, DOUBLE, OTHER),
        call(Function.COMOMENT_RIGHT_REST, FLOAT64, false, DOUBLE, OTHER),
        call(Function.COMOMENT_RIGHT_MEAN, FLOAT64, false, DOUBLE, OTHER));
  }

  private static List<WindowCall> sensitive() {
    List<WindowCall> calls = new ArrayList<>();
    calls.add(call(Function.ROW_NUMBER, DataType.INT64, false));
    calls.add(call(Function.NTILE, INT64, false, STEP));
    for (boolean ignore : new boolean[] {false, true}) {
      calls.add(call(Function.LAG, INT64, ignore, LONG));
      calls.add(call(Function.LEAD, VARCHAR, ignore, TEXT, STEP));
      calls.add(call(Function.LAG, INT64, ignore, LONG, STEP, ID));
      calls.add(call(Function.FIRST_VALUE, VARCHAR, ignore, TEXT));
      calls.add(call(Function.LAST_VALUE, FLOAT64, ignore, DOUBLE));
      calls.add(call(Function.NTH_VALUE, INT64, ignore, LONG, STEP));
    }
    return calls;
  }

  private static List<ColumnShape> shapes(DataType keyType) {
    return List.of(
        ColumnShape.of(INT64),
        ColumnShape.of(keyType),
        ColumnShape.of(INT64),
        ColumnShape.of(DataType.decimal(20, 2, true)),
        ColumnShape.of(FLOAT64),
        ColumnShape.of(VARCHAR),
        ColumnShape.of(DataType.BOOLEAN.withNullable(true)),
        ColumnShape.of(DataType.INT32),
        ColumnShape.of(DataType.INT64),
        ColumnShape.of(FLOAT64));
  }

  private static List<List<@Nullable Object>> rows(
      Random random, DataType keyType, boolean nulls, int count) {
    int spread = 1 + random.nextInt(40);
    List<List<@Nullable Object>> rows = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      @Nullable Object[] row = new Object[OTHER + 1];
      row[PARTITION] = random.nextLong(4);
      row[KEY] = key(keyType, random.nextInt(spread) - spread / 2);
      row[LONG] = random.nextLong(100) - 50;
      row[DECIMAL] = BigDecimal.valueOf(random.nextLong(10_000) - 5_000, 2);
      row[DOUBLE] = random.nextInt(1000) / 4.0;
      row[TEXT] = "t" + random.nextInt(50);
      row[FLAG] = random.nextBoolean();
      row[OTHER] = random.nextInt(5) == 0 ? null : 1e7 + random.nextInt(9);
      for (int c = 0; nulls && c <= FLAG; c++) {
        row[c] = random.nextInt(6) == 0 ? null : row[c];
      }
      row[STEP] = 1L + random.nextInt(4);
      row[ID] = (long) i;
      rows.add(Arrays.asList(row));
    }
    return rows;
  }

  /** Functions over a window whose rows are ordered by {@link #ID} too, or only up to peers. */
  private static List<WindowCall> calls(boolean byRows, FrameBound start, Exclude exclude) {
    List<WindowCall> calls = new ArrayList<>(insensitive());
    if (byRows) {
      calls.addAll(sensitive());
    }
    if (exclude == Exclude.NO_OTHERS && start.kind() == FrameBoundKind.UNBOUNDED_PRECEDING) {
      calls.add(
          new WindowCall(
              Function.AGGREGATE,
              aggregate(AggregateFunction.COUNT, DataType.INT64, true, false, TEXT),
              List.of(),
              false,
              DataType.INT64));
    }
    return calls;
  }

  private static void check(Random random, String reproduce) {
    DataType keyType = KEY_TYPES[random.nextInt(KEY_TYPES.length)];
    boolean nulls = random.nextBoolean();
    int count = new int[] {0, 1, 2, 64, 130, 260}[random.nextInt(6)];
    List<List<@Nullable Object>> rows = rows(random, keyType, nulls, count);
    boolean byRows = random.nextBoolean();
    List<SortKey> order = new ArrayList<>();
    boolean ordered = random.nextInt(6) > 0;
    if (ordered) {
      order.add(new SortKey(KEY, random.nextBoolean(), random.nextBoolean()));
    }
    if (byRows) {
      order.add(new SortKey(ID, false, false));
    }
    boolean offsets = byRows || ordered;
    FrameBound start = bound(random, true, offsets, byRows, keyType);
    FrameBound end = bound(random, false, offsets, byRows, keyType);
    Exclude exclude =
        random.nextBoolean()
            ? Exclude.NO_OTHERS
            : Exclude.values()[random.nextInt(Exclude.values().length)];
    List<WindowCall> calls = calls(byRows, start, exclude);
    List<Integer> partitionBy = random.nextInt(4) == 0 ? List.of() : List.of(PARTITION);
    Window window =
        new Window(
            new TestTable(shapes(keyType), rows, 128).scan(),
            partitionBy,
            order,
            new WindowFrame(byRows, start, end, exclude),
            calls);
    Map<Object, List<@Nullable Object>> expected = naive(window, rows, keyType);
    try (TestEngine engine = new TestEngine(1 + random.nextInt(2), 64)) {
      List<List<@Nullable Object>> actual = engine.run(window);
      assertEquals(count, actual.size());
      for (List<@Nullable Object> row : actual) {
        assertRow(window, expected.get(row.get(ID)), row, reproduce);
      }
    }
  }

  private static void assertRow(
      Window window, List<@Nullable Object> wanted, List<@Nullable Object> row, String reproduce) {
    for (int c = 0; c < row.size(); c++) {
      int call = c - OTHER - 1;
      if (call >= 0
          && isMoment(window.calls().get(call).function())
          && wanted.get(c) instanceof Double exact
          && row.get(c) instanceof Double found) {
        assertEquals(exact, found, 1e-6, reproduce);
        continue;
      }
      Object what = call < 0 ? "column " + c : window.calls().get(call);
      assertEquals(
          wanted.get(c),
          row.get(c),
          () ->
              "%s over %s order %s of %s; %s"
                  .formatted(what, window.frame(), window.orderBy(), row, reproduce));
    }
  }

  private static Object key(DataType type, int number) {
    return switch (type.kind()) {
      case DECIMAL -> BigDecimal.valueOf(number, 1);
      case FLOAT64 -> number / 2.0;
      case TIME -> (number + 100) * 450_000L;
      case TIMESTAMP -> number * 43_200_000L;
      default -> (long) number;
    };
  }

  private static FrameBound bound(
      Random random, boolean start, boolean offsets, boolean byRows, DataType keyType) {
    FrameBoundKind[] kinds =
        start
            ? new FrameBoundKind[] {
              FrameBoundKind.UNBOUNDED_PRECEDING,
              FrameBoundKind.CURRENT_ROW,
              FrameBoundKind.PRECEDING,
              FrameBoundKind.FOLLOWING
            }
            : new FrameBoundKind[] {
              FrameBoundKind.UNBOUNDED_FOLLOWING,
              FrameBoundKind.CURRENT_ROW,
              FrameBoundKind.PRECEDING,
              FrameBoundKind.FOLLOWING
            };
    FrameBoundKind kind = kinds[random.nextInt(offsets ? 4 : 2)];
    if (kind != FrameBoundKind.PRECEDING && kind != FrameBoundKind.FOLLOWING) {
      return new FrameBound(kind, null);
    }
    int size = random.nextInt(8);
    if (byRows) {
      return new FrameBound(kind, Expr.literal((long) size, DataType.INT64));
    }
    return new FrameBound(
        kind,
        switch (keyType.kind()) {
          case DECIMAL -> Expr.literal(BigDecimal.valueOf(size, 1), DataType.decimal(5, 1, false));
          case FLOAT64 -> Expr.literal(size / 2.0, DataType.FLOAT64);
          case DATE, TIME, TIMESTAMP ->
              Expr.literal(
                  size * (keyType.kind() == TypeKind.TIME ? 450_000L : 43_200_000L),
                  DataType.of(TypeKind.INTERVAL_DAY, false));
          default -> Expr.literal((long) size, DataType.INT32);
        });
  }

  // The naive evaluator.

  private static double number(Object key) {
    return ((Number) key).doubleValue();
  }

  private static Map<Object, List<@Nullable Object>> naive(
      Window window, List<List<@Nullable Object>> rows, DataType keyType) {
    Comparator<List<@Nullable Object>> order = (a, b) -> 0;
    for (SortKey key : window.orderBy()) {
      order =
          order.thenComparing((a, b) -> {
            Object x = a.get(key.column());
            Object y = b.get(key.column());
            if (x == null || y == null) {
              return x == null && y == null ? 0 : (x == null) == key.nullsFirst() ? -1 : 1;
            }
            return Double.compare(number(x), number(y)) * (key.descending() ? -1 : 1);
          });
    }
    Map<Object, List<List<@Nullable Object>>> partitions = new HashMap<>();
    for (List<@Nullable Object> row : rows) {
      Object key = window.partitionBy().isEmpty() ? "all" : String.valueOf(row.get(PARTITION));
      partitions.computeIfAbsent(key, k -> new ArrayList<>()).add(row);
    }
    Map<Object, List<@Nullable Object>> results = new HashMap<>();
    for (List<List<@Nullable Object>> partition : partitions.values()) {
      partition.sort(order);
      for (int p = 0; p < partition.size(); p++) {
        List<@Nullable Object> out = new ArrayList<>(partition.get(p));
        List<Integer> frame = frame(window, partition, order, p, keyType);
        for (WindowCall call : window.calls()) {
          out.add(evaluate(call, partition, order, frame, p));
        }
        results.put(out.get(ID), out);
      }
    }
    return results;
  }

  private static List<Integer> frame(
      Window window,
      List<List<@Nullable Object>> partition,
      Comparator<List<@Nullable Object>> order,
      int p,
      DataType keyType) {
    List<Integer> frame = new ArrayList<>();
    for (int q = 0; q < partition.size(); q++) {
      boolean peer = order.compare(partition.get(p), partition.get(q)) == 0;
      boolean inside =
          within(window, window.frame().start(), true, partition, p, q, peer, keyType)
              && within(window, window.frame().end(), false, partition, p, q, peer, keyType);
      boolean out =
          switch (window.frame().exclude()) {
            case NO_OTHERS -> false;
            case CURRENT_ROW -> q == p;
            case GROUP -> peer;
            case TIES -> peer && q != p;
          };
      if (inside && !out) {
        frame.add(q);
      }
    }
    return frame;
  }

  private static boolean within(
      Window window,
      FrameBound bound,
      boolean start,
      List<List<@Nullable Object>> partition,
      int p,
      int q,
      boolean peer,
      DataType keyType) {
    if (bound.kind() == FrameBoundKind.UNBOUNDED_PRECEDING
        || bound.kind() == FrameBoundKind.UNBOUNDED_FOLLOWING) {
      return true;
    }
    if (bound.kind() == FrameBoundKind.CURRENT_ROW) {
      return start
          ? q >= p || (peer && !window.frame().rows())
          : q <= p || (peer && !window.frame().rows());
    }
    Object value = ((Expr.Literal) java.util.Objects.requireNonNull(bound.offset())).value();
    double offset = number(java.util.Objects.requireNonNull(value));
    if (bound.kind() == FrameBoundKind.PRECEDING) {
      offset = -offset;
    }
    if (window.frame().rows()) {
      return start ? q >= p + offset : q <= p + offset;
    }
    offset =
        switch (keyType.kind()) {
          case DATE -> offset / 86_400_000;
          case TIME -> offset * 1_000;
          default -> offset;
        };
    Object mine = partition.get(p).get(KEY);
    Object other = partition.get(q).get(KEY);
    if (mine == null || other == null) {
      // Nulls are peers of nulls, and beyond any distance otherwise.
      if (mine == null && other == null) {
        return true;
      }
      return start ? q > p : q < p;
    }
    int sign = window.orderBy().getFirst().descending() ? -1 : 1;
    double distance = sign * (number(other) - number(mine));
    return start ? distance >= offset - 1e-9 : distance <= offset + 1e-9;
  }

  private static @Nullable Object evaluate(
      WindowCall call,
      List<List<@Nullable Object>> partition,
      Comparator<List<@Nullable Object>> order,
      List<Integer> frame,
      int p) {
    List<@Nullable Object> row = partition.get(p);
    int size = partition.size();
    long before = partition.stream().filter(r -> order.compare(r, row) < 0).count();
    long upTo = partition.stream().filter(r -> order.compare(r, row) <= 0).count();
    return switch (call.function()) {
      case ROW_NUMBER -> p + 1L;
      case RANK -> before + 1;
      case DENSE_RANK ->
          1
              + IntStream.range(0, p)
                  .filter(q -> order.compare(partition.get(q), partition.get(q + 1)) != 0)
                  .count();
      case PERCENT_RANK -> size == 1 ? 0.0 : before / (double) (size - 1);
      case CUME_DIST -> upTo / (double) size;
      case NTILE -> bucket((Long) row.get(STEP), size, p);
      case LAG, LEAD -> neighbour(call, partition, p);
      case FIRST_VALUE, LAST_VALUE, NTH_VALUE -> nth(call, partition, frame, p);
      case AGGREGATE -> aggregate(Objects.requireNonNull(call.aggregate()), partition, frame);
      case COMOMENT,
          COMOMENT_ROWS,
          COMOMENT_LEFT_MEAN,
          COMOMENT_LEFT_REST,
          COMOMENT_RIGHT_MEAN,
          COMOMENT_RIGHT_REST ->
          comoment(call, partition, frame);
    };
  }

  private static boolean isMoment(Function function) {
    return switch (function) {
      case COMOMENT,
          COMOMENT_ROWS,
          COMOMENT_LEFT_MEAN,
          COMOMENT_LEFT_REST,
          COMOMENT_RIGHT_MEAN,
          COMOMENT_RIGHT_REST ->
          true;
      default -> false;
    };
  }

  /** By definition, of values whose sums are exact. */
  private static @Nullable Object comoment(
      WindowCall call, List<List<@Nullable Object>> partition, List<Integer> frame) {
    List<double[]> pairs = new ArrayList<>();
    for (int q : frame) {
      if (partition.get(q).get(call.args().get(0)) instanceof Double x
          && partition.get(q).get(call.args().get(1)) instanceof Double y) {
        pairs.add(new double[] {x, y});
      }
    }
    double left = pairs.stream().mapToDouble(pair -> pair[0]).sum() / pairs.size();
    double right = pairs.stream().mapToDouble(pair -> pair[1]).sum() / pairs.size();
    if (pairs.isEmpty()) {
      return null;
    }
    return switch (call.function()) {
      case COMOMENT_ROWS -> (double) pairs.size();
      case COMOMENT_LEFT_MEAN -> left;
      case COMOMENT_RIGHT_MEAN -> right;
      case COMOMENT_LEFT_REST, COMOMENT_RIGHT_REST -> 0.0;
      default -> pairs.stream().mapToDouble(pair -> (pair[0] - left) * (pair[1] - right)).sum();
    };
  }

  private static long bucket(long buckets, int size, int p) {
    long bucket = 0;
    for (long taken = 0; ; bucket++) {
      taken += size / buckets + (bucket < size % buckets ? 1 : 0);
      if (p < taken) {
        return bucket + 1;
      }
    }
  }

  private static @Nullable Object neighbour(
      WindowCall call, List<List<@Nullable Object>> partition, int p) {
    List<@Nullable Object> row = partition.get(p);
    long step = call.args().size() > 1 ? (Long) row.get(STEP) : 1;
    int direction = call.function() == Function.LAG ? -1 : 1;
    for (int q = p + direction; q >= 0 && q < partition.size(); q += direction) {
      Object value = partition.get(q).get(call.args().getFirst());
      if ((!call.ignoreNulls() || value != null) && --step == 0) {
        return value;
      }
    }
    return call.args().size() > 2 ? row.get(call.args().get(2)) : null;
  }

  private static @Nullable Object nth(
      WindowCall call, List<List<@Nullable Object>> partition, List<Integer> frame, int p) {
    List<@Nullable Object> values = new ArrayList<>();
    for (int q : frame) {
      Object value = partition.get(q).get(call.args().getFirst());
      if (!call.ignoreNulls() || value != null) {
        values.add(value);
      }
    }
    long nth =
        switch (call.function()) {
          case FIRST_VALUE -> 1;
          case LAST_VALUE -> values.size();
          default -> (Long) partition.get(p).get(STEP);
        };
    return nth < 1 || nth > values.size() ? null : values.get((int) nth - 1);
  }

  @SuppressWarnings({"unchecked", "rawtypes"})
  private static @Nullable Object aggregate(
      AggregateCall call, List<List<@Nullable Object>> partition, List<Integer> frame) {
    List<Object> values = new ArrayList<>();
    for (int q : frame) {
      List<@Nullable Object> row = partition.get(q);
      Object value = call.args().isEmpty() ? (Object) 1L : row.get(call.args().getFirst());
      boolean passes = call.filter() < 0 || Boolean.TRUE.equals(row.get(call.filter()));
      if (value != null && passes && !(call.distinct() && values.contains(value))) {
        values.add(value);
      }
    }
    AggregateFunction function = java.util.Objects.requireNonNull(call.function());
    if (function == AggregateFunction.COUNT) {
      return (long) values.size();
    }
    if (values.isEmpty()) {
      return function == AggregateFunction.SUM0 ? 0L : null;
    }
    Object result = values.getFirst();
    for (Object value : values.subList(1, values.size())) {
      Object a = result;
      result =
          switch (function) {
            case SUM, SUM0 ->
                switch (a) {
                  case Long x -> x + (Long) value;
                  case Double x -> x + (Double) value;
                  default -> ((BigDecimal) a).add((BigDecimal) value);
                };
            case MIN -> ((Comparable) a).compareTo(value) <= 0 ? a : value;
            case MAX -> ((Comparable) a).compareTo(value) >= 0 ? a : value;
            case BIT_XOR -> (Long) a ^ (Long) value;
            case BIT_AND -> (Long) a & (Long) value;
            default -> throw new IllegalStateException();
          };
    }
    return result;
  }

  @Test
  void sumsOverflowByTheResultTypeOnly() {
    DataType wide = DataType.decimal(38, 0, false);
    BigDecimal most = BigDecimal.TEN.pow(38).subtract(BigDecimal.ONE);
    List<List<BigDecimal>> rows =
        List.of(List.of(most), List.of(most), List.of(most.negate()), List.of(most.negate()));
    assertEquals(
        List.of(BigDecimal.ZERO), distinctSums(rows, wide, FrameBoundKind.UNBOUNDED_FOLLOWING));
    AragoniteException error =
        assertThrows(
            AragoniteException.class,
            () -> distinctSums(rows.subList(0, 2), wide, FrameBoundKind.UNBOUNDED_FOLLOWING));
    assertEquals(ErrorCode.NUMERIC_OVERFLOW, error.code());
    assertEquals(
        List.of(most.negate()),
        distinctSums(rows.subList(2, 3), wide, FrameBoundKind.UNBOUNDED_FOLLOWING));
  }

  private static List<@Nullable Object> distinctSums(
      List<List<BigDecimal>> rows, DataType type, FrameBoundKind end) {
    WindowFrame frame =
        new WindowFrame(
            true,
            new FrameBound(FrameBoundKind.UNBOUNDED_PRECEDING, null),
            new FrameBound(end, null),
            Exclude.NO_OTHERS);
    Window window =
        new Window(
            new TestTable(List.of(ColumnShape.of(type)), rows, 64).scan(),
            List.of(),
            List.of(),
            frame,
            List.of(over(AggregateFunction.SUM, type.withNullable(true), 0)));
    try (TestEngine engine = new TestEngine(1, 64)) {
      return engine.run(window).stream().map(r -> r.get(1)).distinct().toList();
    }
  }
}
