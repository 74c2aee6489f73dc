package io.aragonite.exec.integration.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.engine.TestEngine;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.plan.AggregateCall;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.PhysicalPlan.Window;
import io.aragonite.exec.plan.SortKey;
import io.aragonite.exec.plan.TestTable;
import io.aragonite.exec.plan.WindowCall;
import io.aragonite.exec.plan.WindowCall.Function;
import io.aragonite.exec.plan.WindowFrame;
import io.aragonite.exec.plan.WindowFrame.Exclude;
import io.aragonite.exec.plan.WindowFrame.FrameBound;
import io.aragonite.exec.plan.WindowFrame.FrameBoundKind;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.ValueRange;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Windows without PARTITION BY over rows that memory does not hold. */
class WindowSpillTest {
  private static final DataType TEXT = DataType.VARCHAR.withNullable(true);
  private static final DataType LONG = DataType.INT64.withNullable(true);
  private static final DataType DOUBLE = DataType.FLOAT64.withNullable(true);
  private static final int ROWS = 20_000;

  /** A fraction of what the window takes in one piece, and more than the batches of two workers. */
  private static final long LITTLE = 1_500_000;

  private static final WindowFrame RUNNING = frame(true, FrameBoundKind.CURRENT_ROW);
  private static final WindowFrame PEERS = frame(false, FrameBoundKind.CURRENT_ROW);
  private static final WindowFrame ALL = frame(true, FrameBoundKind.UNBOUNDED_FOLLOWING);

  @TempDir Path folder;

  private static WindowFrame frame(boolean rows, FrameBoundKind end) {
    return new WindowFrame(
        rows,
        new FrameBound(FrameBoundKind.UNBOUNDED_PRECEDING, null),
        new FrameBound(end, null),
        Exclude.NO_OTHERS);
  }

  /**
   * Columns: all different, in no order; few values, some null; texts, some null; floating-point
   * values, some no numbers; 70; -3; 0; values of 0.0, -0.0 and less; values of which three
   * neighbours make 5, and two too much.
   */
  private static PhysicalPlan table(int groups) {
    List<List<@Nullable Object>> all = new ArrayList<>();
    for (long i = 0; i < ROWS; i++) {
      List<@Nullable Object> row = new ArrayList<>();
      row.add(i * 7919 % ROWS);
      // The first of them are null, so that a sum begins with nothing.
      row.add(i * 7919 % ROWS < 300 || i % 11 == 0 ? null : Long.valueOf(i % groups - groups / 2));
      row.add(i % 13 == 0 ? null : "text " + i * 31 % 5000);
      row.add(i % 17 == 0 ? null : i % 501 == 7 ? Double.NaN : i * 31 % 9001 / 4.0 - 1000);
      row.add(70L);
      row.add(-3L);
      row.add(0L);
      row.add(i % 5 == 0 ? -0.0 : i % 7 == 0 ? 0.0 : -1.5);
      long place = ROWS - 1 - i * 7919 % ROWS;
      row.add(place % 3 == 0 ? 5 : place % 3 == 1 ? -Long.MAX_VALUE : Long.MAX_VALUE);
      all.add(row);
    }
    ColumnShape number = ColumnShape.of(DataType.INT64);
    List<ColumnShape> shapes =
        List.of(
            number,
            ColumnShape.of(LONG),
            ColumnShape.of(TEXT),
            ColumnShape.of(DOUBLE),
            constant(70),
            constant(-3),
            constant(0),
            ColumnShape.of(DOUBLE),
            number);
    return new TestTable(shapes, all, 1024).scan();
  }

  private static ColumnShape constant(long value) {
    ValueRange only = new ValueRange(value, value);
    return new ColumnShape(DataType.INT64, Storage.LONG, false, null, only);
  }

  private static WindowCall rank(Function function) {
    return new WindowCall(function, null, List.of(), false, DataType.INT64);
  }

  private static WindowCall aggregate(AggregateFunction function, DataType type, Integer... args) {
    AggregateCall call = AggregateCall.of(function, type, args);
    return new WindowCall(Function.AGGREGATE, call, List.of(), false, type);
  }

  private static WindowCall value(Function function) {
    return new WindowCall(function, null, List.of(2), false, TEXT);
  }

  private static List<WindowCall> aggregates() {
    return List.of(
        aggregate(AggregateFunction.SUM, LONG, 1),
        aggregate(AggregateFunction.SUM0, DataType.INT64, 1),
        aggregate(AggregateFunction.COUNT, DataType.INT64, 1),
        aggregate(AggregateFunction.COUNT, DataType.INT64),
        aggregate(AggregateFunction.MIN, LONG, 1),
        aggregate(AggregateFunction.MAX, TEXT, 2));
  }

  @SafeVarargs
  private static List<WindowCall> calls(List<WindowCall>... some) {
    List<WindowCall> all = new ArrayList<>();
    for (List<WindowCall> calls : some) {
      all.addAll(calls);
    }
    return all;
  }

  private static Window window(int groups, int orderBy, WindowFrame frame, List<WindowCall> calls) {
    List<SortKey> order = orderBy < 0 ? List.of() : List.of(new SortKey(orderBy, true, false));
    return new Window(table(groups), List.of(), order, frame, calls);
  }

  private static Map<String, Window> windows() {
    List<WindowCall> ranks = List.of(rank(Function.RANK), rank(Function.DENSE_RANK));
    List<WindowCall> place = List.of(rank(Function.ROW_NUMBER));
    List<WindowCall> values = List.of(value(Function.FIRST_VALUE), value(Function.LAST_VALUE));
    List<WindowCall> floats =
        List.of(
            aggregate(AggregateFunction.MIN, DOUBLE, 3),
            aggregate(AggregateFunction.MAX, DOUBLE, 3),
            new WindowCall(Function.FIRST_VALUE, null, List.of(3), false, DOUBLE));
    // Of equal values the CPU takes the first, but in frames that move.
    List<WindowCall> zeros =
        List.of(
            aggregate(AggregateFunction.MIN, DOUBLE, 7),
            aggregate(AggregateFunction.MAX, DOUBLE, 7));
    List<WindowCall> neighbours =
        List.of(
            new WindowCall(Function.LAG, null, List.of(2), false, TEXT),
            new WindowCall(Function.LAG, null, List.of(3, 4), false, DOUBLE),
            new WindowCall(Function.LEAD, null, List.of(2, 4), false, TEXT),
            new WindowCall(Function.LAG, null, List.of(0, 4, 1), false, LONG),
            new WindowCall(Function.LEAD, null, List.of(0), false, LONG),
            new WindowCall(Function.LAG, null, List.of(0, 5), false, LONG),
            new WindowCall(Function.LAG, null, List.of(0, 6, 1), false, LONG));
    List<WindowCall> sums = List.of(aggregate(AggregateFunction.SUM, LONG, 1));
    Map<String, Window> windows = new LinkedHashMap<>();
    windows.put("neighbours", window(50, 0, RUNNING, calls(neighbours, place, sums)));
    WindowFrame moving =
        new WindowFrame(
            true,
            new FrameBound(FrameBoundKind.PRECEDING, Expr.literal(90L, DataType.INT64)),
            new FrameBound(FrameBoundKind.FOLLOWING, Expr.literal(20L, DataType.INT64)),
            Exclude.CURRENT_ROW);
    WindowFrame three =
        new WindowFrame(
            true,
            new FrameBound(FrameBoundKind.PRECEDING, Expr.literal(2L, DataType.INT64)),
            new FrameBound(FrameBoundKind.CURRENT_ROW, null),
            Exclude.NO_OTHERS);
    windows.put(
        "sums near the limits",
        window(50, 0, three, List.of(aggregate(AggregateFunction.SUM, LONG, 8))));
    windows.put("zeros, on the CPU", window(50, 0, RUNNING, zeros));
    windows.put("rows around", window(50, 0, moving, calls(sums, floats, values, place)));
    windows.put(
        "up to a row", window(50, 0, RUNNING, calls(aggregates(), floats, place, ranks, values)));
    windows.put("up to peers", window(90, 1, PEERS, calls(ranks, aggregates())));
    windows.put("over all", window(50, -1, PEERS, calls(aggregates(), ranks)));
    windows.put(
        "over all, in order", window(50, 0, ALL, calls(place, aggregates(), floats, ranks)));
    return windows;
  }

  @Test
  void answersAreTheSame() {
    for (boolean discrete : new boolean[] {false, true}) {
      for (var named : windows().entrySet()) {
        if (discrete && named.getKey().equals("zeros, on the CPU")) {
          continue;
        }
        String what = named.getKey() + (discrete ? ", discrete" : "");
        Map<?, Integer> expected;
        try (SpillMachine machine = new SpillMachine(discrete, 1L << 30, folder, Long.MAX_VALUE)) {
          expected = TestEngine.counts(machine.run(named.getValue()));
        }
        long little = discrete ? 4 * LITTLE : LITTLE * 3 / 2;
        try (SpillMachine machine = new SpillMachine(discrete, little, folder, Long.MAX_VALUE)) {
          Map<?, Integer> rows = TestEngine.counts(machine.run(named.getValue()));
          assertTrue(expected.equals(rows), () -> what + ": " + firstDifference(expected, rows));
          machine.assertReleased();
        }
      }
    }
  }

  private static String firstDifference(Map<?, Integer> expected, Map<?, Integer> found) {
    return found.keySet().stream()
        .filter(row -> !expected.containsKey(row))
        .findFirst()
        .map(row -> row + " is wrong")
        .orElse("rows are missing, or there too often");
  }

  /**
   * Columns: all different, in no order; few values; numbers far from zero, some null, the first
   * ones too; numbers, some null.
   */
  private static PhysicalPlan numbers() {
    List<List<@Nullable Object>> all = new ArrayList<>();
    for (long i = 0; i < 2 * ROWS; i++) {
      long place = i * 7919 % (2 * ROWS);
      List<@Nullable Object> row = new ArrayList<>();
      row.add(place);
      row.add(i % 90);
      row.add(i % 19 == 0 || place < 300 ? null : (Double) (1e9 + i * 31 % 977 / 8.0));
      row.add(i % 23 == 0 ? null : (Double) (i * 17 % 1009 - 0.5 * place));
      all.add(row);
    }
    ColumnShape number = ColumnShape.of(DataType.INT64);
    ColumnShape real = ColumnShape.of(DOUBLE);
    return new TestTable(List.of(number, number, real, real), all, 1024).scan();
  }

  private static Window moments(int orderBy, WindowFrame frame, boolean place) {
    List<SortKey> order = orderBy < 0 ? List.of() : List.of(new SortKey(orderBy, true, false));
    List<WindowCall> calls = new ArrayList<>();
    calls.add(new WindowCall(Function.COMOMENT, null, List.of(2, 2), false, DOUBLE));
    if (place) {
      calls.add(rank(Function.ROW_NUMBER));
    }
    calls.add(new WindowCall(Function.COMOMENT, null, List.of(2, 3), false, DOUBLE));
    return new Window(numbers(), List.of(), order, frame, calls);
  }

  /** Sums of chunks are not rounded as sums of all rows are. */
  @Test
  void variancesAreTheSameButForRounding() {
    WindowFrame three =
        new WindowFrame(
            true,
            new FrameBound(FrameBoundKind.PRECEDING, Expr.literal(2L, DataType.INT64)),
            new FrameBound(FrameBoundKind.CURRENT_ROW, null),
            Exclude.NO_OTHERS);
    List<Window> windows =
        List.of(
            moments(0, RUNNING, true),
            moments(1, PEERS, false),
            moments(-1, PEERS, false),
            moments(0, ALL, true),
            moments(0, three, true));
    for (Window window : windows) {
      List<List<@Nullable Object>> expected;
      try (SpillMachine machine = new SpillMachine(false, 1L << 30, folder, Long.MAX_VALUE)) {
        expected = sorted(machine.run(window));
      }
      try (SpillMachine machine = new SpillMachine(false, LITTLE * 3 / 2, folder, Long.MAX_VALUE)) {
        List<List<@Nullable Object>> found = sorted(machine.run(window));
        assertEquals(expected.size(), found.size());
        for (int i = 0; i < found.size(); i++) {
          assertClose(expected.get(i), found.get(i));
        }
        machine.assertReleased();
      }
    }
  }

  /** By the first column, whose values are all different. */
  private static List<List<@Nullable Object>> sorted(List<List<@Nullable Object>> rows) {
    List<List<@Nullable Object>> all = new ArrayList<>(rows);
    all.sort(Comparator.comparingLong(row -> (Long) Objects.requireNonNull(row.getFirst())));
    return all;
  }

  private static void assertClose(List<@Nullable Object> expected, List<@Nullable Object> found) {
    for (int i = 0; i < expected.size(); i++) {
      if (expected.get(i) instanceof Double number && found.get(i) instanceof Double other) {
        // Products of up to 1e6 go into a sum, and may leave little of it.
        assertEquals(number, other, Math.max(1e-3, 1e-12 * Math.abs(number)), expected::toString);
      } else {
        assertEquals(expected.get(i), found.get(i), expected::toString);
      }
    }
  }

  /** What no chunk holds says so. */
  @Test
  void errorsNameTheWayOut() {
    try (SpillMachine machine = new SpillMachine(false, LITTLE, folder, Long.MAX_VALUE)) {
      Window equal = window(1, 1, PEERS, List.of(rank(Function.RANK)));
      assertMessage(machine, equal, "equal in its ORDER BY");
      machine.assertReleased();
    }
    try (SpillMachine machine = new SpillMachine(false, LITTLE * 4 / 5, folder, Long.MAX_VALUE)) {
      WindowCall share =
          new WindowCall(Function.PERCENT_RANK, null, List.of(), false, DataType.FLOAT64);
      assertMessage(machine, window(50, 0, RUNNING, List.of(share)), "add PARTITION BY");
      machine.assertReleased();
    }
  }

  /**
   * Where memory runs short first depends on how the workers meet: what reads the rows may be
   * refused some as well. That says what to do too, but knows nothing of windows.
   */
  private static void assertMessage(SpillMachine machine, Window window, String part) {
    List<String> messages = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      AragoniteException error = assertThrows(AragoniteException.class, () -> machine.run(window));
      assertEquals(ErrorCode.MEMORY_EXCEEDED, error.code(), error::getMessage);
      messages.add(error.getMessage());
    }
    assertTrue(messages.stream().allMatch(m -> m.contains("raise memory=")), messages::toString);
    assertTrue(messages.stream().anyMatch(m -> m.contains(part)), messages::toString);
  }
}
