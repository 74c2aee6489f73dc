package io.aragonite.exec.integration.operator;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.aragonite.exec.engine.TestEngine;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.plan.PhysicalPlan.Sort;
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
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Full sorts and top-N against a comparator. */
class SortTest {
  private static final int ROUNDS = Integer.getInteger("aragonite.rounds", 150);
  private static final Dictionary DICTIONARY =
      new Dictionary(
          new byte[][] {bytes(""), bytes("a"), bytes("ab"), bytes("b"), bytes("ä"), bytes("漢")});

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void agreesWithComparator() {
    long seed = TestSeed.seed();
    Random random = new Random(seed);
    for (int round = 0; round < ROUNDS; round++) {
      check(random, seed);
    }
  }

  private static List<ColumnShape> shapes(boolean nulls) {
    DataType text = DataType.VARCHAR.withNullable(nulls);
    return List.of(
        ColumnShape.of(DataType.INT64.withNullable(nulls)),
        ColumnShape.of(DataType.INT32.withNullable(nulls)),
        new ColumnShape(
            DataType.INT64.withNullable(nulls), Storage.LONG, nulls, null, new ValueRange(-3, 9)),
        ColumnShape.of(DataType.decimal(38, 2, nulls)),
        ColumnShape.of(DataType.FLOAT64.withNullable(nulls)),
        ColumnShape.of(new DataType(TypeKind.FLOAT32, 0, 0, nulls)),
        ColumnShape.of(text),
        new ColumnShape(text, Storage.CODE, nulls, DICTIONARY, null),
        ColumnShape.of(new DataType(TypeKind.BOOLEAN, 0, 0, nulls)),
        ColumnShape.of(new DataType(TypeKind.INT16, 0, 0, nulls)),
        ColumnShape.of(new DataType(TypeKind.NULL, 0, 0, true)));
  }

  private static Object value(int column, Random random) {
    int small = random.nextInt(7) - 3;
    boolean narrow = random.nextBoolean();
    return switch (column) {
      case 0 -> narrow ? (Long) (long) small : (Long) random.nextLong();
      case 1 -> (long) (narrow ? small : random.nextInt());
      case 2 -> (long) random.nextInt(13) - 3;
      case 3 ->
          new BigDecimal(
              narrow ? BigInteger.valueOf(small) : new BigInteger(120, random).negate(), 2);
      case 4 -> narrow ? DOUBLES[random.nextInt(DOUBLES.length)] : (Double) random.nextGaussian();
      case 5 ->
          narrow
              ? (Double) (double) DOUBLES[random.nextInt(DOUBLES.length)].floatValue()
              : (Double) (double) (float) random.nextGaussian();
      case 6 -> text(random);
      case 7 -> DICTIONARY.text(random.nextInt(DICTIONARY.size()));
      case 8 -> random.nextBoolean();
      default -> (long) (short) random.nextInt();
    };
  }

  private static final Double[] DOUBLES = {
    0.0, -0.0, Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, 1.5, -1.5
  };

  private static String text(Random random) {
    int common = random.nextInt(4) == 0 ? 60 : random.nextInt(16);
    StringBuilder text = new StringBuilder("x".repeat(common));
    int more = random.nextInt(3);
    for (int i = 0; i < more; i++) {
      text.append("a\0zé".charAt(random.nextInt(4)));
    }
    return text.toString();
  }

  private static void check(Random random, long seed) {
    int[] sizes = {0, 1, 2, 63, 64, 65, 300, 1500};
    boolean nulls = random.nextBoolean();
    List<ColumnShape> shapes = shapes(nulls);
    int count = sizes[random.nextInt(sizes.length)];
    List<List<@Nullable Object>> rows = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      @Nullable Object[] row = new Object[shapes.size()];
      for (int c = 0; c < row.length - 1; c++) {
        row[c] = nulls && random.nextInt(5) == 0 ? null : value(c, random);
      }
      rows.add(Arrays.asList(row));
    }
    List<SortKey> keys = new ArrayList<>();
    int keyCount = 1 + random.nextInt(4);
    for (int i = 0; i < keyCount; i++) {
      int column = random.nextInt(shapes.size());
      keys.add(new SortKey(column, random.nextBoolean(), random.nextBoolean()));
    }
    boolean limited = random.nextBoolean();
    long offset = limited && random.nextBoolean() ? random.nextInt(70) : 0;
    long fetch = limited ? random.nextInt(100) : Integer.MAX_VALUE;
    Sort sort =
        new Sort(
            new TestTable(shapes, rows, 128).scan(),
            keys,
            offset == 0 ? null : Expr.literal(offset, DataType.INT64),
            limited ? Expr.literal(fetch, DataType.INT64) : null);
    Comparator<List<@Nullable Object>> order = (a, b) -> 0;
    for (SortKey key : keys) {
      order = order.thenComparing((a, b) -> compare(a.get(key.column()), b.get(key.column()), key));
    }
    List<List<@Nullable Object>> expected = new ArrayList<>(rows);
    expected.sort(order);
    int from = (int) Math.min(offset, count);
    int to = (int) Math.min(count, from + fetch);
    expected = expected.subList(from, to);
    String what = sort.keys() + " of " + count + ", -Daragonite.seed=" + seed;
    int workers = 1 + random.nextInt(5);
    try (TestEngine engine = new TestEngine(workers, random.nextBoolean() ? 64 : 256)) {
      List<List<@Nullable Object>> actual = engine.run(sort);
      assertEquals(expected.size(), actual.size(), what);
      for (int i = 0; i < expected.size(); i++) {
        int place = i;
        List<@Nullable Object> wanted = expected.get(i);
        List<@Nullable Object> found = actual.get(i);
        assertEquals(
            0,
            order.compare(wanted, found),
            () -> place + ": " + wanted + " " + found + " " + what);
      }
      // The rows, not only their keys, must be the input's, each as often as there.
      var known = TestEngine.counts(rows);
      TestEngine.counts(actual)
          .forEach((row, times) -> assertEquals(true, times <= known.getOrDefault(row, 0), what));
    }
  }

  @SuppressWarnings({"unchecked", "rawtypes"})
  private static int compare(@Nullable Object a, @Nullable Object b, SortKey key) {
    if (a == null || b == null) {
      return a == null && b == null ? 0 : (a == null) == key.nullsFirst() ? -1 : 1;
    }
    int order =
        switch (a) {
          case Double x -> Double.compare(x + 0.0, (Double) b + 0.0);
          case String x -> Arrays.compareUnsigned(bytes(x), bytes((String) b));
          default -> ((Comparable) a).compareTo(b);
        };
    return key.descending() ? -order : order;
  }
}
