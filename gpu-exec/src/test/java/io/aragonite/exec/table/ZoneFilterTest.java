package io.aragonite.exec.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Interpreter;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a filter says of zone maps, against what the interpreter says of the rows. */
class ZoneFilterTest {
  private static final List<DataType> TYPES =
      List.of(
          DataType.INT32.withNullable(true),
          DataType.INT64.withNullable(true),
          DataType.FLOAT64.withNullable(true),
          DataType.decimal(9, 2, true),
          DataType.VARCHAR.withNullable(true),
          DataType.DATE.withNullable(true));

  private static final DataType BOOLEAN = DataType.BOOLEAN.withNullable(true);

  private final Random random = new Random(Long.getLong("aragonite.seed", 7));

  /** Values of a type, few and close, so that bounds are met. */
  private @Nullable Object value(DataType type, int from) {
    int number = from + random.nextInt(4);
    return switch (type.kind()) {
      case FLOAT64 ->
          switch (random.nextInt(12)) {
            case 0 -> Double.NaN;
            case 1 -> -0.0;
            case 2 -> 0.0;
            default -> (double) number;
          };
      case DECIMAL -> BigDecimal.valueOf(number * 50L, 2);
      case VARCHAR ->
          List.of("", "a", "ab", "abc", "b%", "é", "\uD83D\uDE00", "\uFFFD")
              .get(Math.floorMod(number, 8));
      default -> (long) number;
    };
  }

  private List<List<@Nullable Object>> columns(int rows) {
    List<List<@Nullable Object>> columns = new ArrayList<>();
    for (DataType type : TYPES) {
      int from = random.nextInt(12) - 6;
      int nulls = random.nextInt(4);
      List<@Nullable Object> values = new ArrayList<>();
      for (int i = 0; i < rows; i++) {
        values.add(nulls == 3 || nulls > 0 && random.nextInt(3) == 0 ? null : value(type, from));
      }
      columns.add(values);
    }
    return columns;
  }

  private ZoneMap zone(List<@Nullable Object> values) {
    List<Object> present = new ArrayList<>();
    values.stream()
        .filter(Objects::nonNull)
        .filter(value -> !value.equals(Double.NaN))
        .map(value -> value instanceof String text ? bytes(text) : value)
        .forEach(present::add);
    present.sort(ZoneFilterTest::compare);
    long nulls = values.stream().filter(Objects::isNull).count();
    boolean bounded = !present.isEmpty() && random.nextInt(5) > 0;
    return new ZoneMap(
        values.size(),
        random.nextInt(5) == 0 ? -1 : nulls,
        bounded ? present.getFirst() : null,
        bounded ? present.getLast() : null,
        values.contains(Double.NaN) || random.nextBoolean());
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static int compare(Object a, Object b) {
    return switch (a) {
      case Long value -> value.compareTo((Long) b);
      case Double value -> value.compareTo((Double) b);
      case BigDecimal value -> value.compareTo((BigDecimal) b);
      case byte[] value -> Arrays.compareUnsigned(value, (byte[]) b);
      default -> throw new AssertionError(a);
    };
  }

  private Expr predicate(int depth) {
    if (depth > 0 && random.nextInt(3) > 0) {
      Op op = List.of(Op.AND, Op.OR, Op.NOT).get(random.nextInt(3));
      return op == Op.NOT
          ? Expr.call(op, BOOLEAN, predicate(depth - 1))
          : Expr.call(op, BOOLEAN, predicate(depth - 1), predicate(depth - 1));
    }
    int column = random.nextInt(TYPES.size());
    DataType type = TYPES.get(column);
    Expr ref = Expr.ref(column, type);
    Expr literal = Expr.literal(literal(type), type);
    return switch (random.nextInt(12)) {
      case 0 -> Expr.call(Op.IS_NULL, DataType.BOOLEAN, ref);
      case 1 -> Expr.call(Op.IS_NOT_NULL, DataType.BOOLEAN, ref);
      case 2 ->
          Expr.call(
              Op.IN_LIST,
              BOOLEAN,
              ref,
              Expr.literal(value(type, random.nextInt(12) - 6), type),
              Expr.literal(value(type, random.nextInt(12) - 6), type));
      case 3 ->
          type.kind().isText()
              ? Expr.call(Op.LIKE, BOOLEAN, ref, Expr.literal(pattern(), DataType.VARCHAR))
              : Expr.call(Op.IS_TRUE, DataType.BOOLEAN, Expr.call(Op.LT, BOOLEAN, ref, literal));
      case 4 -> Expr.call(comparison(), BOOLEAN, widened(ref), literalOf(widened(ref).type()));
      case 5 -> Expr.call(comparison(), BOOLEAN, literal, ref);
      default -> Expr.call(comparison(), BOOLEAN, ref, literal);
    };
  }

  private @Nullable Object literal(DataType type) {
    return random.nextInt(20) == 0 ? null : value(type, random.nextInt(12) - 6);
  }

  private Expr literalOf(DataType type) {
    return Expr.literal(
        type.kind() == TypeKind.TIMESTAMP
            ? (Object) ((random.nextInt(16) - 8) * 43_200_000L)
            : value(type, random.nextInt(12) - 6),
        type);
  }

  private static Expr widened(Expr ref) {
    return switch (ref.type().kind()) {
      case INT32 -> Expr.call(Op.CAST, DataType.INT64.withNullable(true), ref);
      case INT64 -> Expr.call(Op.CAST, DataType.decimal(19, 2, true), ref);
      case DATE -> Expr.call(Op.CAST, new DataType(TypeKind.TIMESTAMP, 3, 0, true), ref);
      default -> ref;
    };
  }

  private Op comparison() {
    return List.of(Op.EQ, Op.NE, Op.LT, Op.LE, Op.GT, Op.GE).get(random.nextInt(6));
  }

  private String pattern() {
    return List.of("a%", "ab%", "a_c", "%b", "", "é%", "b\\%", "abc").get(random.nextInt(8));
  }

  @Test
  void noRowThatMatchesIsLeftOut() {
    int excluded = 0;
    int matched = 0;
    for (int round = 0; round < 20_000; round++) {
      int rows = 1 + random.nextInt(6);
      List<List<@Nullable Object>> columns = columns(rows);
      List<ZoneMap> zones = columns.stream().map(this::zone).toList();
      Expr predicate = predicate(2);
      boolean may = ZoneFilter.mayMatch(predicate, zones::get);
      boolean does = false;
      for (int i = 0; i < rows; i++) {
        int row = i;
        does |=
            Boolean.TRUE.equals(
                Interpreter.evaluate(predicate, column -> columns.get(column).get(row)));
      }
      assertTrue(may || !does, () -> predicate + " over " + columns + " as " + zones);
      excluded += may ? 0 : 1;
      matched += does ? 1 : 0;
    }
    assertTrue(excluded > 4000, excluded + " were left out");
    assertTrue(matched > 4000, matched + " matched");
  }

  private static boolean may(Op op, ZoneMap zone, Object literal) {
    DataType type = literal instanceof Double ? DataType.FLOAT64 : DataType.INT64;
    if (literal instanceof String) {
      type = DataType.VARCHAR;
    }
    return ZoneFilter.mayMatch(
        Expr.call(op, BOOLEAN, Expr.ref(0, type), Expr.literal(literal, type)), column -> zone);
  }

  @Test
  void boundsAreUsedToTheEnd() {
    ZoneMap zone = new ZoneMap(10, 0, 5L, 9L, false);
    assertFalse(may(Op.LT, zone, 5L));
    assertTrue(may(Op.LE, zone, 5L));
    assertFalse(may(Op.GT, zone, 9L));
    assertTrue(may(Op.GE, zone, 9L));
    assertFalse(may(Op.EQ, zone, 4L));
    assertTrue(may(Op.EQ, zone, 9L));
    assertFalse(may(Op.NE, new ZoneMap(10, 0, 7L, 7L, false), 7L));
    assertFalse(may(Op.EQ, new ZoneMap(10, 10, null, null, false), 7L));
    assertTrue(may(Op.EQ, ZoneMap.unknown(10), 7L));
  }

  @Test
  void nanIsLargerThanAllBounds() {
    ZoneMap zone = new ZoneMap(10, 0, 0.0, 9.0, true);
    assertTrue(may(Op.GT, zone, 10.0));
    assertFalse(may(Op.LT, zone, -0.0));
    assertFalse(may(Op.EQ, zone, 10.0));
    assertTrue(may(Op.EQ, zone, Double.NaN));
    assertFalse(may(Op.GT, new ZoneMap(10, 0, 0.0, 9.0, false), 10.0));
  }

  @Test
  void boundsOfTextsMayBeCutOff() {
    ZoneMap zone = new ZoneMap(10, 0, bytes("ab"), bytes("ad"), false);
    assertTrue(may(Op.EQ, zone, "abzzz"));
    assertFalse(may(Op.EQ, zone, "ad0"));
    assertFalse(may(Op.EQ, zone, "aa"));
    assertTrue(may(Op.LIKE, zone, "abc%"));
    assertFalse(may(Op.LIKE, zone, "aa%"));
    assertFalse(may(Op.LIKE, zone, "ade%"));
    assertTrue(may(Op.LIKE, zone, "%x"));
    assertEquals(false, may(Op.LIKE, zone, "b%"));
  }
}
