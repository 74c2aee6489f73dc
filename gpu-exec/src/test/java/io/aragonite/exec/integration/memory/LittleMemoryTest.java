package io.aragonite.exec.integration.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.engine.TestEngine;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.plan.AggregateCall;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.exec.plan.JoinType;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.PhysicalPlan.Join;
import io.aragonite.exec.plan.PhysicalPlan.JoinKey;
import io.aragonite.exec.plan.PhysicalPlan.SetOperation;
import io.aragonite.exec.plan.PhysicalPlan.Sort;
import io.aragonite.exec.plan.PhysicalPlan.Window;
import io.aragonite.exec.plan.SortKey;
import io.aragonite.exec.plan.TestTable;
import io.aragonite.exec.plan.WindowCall;
import io.aragonite.exec.plan.WindowFrame;
import io.aragonite.exec.plan.WindowFrame.Exclude;
import io.aragonite.exec.plan.WindowFrame.FrameBound;
import io.aragonite.exec.plan.WindowFrame.FrameBoundKind;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Queries with more and more memory, from far too little on: every failure is MEMORY_EXCEEDED and
 * leaves nothing behind, and at last the answer is right.
 */
class LittleMemoryTest {
  private static final DataType LONG = DataType.INT64.withNullable(true);
  private static final DataType TEXT = DataType.VARCHAR.withNullable(true);

  private static PhysicalPlan table() {
    List<List<Object>> rows = new ArrayList<>();
    for (long i = 0; i < 3000; i++) {
      rows.add(List.of(i % 1000, "text number " + i));
    }
    return new TestTable(List.of(ColumnShape.of(LONG), ColumnShape.of(TEXT)), rows, 256).scan();
  }

  @Test
  void joins() {
    for (JoinType type : List.of(JoinType.FULL, JoinType.NULL_AWARE_ANTI, JoinType.SEMI)) {
      List<DataType> types =
          type.leftOnly() ? List.of(LONG, TEXT) : List.of(LONG, TEXT, LONG, TEXT);
      for (boolean buildLeft : new boolean[] {false, true}) {
        check(
            new Join(
                table(),
                table(),
                type,
                List.of(new JoinKey(0, 0, false)),
                null,
                JoinAlgorithm.NON_PARTITIONED_HASH,
                buildLeft,
                types));
      }
    }
  }

  /** Tables for null masks are made where there is the memory, and done without where not. */
  @Test
  void nullsOfSeveralKeys() {
    for (boolean buildLeft : new boolean[] {false, true}) {
      check(
          new Join(
              table(3),
              table(7),
              JoinType.NULL_AWARE_ANTI,
              List.of(new JoinKey(0, 0, false), new JoinKey(1, 1, false)),
              null,
              JoinAlgorithm.NON_PARTITIONED_HASH,
              buildLeft,
              List.of(LONG, TEXT)));
    }
  }

  /** Some values are null, and others are only in tables with this number. */
  private static PhysicalPlan table(int step) {
    List<List<@Nullable Object>> rows = new ArrayList<>();
    for (long i = 0; i < 3000; i++) {
      rows.add(
          Arrays.asList(
              i % (41L * step) == 0 ? null : i % 1000 * step,
              i % (17L * step) == 0 ? null : "text number " + i * step));
    }
    return new TestTable(List.of(ColumnShape.of(LONG), ColumnShape.of(TEXT)), rows, 256).scan();
  }

  @Test
  void sorts() {
    check(new Sort(table(), List.of(new SortKey(1, true, false)), null, null));
    check(
        new Sort(
            table(),
            List.of(new SortKey(0, true, false), new SortKey(1, false, false)),
            null,
            null));
  }

  @Test
  void windows() {
    List<WindowCall> calls = new ArrayList<>();
    for (AggregateFunction function :
        List.of(AggregateFunction.SUM, AggregateFunction.MIN, AggregateFunction.BIT_XOR)) {
      calls.add(
          new WindowCall(
              WindowCall.Function.AGGREGATE,
              AggregateCall.of(function, LONG, 0),
              List.of(),
              false,
              LONG));
    }
    calls.add(new WindowCall(WindowCall.Function.LAG, null, List.of(1), true, TEXT));
    WindowFrame frame =
        new WindowFrame(
            true,
            new FrameBound(FrameBoundKind.CURRENT_ROW, null),
            new FrameBound(FrameBoundKind.UNBOUNDED_FOLLOWING, null),
            Exclude.CURRENT_ROW);
    check(new Window(table(), List.of(0), List.of(new SortKey(1, false, false)), frame, calls));
  }

  @Test
  void setOperations() {
    check(intersection(table(), List.of(LONG, TEXT)));
  }

  /** As setOperations, by sorting rows, which are put aside or go to a table after all. */
  @Test
  void sortedGroups() {
    System.setProperty("aragonite.group", "sort");
    try {
      PhysicalPlan numbers = new PhysicalPlan.Project(table(), List.of(Expr.ref(0, LONG)));
      check(intersection(numbers, List.of(LONG)));
    } finally {
      System.clearProperty("aragonite.group");
    }
  }

  private static PhysicalPlan intersection(PhysicalPlan input, List<DataType> types) {
    return new SetOperation(
        SetOperation.SetOperationKind.INTERSECT, true, List.of(input, input), types);
  }

  private static void check(PhysicalPlan plan) {
    Map<?, Integer> expected;
    try (TestEngine engine = new TestEngine(2, 256)) {
      expected = TestEngine.counts(engine.run(plan));
    }
    int failures = 0;
    for (long memory = 20_000; ; memory += memory / 4) {
      try (TestEngine engine = new TestEngine(2, 256, memory)) {
        assertEquals(expected, TestEngine.counts(engine.run(plan)));
        break;
      } catch (AragoniteException e) {
        assertEquals(ErrorCode.MEMORY_EXCEEDED, e.code(), e::getMessage);
        failures++;
      }
    }
    assertTrue(failures > 2, "memory was never short");
  }
}
