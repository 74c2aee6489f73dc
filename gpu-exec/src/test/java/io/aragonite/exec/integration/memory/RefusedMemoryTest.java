package io.aragonite.exec.integration.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.device.DiscreteDevice;
import io.aragonite.exec.device.cpu.CpuDevice;
import io.aragonite.exec.device.cpu.CpuExpressionCompiler;
import io.aragonite.exec.engine.Engine;
import io.aragonite.exec.engine.TestEngine;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.MemoryLeaks;
import io.aragonite.exec.plan.AggregateCall;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.exec.plan.JoinType;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.PhysicalPlan.Aggregate;
import io.aragonite.exec.plan.PhysicalPlan.Join;
import io.aragonite.exec.plan.PhysicalPlan.JoinKey;
import io.aragonite.exec.plan.PhysicalPlan.Sort;
import io.aragonite.exec.plan.PhysicalPlan.Window;
import io.aragonite.exec.plan.SortKey;
import io.aragonite.exec.plan.TestTable;
import io.aragonite.exec.plan.WindowCall;
import io.aragonite.exec.plan.WindowCall.Function;
import io.aragonite.exec.plan.WindowFrame;
import io.aragonite.exec.plan.WindowFrame.Exclude;
import io.aragonite.exec.plan.WindowFrame.FrameBound;
import io.aragonite.exec.plan.WindowFrame.FrameBoundKind;
import io.aragonite.exec.runtime.BatchResult;
import io.aragonite.exec.runtime.QueryOptions;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * A device whose driver refuses memory in the middle of a query: the first block, the second, and
 * so on. Each time the query says so or goes on in less memory, the device's budget is back where
 * it was, and the next query on the same device is right.
 */
class RefusedMemoryTest {
  private static final DataType LONG = DataType.INT64.withNullable(true);
  private static final DataType TEXT = DataType.VARCHAR.withNullable(true);

  private static PhysicalPlan table() {
    List<List<Object>> rows = new ArrayList<>();
    for (long i = 0; i < 400; i++) {
      rows.add(List.of(i % 120, "text number " + i));
    }
    return new TestTable(List.of(ColumnShape.of(LONG), ColumnShape.of(TEXT)), rows, 200).scan();
  }

  @Test
  void joins() {
    for (JoinAlgorithm algorithm : JoinAlgorithm.values()) {
      check(
          new Join(
              table(),
              table(),
              JoinType.FULL,
              List.of(new JoinKey(0, 0, false)),
              null,
              algorithm,
              false,
              List.of(LONG, TEXT, LONG, TEXT)));
    }
  }

  @Test
  void sorts() {
    check(
        new Sort(
            table(),
            List.of(new SortKey(0, true, false), new SortKey(1, false, false)),
            null,
            null));
  }

  @Test
  void aggregates() {
    check(
        new Aggregate(
            table(),
            List.of(0),
            List.of(List.of(0)),
            List.of(
                AggregateCall.of(AggregateFunction.COUNT, DataType.INT64),
                AggregateCall.of(AggregateFunction.MAX, TEXT, 1)),
            false,
            List.of(LONG, DataType.INT64, TEXT)));
  }

  @Test
  void windows() {
    List<WindowCall> calls =
        List.of(
            new WindowCall(Function.ROW_NUMBER, null, List.of(), false, DataType.INT64),
            over(AggregateFunction.SUM, LONG, 0),
            over(AggregateFunction.MIN, TEXT, 1),
            new WindowCall(Function.LAG, null, List.of(1), false, TEXT),
            new WindowCall(Function.LAG, null, List.of(1), true, TEXT));
    for (FrameBoundKind end :
        List.of(FrameBoundKind.CURRENT_ROW, FrameBoundKind.UNBOUNDED_FOLLOWING)) {
      WindowFrame frame =
          new WindowFrame(
              true,
              new FrameBound(FrameBoundKind.UNBOUNDED_PRECEDING, null),
              new FrameBound(end, null),
              Exclude.NO_OTHERS);
      check(new Window(table(), List.of(0), List.of(new SortKey(1, false, false)), frame, calls));
    }
  }

  private static WindowCall over(AggregateFunction function, DataType type, int column) {
    return new WindowCall(
        Function.AGGREGATE, AggregateCall.of(function, type, column), List.of(), false, type);
  }

  private static Map<List<@Nullable Object>, Integer> run(Engine engine, PhysicalPlan plan) {
    List<List<@Nullable Object>> rows = new ArrayList<>();
    try (BatchResult result = engine.execute(plan, QueryOptions.DEFAULT)) {
      for (ColumnBatch batch = result.next(); batch != null; batch = result.next()) {
        rows.addAll(TestEngine.rows(batch));
      }
    }
    return TestEngine.counts(rows);
  }

  private static void check(PhysicalPlan plan) {
    MemoryBudget budget = new MemoryBudget("memory", 1 << 28);
    CpuDevice host =
        new CpuDevice(
            1, new MemoryBudget("memory", 1 << 28), new CpuExpressionCompiler(), 256, 512);
    DiscreteDevice device = new DiscreteDevice(budget, host);
    try (Engine engine = new Engine(device)) {
      Map<List<@Nullable Object>, Integer> expected = run(engine, plan);
      int refusals = 0;
      for (long blocks = 0; ; blocks += 1 + blocks / 6) {
        device.refuseAfter(blocks);
        try {
          Map<List<@Nullable Object>, Integer> rows = run(engine, plan);
          assertEquals(expected, rows);
          if (!device.hasRefused()) {
            break;
          }
        } catch (AragoniteException e) {
          assertEquals(ErrorCode.MEMORY_EXCEEDED, e.code(), e::getMessage);
        }
        refusals++;
        MemoryLeaks.assertReleased(budget);
        MemoryLeaks.assertReleased(host.memory());
      }
      assertTrue(refusals > 10, refusals + " refusals of blocks");
      device.refuseAfter(Long.MAX_VALUE);
      assertEquals(expected, run(engine, plan), "the next query");
      MemoryLeaks.assertReleased(budget);
    }
  }
}
