package io.aragonite.exec.operator.window;

import io.aragonite.exec.device.Batches;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.HostColumns;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.operator.ProjectOperator;
import io.aragonite.exec.operator.RowCollector;
import io.aragonite.exec.operator.window.WindowResult.Computed;
import io.aragonite.exec.operator.window.WindowResult.Picked;
import io.aragonite.exec.operator.window.WindowSource.WindowColumn;
import io.aragonite.exec.pipeline.PipelineHead;
import io.aragonite.exec.pipeline.PlanCompiler;
import io.aragonite.exec.plan.PhysicalPlan.Window;
import io.aragonite.exec.plan.WindowCall;
import io.aragonite.exec.plan.WindowFrame;
import io.aragonite.exec.plan.WindowFrame.FrameBound;
import io.aragonite.exec.spill.SpillableRowCollection;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Runs the input of a window, computes its functions and yields its rows. On the CPU functions are
 * loops over host memory. A device with memory of its own finds what {@link DeviceWindow} knows;
 * for the other functions the sorted input is copied to the host, and what was found is copied
 * back.
 */
public final class WindowCompiler {
  private final ExecContext context;
  private final Window window;

  /** The input and its order where the device has them. */
  private final ColumnBatch input;

  private final Buffer order;

  private WindowCompiler(ExecContext context, Window window, ColumnBatch input, Buffer order) {
    this.context = context;
    this.window = window;
    this.input = input;
    this.order = order;
  }

  public static PipelineHead compile(PlanCompiler compiler, Window plan) {
    PipelineHead input = compiler.compile(plan.input());
    RowCollector collector =
        new RowCollector(
            input.shapes(), compiler.resources().spill(), compiler.resources().metrics(plan));
    compiler.run(input, collector, plan);
    WindowFrame frame =
        new WindowFrame(
            plan.frame().rows(),
            resolve(compiler, plan.frame().start()),
            resolve(compiler, plan.frame().end()),
            plan.frame().exclude());
    Window window =
        new Window(plan.input(), plan.partitionBy(), plan.orderBy(), frame, plan.calls());
    if (!SpilledWindow.fits(compiler.resources(), window, collector.collection())) {
      SpillableRowCollection collection = collector.collection();
      if (!window.partitionBy().isEmpty()) {
        return PipelineHead.of(
            new SpilledWindow(compiler.resources(), plan, window, input.shapes(), collection));
      }
      if (RunningWindowState.takes(window, input.shapes())) {
        return PipelineHead.of(RunningWindow.of(compiler, plan, window, collection));
      }
    }
    WindowRows rows =
        compiler.resources().work(plan, context -> computeWhole(context, window, collector));
    PipelineHead head = PipelineHead.of(rows.source());
    List<Expr> output = rows.output();
    return output == null
        ? head
        : head.then(
            new ProjectOperator(
                compiler.resources().expressions().projection(output, head.shapes())));
  }

  /**
   * The rows of a window.
   *
   * @param output what of its columns comes out; null: all as they are
   */
  record WindowRows(WindowSource source, @Nullable List<Expr> output) {}

  /** Computes a window whose rows have to be in memory together. */
  private static WindowRows computeWhole(
      ExecContext context, Window window, RowCollector collector) {
    long rows = collector.collection().rows();
    long bytes = collector.collection().bytes();
    try {
      return compute(context, window, collector.rows(context));
    } catch (AragoniteException e) {
      if (e.code() != ErrorCode.MEMORY_EXCEEDED || !window.partitionBy().isEmpty()) {
        throw e;
      }
      throw new AragoniteException(
          ErrorCode.MEMORY_EXCEEDED,
          "A window without PARTITION BY has to have its %,d rows (%,d bytes) in memory at once, which has not enough, unless its functions are ranks, first and last values, counts, sums, minima and maxima from the first row to the current one or the last (not LAST_VALUE to the last), or, without ranks beside them, LAG and LEAD by a constant and functions of so many ROWS before and behind: raise memory=, add PARTITION BY, or select fewer columns and rows; %s"
              .formatted(rows, bytes, e.getMessage()),
          e);
    }
  }

  /** Computes a window over rows, whose memory is then the source's. */
  static WindowRows compute(ExecContext context, Window window, ColumnBatch rows) {
    Buffer order = SortedRows.order(context, rows, window);
    return new WindowCompiler(context, window, rows, order).rows();
  }

  private static FrameBound resolve(PlanCompiler compiler, FrameBound bound) {
    Expr offset = bound.offset();
    return offset == null ? bound : new FrameBound(bound.kind(), compiler.resolve(offset));
  }

  private WindowRows rows() {
    WindowResult[] found = compute();
    IntVector inOrder = new IntVector(order);
    List<WindowColumn> results = new ArrayList<>();
    for (Column column : input.columns()) {
      results.add(new WindowColumn(column, column.shape(), inOrder, false));
    }
    int first = results.size();
    List<Picked> defaulted = new ArrayList<>();
    for (int i = 0; i < found.length; i++) {
      results.add(result(found[i]));
      if (hasDefault(window.calls().get(i))) {
        defaulted.add((Picked) found[i]);
      }
    }
    int morselRows = context.device().properties().morselRows();
    for (Picked picked : defaulted) {
      Column flags = Objects.requireNonNull(picked.outside());
      results.add(new WindowColumn(flags, flags.shape(), null, false));
    }
    WindowSource source = new WindowSource(input.rows(), results, morselRows);
    if (defaulted.isEmpty()) {
      return new WindowRows(source, null);
    }
    List<Expr> output = new ArrayList<>();
    int next = 0;
    for (int i = 0; i < first + window.calls().size(); i++) {
      DataType type = results.get(i).shape().type();
      Expr value = Expr.ref(i, type);
      WindowCall call = i < first ? null : window.calls().get(i - first);
      if (call != null && hasDefault(call)) {
        Picked picked = defaulted.get(next);
        Expr outside = Expr.ref(first + window.calls().size() + next, DataType.BOOLEAN);
        Expr otherwise =
            Expr.ref(picked.otherwise(), results.get(picked.otherwise()).shape().type());
        value = Expr.call(Op.CASE, call.type(), outside, otherwise, value);
        next++;
      }
      output.add(value);
    }
    return new WindowRows(source, output);
  }

  private static boolean hasDefault(WindowCall call) {
    return (call.function() == WindowCall.Function.LAG
            || call.function() == WindowCall.Function.LEAD)
        && call.args().size() > 2;
  }

  private WindowColumn result(WindowResult found) {
    return switch (found) {
      case Computed computed ->
          new WindowColumn(computed.data(), computed.data().shape(), computed.rows(), false);
      case Picked picked -> {
        Column data = input.column(picked.column());
        ColumnShape shape = data.shape();
        shape = shape.withType(shape.type().withNullable(true)).withMayBeNull(true);
        yield new WindowColumn(data, shape, picked.rows(), true);
      }
    };
  }

  /** What the calls yield, in the device's memory. */
  private WindowResult[] compute() {
    List<WindowCall> calls = window.calls();
    WindowResult[] found = new WindowResult[calls.size()];
    if (context.device().traits().hostMemory()) {
      computeOnHost(input, new IntVector(order), calls, found);
      return found;
    }
    List<@Nullable WindowResult> byDevice = new ArrayList<>();
    boolean small = context.device().leavesToHost(input.rows());
    try (DeviceWindow device = new DeviceWindow(context, window, input, order)) {
      for (WindowCall call : calls) {
        byDevice.add(small ? null : device.find(call));
      }
    }
    List<WindowCall> left = new ArrayList<>();
    for (int i = 0; i < found.length; i++) {
      if (byDevice.get(i) == null) {
        left.add(calls.get(i));
      }
    }
    WindowResult[] byHost = new WindowResult[left.size()];
    if (!left.isEmpty()) {
      copyToHost(left, byHost);
    }
    int next = 0;
    for (int i = 0; i < found.length; i++) {
      WindowResult known = byDevice.get(i);
      found[i] = known == null ? byHost[next++] : known;
    }
    return found;
  }

  /** Computes calls on the host for a device of other memory. */
  private void copyToHost(List<WindowCall> calls, WindowResult[] found) {
    ExecContext host = context.onHost();
    ColumnBatch copy = HostColumns.toHost(context, input, host.memory());
    IntVector orderCopy = IntVector.allocate(host.memory(), input.rows());
    long bytes = 4L * input.rows();
    context.device().transfers().toHost(context, order, orderCopy.buffer().address(), bytes);
    computeOnHost(copy, orderCopy, calls, found);
    copy.columns().forEach(column -> Batches.free(host.memory(), column));
    IdentityHashMap<Column, Column> columns = new IdentityHashMap<>();
    IdentityHashMap<IntVector, IntVector> ints = new IdentityHashMap<>();
    for (int i = 0; i < found.length; i++) {
      found[i] =
          switch (found[i]) {
            case Computed computed ->
                new Computed(
                    Objects.requireNonNull(toDevice(computed.data(), columns)),
                    toDevice(computed.rows(), ints));
            case Picked picked ->
                new Picked(
                    picked.column(),
                    Objects.requireNonNull(toDevice(picked.rows(), ints)),
                    picked.otherwise(),
                    toDevice(picked.outside(), columns));
          };
    }
    long moved = HostColumns.bytes(input) + bytes * (1 + ints.size());
    for (Column column : columns.values()) {
      moved += HostColumns.bytes(column);
    }
    HostColumns.book(context, moved);
  }

  private @Nullable Column toDevice(
      @Nullable Column column, IdentityHashMap<Column, Column> known) {
    return column == null
        ? null
        : known.computeIfAbsent(column, c -> HostColumns.toDevice(context, c, context.memory()));
  }

  private @Nullable IntVector toDevice(
      @Nullable IntVector ints, IdentityHashMap<IntVector, IntVector> known) {
    if (ints == null) {
      return null;
    }
    return known.computeIfAbsent(
        ints,
        given -> {
          IntVector copy = IntVector.allocate(context.memory(), input.rows());
          long bytes = 4L * input.rows();
          context
              .device()
              .transfers()
              .toDevice(context, given.buffer().address(), copy.buffer(), bytes);
          return copy;
        });
  }

  /** Computes calls beside each other. */
  private void computeOnHost(
      ColumnBatch batch, IntVector inOrder, List<WindowCall> calls, WindowResult[] found) {
    ExecContext host = context.onHost();
    SortedRows sorted = SortedRows.of(host, batch, inOrder, window);
    boolean framed = calls.stream().anyMatch(c -> needsFrame(c.function()));
    Frames frames = framed ? new FrameBounds(host, window, sorted).find() : null;
    host.parallel()
        .forEach(
            found.length, (worker, i) -> found[i] = compute(worker, sorted, calls.get(i), frames));
  }

  private static boolean needsFrame(WindowCall.Function function) {
    return switch (function) {
      case AGGREGATE, FIRST_VALUE, LAST_VALUE, NTH_VALUE -> true;
      default -> false;
    };
  }

  private WindowResult compute(
      ExecContext worker, SortedRows sorted, WindowCall call, @Nullable Frames frames) {
    return switch (call.function()) {
      case AGGREGATE ->
          new Aggregates(worker, sorted, Objects.requireNonNull(frames), window, call).compute();
      case ROW_NUMBER, RANK, DENSE_RANK, PERCENT_RANK, CUME_DIST, NTILE -> {
        WindowOutput out = new WindowOutput(worker.memory(), call.type(), sorted.count());
        Ranking.compute(call, sorted, out);
        yield new Computed(out.finish(), null);
      }
      case LAG -> new Navigation(worker, sorted, call).offset(false);
      case LEAD -> new Navigation(worker, sorted, call).offset(true);
      case FIRST_VALUE, LAST_VALUE, NTH_VALUE ->
          new Navigation(worker, sorted, call).inFrame(Objects.requireNonNull(frames));
    };
  }
}
