package io.aragonite.exec.operator.window;

import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.HostColumns;
import io.aragonite.exec.device.HostView;
import io.aragonite.exec.device.WindowOps;
import io.aragonite.exec.device.WindowResult;
import io.aragonite.exec.device.WindowResult.Computed;
import io.aragonite.exec.device.WindowResult.Picked;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.operator.OrderedCollector;
import io.aragonite.exec.operator.ProjectOperator;
import io.aragonite.exec.operator.RowCollector;
import io.aragonite.exec.operator.sort.Sorter;
import io.aragonite.exec.operator.window.WindowSource.WindowColumn;
import io.aragonite.exec.pipeline.PipelineHead;
import io.aragonite.exec.pipeline.PlanCompiler;
import io.aragonite.exec.plan.PhysicalPlan.Window;
import io.aragonite.exec.plan.SortKey;
import io.aragonite.exec.plan.WindowCall;
import io.aragonite.exec.plan.WindowFrame;
import io.aragonite.exec.plan.WindowFrame.FrameBound;
import io.aragonite.exec.runtime.QueryMetrics;
import io.aragonite.exec.spill.QuerySpill;
import io.aragonite.exec.spill.SpillableRowCollection;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Runs the input of a window, computes its functions and yields its rows. A device has loops for
 * functions ({@link WindowOps}), or finds what {@link DeviceWindow} knows; for other functions the
 * sorted input is copied to the host, and what its loops have found is copied back.
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
    SpillableRowCollection collection = collect(compiler, plan, input);
    WindowFrame frame =
        new WindowFrame(
            plan.frame().rows(),
            resolve(compiler, plan.frame().start()),
            resolve(compiler, plan.frame().end()),
            plan.frame().exclude());
    Window window =
        new Window(plan.input(), plan.partitionBy(), plan.orderBy(), frame, plan.calls());
    if (!SpilledWindow.fits(compiler.resources(), window, collection)) {
      if (!window.partitionBy().isEmpty()) {
        return PipelineHead.of(
            new SpilledWindow(compiler.resources(), plan, window, input.shapes(), collection));
      }
      if (RunningWindowState.takes(window, input.shapes())) {
        return PipelineHead.of(RunningWindow.of(compiler, plan, window, collection));
      }
    }
    WindowRows rows =
        compiler.resources().work(plan, context -> computeWhole(context, window, collection));
    PipelineHead head = PipelineHead.of(rows.source());
    List<Expr> output = rows.output();
    return output == null
        ? head
        : head.then(new ProjectOperator(compiler.resources().expressions(), output, head.shapes()));
  }

  /** A window over rows as they come numbers them, and sums them up, in the order of the input. */
  private static SpillableRowCollection collect(
      PlanCompiler compiler, Window plan, PipelineHead input) {
    QuerySpill spill = compiler.resources().spill();
    QueryMetrics.NodeMetrics metrics = compiler.resources().metrics(plan);
    if (plan.partitionBy().isEmpty() && plan.orderBy().isEmpty()) {
      OrderedCollector inOrder =
          new OrderedCollector(input.shapes(), Long.MAX_VALUE, spill, metrics);
      compiler.run(input, inOrder, plan);
      return inOrder.collection();
    }
    RowCollector collector = new RowCollector(input.shapes(), spill, metrics);
    compiler.run(input, collector, plan);
    return collector.collection();
  }

  /**
   * The rows of a window.
   *
   * @param output what of its columns comes out; null: all as they are
   */
  record WindowRows(WindowSource source, @Nullable List<Expr> output) {}

  /** Computes a window whose rows have to be in memory together. */
  private static WindowRows computeWhole(
      ExecContext context, Window window, SpillableRowCollection collection) {
    long rows = collection.rows();
    long bytes = collection.bytes();
    try {
      return compute(context, window, collection.gather(context));
    } catch (AragoniteException e) {
      if (e.code() != ErrorCode.MEMORY_EXCEEDED || !window.partitionBy().isEmpty()) {
        throw e;
      }
      throw new AragoniteException(
          ErrorCode.MEMORY_EXCEEDED,
          "A window without PARTITION BY has to have its %,d rows (%,d bytes) in memory at once, which has not enough, unless its functions are ranks, first and last values, counts, sums, minima, maxima and variances from the first row to the current one or the last (not LAST_VALUE to the last), or, without ranks beside them, LAG and LEAD by a constant and functions of so many ROWS before and behind: raise memory=, add PARTITION BY, or select fewer columns and rows; %s"
              .formatted(rows, bytes, e.getMessage()),
          e);
    }
  }

  /** Computes a window over rows, whose memory is then the source's. */
  static WindowRows compute(ExecContext context, Window window, ColumnBatch rows) {
    List<SortKey> keys = new ArrayList<>();
    window.partitionBy().forEach(column -> keys.add(new SortKey(column, false, false)));
    keys.addAll(window.orderBy());
    Buffer order = Sorter.sort(context, rows, keys);
    return new WindowCompiler(context, window, rows, order).rows();
  }

  private static FrameBound resolve(PlanCompiler compiler, FrameBound bound) {
    Expr offset = bound.offset();
    return offset == null ? bound : new FrameBound(bound.kind(), compiler.resolve(offset));
  }

  private WindowRows rows() {
    WindowResult[] found = compute();
    List<WindowColumn> results = new ArrayList<>();
    for (Column column : input.columns()) {
      results.add(new WindowColumn(column, column.shape(), order, false));
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
    @Nullable WindowResult[] found = new WindowResult[calls.size()];
    Device device = context.device();
    if (device.windows() == null && !device.leavesToHost(input.rows())) {
      try (DeviceWindow primitives = new DeviceWindow(context, window, input, order)) {
        for (int i = 0; i < found.length; i++) {
          found[i] = primitives.find(calls.get(i));
        }
      }
    }
    List<WindowCall> left = new ArrayList<>();
    for (int i = 0; i < found.length; i++) {
      if (found[i] == null) {
        left.add(calls.get(i));
      }
    }
    Iterator<WindowResult> byHost = left.isEmpty() ? Collections.emptyIterator() : onHost(left);
    WindowResult[] all = new WindowResult[found.length];
    for (int i = 0; i < found.length; i++) {
      WindowResult known = found[i];
      all[i] = known == null ? byHost.next() : known;
    }
    return all;
  }

  /** Computes calls by the host's loops. */
  private Iterator<WindowResult> onHost(List<WindowCall> calls) {
    ExecContext host = context.onHost();
    WindowOps loops = Objects.requireNonNull(host.device().windows());
    ColumnBatch rows = HostColumns.toHost(context, input, host.memory());
    List<WindowResult> made;
    try (HostView inOrder = new HostView(context, order.slice(0, 4L * input.rows()))) {
      made = loops.compute(host, window, rows, inOrder.buffer(), calls, Sorter::sort);
    }
    HostColumns.freeCopy(context, rows);
    IdentityHashMap<Column, Column> columns = new IdentityHashMap<>();
    IdentityHashMap<Buffer, Buffer> picked = new IdentityHashMap<>();
    List<WindowResult> found = new ArrayList<>();
    for (WindowResult result : made) {
      found.add(
          switch (result) {
            case Computed computed ->
                new Computed(
                    Objects.requireNonNull(toDevice(computed.data(), columns)),
                    toDevice(computed.rows(), picked));
            case Picked other ->
                new Picked(
                    other.column(),
                    Objects.requireNonNull(toDevice(other.rows(), picked)),
                    other.otherwise(),
                    toDevice(other.outside(), columns));
          });
    }
    long moved = HostColumns.bytes(input) + 4L * input.rows() * (1 + picked.size());
    for (Column column : columns.values()) {
      moved += HostColumns.bytes(column);
    }
    HostColumns.book(context, moved);
    return found.iterator();
  }

  private @Nullable Column toDevice(
      @Nullable Column column, IdentityHashMap<Column, Column> known) {
    return column == null
        ? null
        : known.computeIfAbsent(column, c -> HostColumns.toDevice(context, c, context.memory()));
  }

  private @Nullable Buffer toDevice(@Nullable Buffer ints, IdentityHashMap<Buffer, Buffer> known) {
    return ints == null
        ? null
        : known.computeIfAbsent(ints, b -> HostColumns.toDevice(context, b, context.memory()));
  }
}
