package io.aragonite.bench.fuzz;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.Date;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Time;
import java.sql.Timestamp;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntConsumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The rows of an answer, in a form in which engines can be compared: exact numbers as {@link BigDecimal}, whatever their type, others
 * as {@link Double} or {@link Float}, everything else as text, NULL as a text that no value has.
 */
record FuzzRows(List<List<Object>> rows) {
  private static final String NULL = "\u0000NULL";
  private static final double TOLERANCE = 1e-9;
  private static final double REAL_TOLERANCE = 1e-5;

  /** What is left of numbers that take each other away, as covariances of what does not vary. */
  private static final double NEAR_ZERO = 1e-9;

  /** Rows of an answer that differ in their last digits are looked for among so many. */
  private static final int MOST_ALIKE = 500;

  /** Beyond it sums depend on the order of rows. */
  private static final double LARGEST_SUM = 1e13;

  private static final int SHOWN = 10;

  /**
   * Reads a result to its end and closes it.
   *
   * @return null if it has more than so many rows
   */
  static @Nullable FuzzRows read(ResultSet result, int most) throws SQLException {
    return read(result, most, row -> {});
  }

  /**
   * The same.
   *
   * @param each is told the number of each row, from 0, before it is read
   */
  static @Nullable FuzzRows read(ResultSet result, int most, IntConsumer each) throws SQLException {
    try (result) {
      int columns = result.getMetaData().getColumnCount();
      List<List<Object>> rows = new ArrayList<>();
      while (result.next()) {
        if (rows.size() == most) {
          return null;
        }
        each.accept(rows.size());
        List<Object> row = new ArrayList<>(columns);
        for (int i = 1; i <= columns; i++) {
          row.add(value(result.getObject(i) instanceof Time ? result.getObject(i, LocalTime.class) : result.getObject(i)));
        }
        rows.add(row);
      }
      return new FuzzRows(rows);
    }
  }

  private static Object value(@Nullable Object value) {
    return switch (value) {
      case null -> NULL;
      case BigDecimal decimal -> plain(decimal);
      case BigInteger integer -> plain(new BigDecimal(integer));
      case Double d -> d == 0 ? 0.0 : d;
      case Float f -> f == 0 ? 0f : f;
      case Date date -> date.toLocalDate().toString();
      case Number n -> n.longValue() % 10 == 0 ? plain(BigDecimal.valueOf(n.longValue())) : BigDecimal.valueOf(n.longValue());
      case Timestamp timestamp -> timestamp.toLocalDateTime().toString();
      case OffsetDateTime instant -> instant.toInstant().toString();
      default -> value.toString();
    };
  }

  static BigDecimal plain(BigDecimal value) {
    return value.signum() == 0 ? BigDecimal.ZERO : value.stripTrailingZeros();
  }

  /** Whether a floating-point number is so large that the digits of others were lost beside it. */
  boolean hasLargeDoubles() {
    return rows.stream()
        .flatMap(List::stream)
        .anyMatch(
            value ->
                value instanceof Number number
                    && !(value instanceof BigDecimal)
                    && !(Math.abs(number.doubleValue()) <= LARGEST_SUM));
  }

  /** These rows with 0 in the place of floating-point numbers that are as near to it. */
  FuzzRows without(double small) {
    return new FuzzRows(
        rows.stream().map(row -> row.stream().map(value -> value instanceof Double number && Math.abs(number) < small ? (Object) 0.0 : value).toList()).toList());
  }

  /** The only value, as an exact number; 0 for NULL. */
  BigDecimal number() {
    return rows.get(0).get(0) instanceof BigDecimal number ? number : BigDecimal.ZERO;
  }

  /** How these rows, in any order, differ from others; null if they do not. */
  @Nullable String difference(FuzzRows expected) {
    if (rows.size() != expected.rows.size()) {
      return "%d rows instead of %d%n%s".formatted(rows.size(), expected.rows.size(), both(expected));
    }
    if (rows.equals(expected.rows) || counted().equals(expected.counted())) {
      return null;
    }
    Set<Integer> approximate = approximateColumns();
    approximate.addAll(expected.approximateColumns());
    List<List<Object>> left = sorted(rows, approximate);
    List<List<Object>> right = sorted(expected.rows, approximate);
    for (int i = 0; i < left.size(); i++) {
      for (int c = 0; c < left.get(i).size(); c++) {
        if (!same(left.get(i).get(c), right.get(i).get(c)) && !paired(left, right, approximate)) {
          return "%s instead of %s%n%s".formatted(show(left.get(i)), show(right.get(i)), both(expected));
        }
      }
    }
    return null;
  }

  /** Whether each row has one like it: last digits may decide on the order of others. */
  private static boolean paired(List<List<Object>> left, List<List<Object>> right, Set<Integer> approximate) {
    Map<String, List<List<Object>>> free = new HashMap<>();
    right.forEach(row -> free.computeIfAbsent(exactPart(row, approximate), key -> new ArrayList<>()).add(row));
    for (List<Object> row : left) {
      List<List<Object>> some = free.getOrDefault(exactPart(row, approximate), List.of());
      int near = Math.min(some.size(), MOST_ALIKE); // both are in nearly the same order
      int found = 0;
      while (found < near && !same(row, some.get(found))) {
        found++;
      }
      if (found == near) {
        return false;
      }
      some.remove(found);
    }
    return true;
  }

  private static boolean same(List<Object> left, List<Object> right) {
    return IntStream.range(0, left.size()).allMatch(i -> same(left.get(i), right.get(i)));
  }

  /** Whether rows are all among these, each as often as there at most. */
  boolean contains(FuzzRows some) {
    Map<List<Object>, Integer> left = counted();
    return some.rows.stream().allMatch(row -> left.merge(row, -1, Integer::sum) >= 0);
  }

  private Map<List<Object>, Integer> counted() {
    Map<List<Object>, Integer> counted = new HashMap<>();
    rows.forEach(row -> counted.merge(row, 1, Integer::sum));
    return counted;
  }

  /** Whether all that differs are floating-point numbers. */
  boolean differsInLastDigits(FuzzRows expected) {
    Set<Integer> approximate = approximateColumns();
    approximate.addAll(expected.approximateColumns());
    return !approximate.isEmpty() && exactParts(approximate).equals(expected.exactParts(approximate));
  }

  private List<String> exactParts(Set<Integer> approximate) {
    return rows.stream().map(row -> exactPart(row, approximate)).sorted().toList();
  }

  private static boolean same(Object a, Object b) {
    if (a instanceof Number x && b instanceof Number y && !(a instanceof BigDecimal && b instanceof BigDecimal)) {
      double p = x.doubleValue();
      double q = y.doubleValue();
      double tolerance = x instanceof Float || y instanceof Float ? REAL_TOLERANCE : TOLERANCE;
      return p == q || Math.abs(p) < NEAR_ZERO && Math.abs(q) < NEAR_ZERO || Double.isNaN(p) && Double.isNaN(q) || Math.abs(p - q) <= tolerance * Math.max(Math.abs(p), Math.abs(q));
    }
    return a.equals(b);
  }

  private Set<Integer> approximateColumns() {
    Set<Integer> columns = new TreeSet<>();
    for (List<Object> row : rows) {
      for (int i = 0; i < row.size(); i++) {
        if (row.get(i) instanceof Double || row.get(i) instanceof Float) {
          columns.add(i);
        }
      }
    }
    return columns;
  }

  /** By what is exact first: numbers that differ in their last digits shall not change the order. */
  private static List<List<Object>> sorted(List<List<Object>> rows, Set<Integer> approximate) {
    List<List<Object>> sorted = new ArrayList<>(rows);
    sorted.sort(
        Comparator.<List<Object>, String>comparing(row -> exactPart(row, approximate)).thenComparing((a, b) -> {
          for (int i = 0; i < a.size(); i++) {
            int order = Double.compare(approximate(a.get(i)), approximate(b.get(i)));
            if (order != 0) {
              return order;
            }
          }
          return 0;
        }));
    return sorted;
  }

  private static String exactPart(List<Object> row, Set<Integer> approximate) {
    return IntStream.range(0, row.size())
        .mapToObj(
            i ->
                approximate.contains(i) && row.get(i) instanceof Number
                    ? "#"
                    : row.get(i).toString())
        .collect(Collectors.joining("\u0001"));
  }

  private static double approximate(Object value) {
    return value instanceof Number number ? number.doubleValue() : 0;
  }

  private String both(FuzzRows expected) {
    return "found:\n" + this + "expected:\n" + expected;
  }

  private static String show(List<Object> row) {
    String text =
        row.stream()
            .map(value -> value.equals(NULL) ? "NULL" : value instanceof BigDecimal number ? number.toPlainString() : value.toString())
            .collect(Collectors.joining(" | "));
    return text.length() <= 200 ? text : text.substring(0, 200) + "...";
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    sorted(rows, approximateColumns()).stream().limit(SHOWN).forEach(row -> text.append("  ").append(show(row)).append('\n'));
    if (rows.size() > SHOWN) {
      text.append("  and %d more%n".formatted(rows.size() - SHOWN));
    }
    return text.toString();
  }
}
