package io.aragonite.exec.operator.window;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.DiscreteDevice;
import io.aragonite.exec.device.HostColumns;
import io.aragonite.exec.device.TestContext;
import io.aragonite.exec.device.cpu.CpuDevice;
import io.aragonite.exec.device.cpu.CpuExpressionCompiler;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.MemoryBudget;
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
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.Columns;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Which functions of windows a device with memory of its own computes; WindowTest says how well.
 */
class DeviceWindowTest {
  private static final DataType INT64 = DataType.INT64.withNullable(true);
  private static final DataType FLOAT64 = DataType.FLOAT64.withNullable(true);
  private static final DataType VARCHAR = DataType.VARCHAR.withNullable(true);
  private static final List<ColumnShape> SHAPES =
      List.of(ColumnShape.of(INT64), ColumnShape.of(FLOAT64), ColumnShape.of(VARCHAR));
  private static final FrameBound START = new FrameBound(FrameBoundKind.UNBOUNDED_PRECEDING, null);
  private static final FrameBound HERE = new FrameBound(FrameBoundKind.CURRENT_ROW, null);
  private static final FrameBound END = new FrameBound(FrameBoundKind.UNBOUNDED_FOLLOWING, null);

  private static WindowCall call(Function function, DataType type, Integer... args) {
    return new WindowCall(function, null, List.of(args), false, type);
  }

  private static WindowCall over(AggregateFunction function, DataType type, Integer... args) {
    return new WindowCall(
        Function.AGGREGATE, AggregateCall.of(function, type, args), List.of(), false, type);
  }

  /** Of each call whether the device finds it. */
  private static String found(
      FrameBound start, FrameBound end, Exclude exclude, List<WindowCall> calls) {
    Window window =
        new Window(
            new TestTable(SHAPES, List.of(), 64).scan(),
            List.of(2),
            List.of(new SortKey(0, false, false)),
            new WindowFrame(true, start, end, exclude),
            calls);
    CpuDevice host =
        new CpuDevice(1, new MemoryBudget("memory", 1 << 26), new CpuExpressionCompiler());
    StringBuilder found = new StringBuilder();
    try (Device device = new DiscreteDevice(new MemoryBudget("memory", 1 << 26), host);
        TestContext context = new TestContext(device)) {
      List<Column> columns = new ArrayList<>();
      List<List<@Nullable Object>> values =
          List.of(List.of(1L, 2L, 3L), List.of(1.5, 2.5, 3.5), List.of("a", "a", "b"));
      for (int c = 0; c < SHAPES.size(); c++) {
        Column column = Columns.of(context.hostScratch(), SHAPES.get(c), values.get(c));
        columns.add(HostColumns.toDevice(context, column, context.memory()));
      }
      Buffer order = context.ints(new int[] {0, 1, 2});
      ColumnBatch rows = new ColumnBatch(columns, 3);
      try (DeviceWindow device1 = new DeviceWindow(context, window, rows, order)) {
        for (WindowCall call : calls) {
          found.append(device1.find(call) == null ? '-' : '+');
        }
      }
    }
    return found.toString();
  }

  @Test
  void ranksAndNeighboursAreFoundWhateverTheFrame() {
    List<WindowCall> calls =
        List.of(
            call(Function.ROW_NUMBER, DataType.INT64),
            call(Function.RANK, DataType.INT64),
            call(Function.DENSE_RANK, DataType.INT64),
            call(Function.PERCENT_RANK, DataType.FLOAT64),
            call(Function.CUME_DIST, DataType.FLOAT64),
            call(Function.NTILE, INT64, 0),
            call(Function.LAG, VARCHAR, 2),
            call(Function.LEAD, FLOAT64, 1, 0, 1));
    assertEquals("++++++++", found(HERE, END, Exclude.TIES, calls));
  }

  @Test
  void aggregatesByFrame() {
    List<WindowCall> calls =
        List.of(
            over(AggregateFunction.COUNT, DataType.INT64),
            over(AggregateFunction.SUM, INT64, 0),
            over(AggregateFunction.SUM, FLOAT64, 1),
            over(AggregateFunction.MIN, VARCHAR, 2),
            over(AggregateFunction.BIT_AND, INT64, 0),
            call(Function.FIRST_VALUE, VARCHAR, 2),
            call(Function.LAST_VALUE, VARCHAR, 2),
            call(Function.NTH_VALUE, VARCHAR, 2, 0),
            call(Function.COMOMENT, FLOAT64, 1, 1));
    assertEquals("+++++++++", found(START, END, Exclude.NO_OTHERS, calls), "whole");
    assertEquals("++++-+++-", found(START, HERE, Exclude.NO_OTHERS, calls), "running");
    assertEquals("++---+++-", found(HERE, END, Exclude.NO_OTHERS, calls), "sliding");
    assertEquals("---------", found(START, END, Exclude.GROUP, calls), "with gaps");
  }
}
