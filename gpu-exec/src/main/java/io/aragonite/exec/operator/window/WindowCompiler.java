package io.aragonite.exec.operator.window;

import io.aragonite.exec.column.Column;
import io.aragonite.exec.column.ColumnBatch;
import io.aragonite.exec.column.ColumnShape;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.HostColumns;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.operator.Batches;
import io.aragonite.exec.operator.ProjectOperator;
import io.aragonite.exec.operator.RowCollector;
import io.aragonite.exec.operator.window.WindowSource.Result;
import io.aragonite.exec.pipeline.PipelineHead;
import io.aragonite.exec.pipeline.PlanCompiler;
import io.aragonite.exec.plan.PhysicalPlan.Window;
import io.aragonite.exec.plan.WindowCall;
import io.aragonite.exec.plan.WindowFrame;
import io.aragonite.exec.plan.WindowFrame.Bound;
import io.aragonite.exec.type.DataType;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Runs the input of a window, computes its functions and yields its rows. The functions are loops
 * over host memory: a device with memory of its own sorts the input, which is copied to the host
 * then, and what was found is copied back.
 */
public final class WindowCompiler {
  private final ExecContext context;
  private final ExecContext host;
  private final Window window;

  /** The input and its order where the device has them. */
  private final ColumnBatch input;

  private final Buffer order;

  private final SortedRows sorted;

  private WindowCompiler(
      ExecContext context, Window window, ColumnBatch input, Buffer order, SortedRows sorted) {
    this.context = context;
    this.host = context.onHost();
    this.window = window;
    this.input = input;
    this.order = order;
    this.sorted = sorted;
  }

  public static PipelineHead compile(PlanCompiler compiler, Window plan) {
    PipelineHead input = compiler.compile(plan.input());
    RowCollector collector = new RowCollector(input.shapes(), compiler.memory());
    compiler.run(input, collector, plan);
    WindowFrame frame =
        new WindowFrame(
            plan.frame().rows(),
            resolve(compiler, plan.frame().start()),
            resolve(compiler, plan.frame().end()),
            plan.frame().exclude());
    Window window =
        new Window(plan.input(), plan.partitionBy(), plan.orderBy(), frame, plan.calls());
    return compiler.work(
        plan,
        context -> {
          ColumnBatch rows = collector.rows();
          ExecContext host = context.onHost();
          Buffer order = SortedRows.order(context, rows, window);
          ColumnBatch copy = HostColumns.toHost(context, rows, host.memory());
          Ints orderCopy = orderOnHost(context, order, rows.rows());
          SortedRows sorted = SortedRows.of(host, copy, orderCopy, window);
          return new WindowCompiler(context, window, rows, order, sorted).rows(compiler);
        });
  }

  private static Ints orderOnHost(ExecContext context, Buffer order, int count) {
    if (context.device().transfers().shared()) {
      return new Ints(order);
    }
    Ints copy = Ints.allocate(context.hostMemory(), count);
    context.device().transfers().toHost(context, order, copy.buffer().address(), 4L * count);
    return copy;
  }

  private static Bound resolve(PlanCompiler compiler, Bound bound) {
    Expr offset = bound.offset();
    return offset == null ? bound : new Bound(bound.kind(), compiler.resolve(offset));
  }

  private PipelineHead rows(PlanCompiler compiler) {
    ColumnBatch batch = sorted.batch();
    List<Result> results = new ArrayList<>();
    for (Column column : batch.columns()) {
      results.add(new Result(column, column.shape(), sorted.order(), false));
    }
    int first = results.size();
    List<Picked> defaulted = new ArrayList<>();
    Object[] found = compute();
    for (int i = 0; i < found.length; i++) {
      results.add(result(window.calls().get(i), found[i], defaulted));
    }
    int morselRows = context.device().properties().morselRows();
    if (defaulted.isEmpty()) {
      return PipelineHead.of(new WindowSource(sorted.count(), onDevice(results), morselRows));
    }
    for (Picked picked : defaulted) {
      Output outside = picked.outside();
      if (outside != null) {
        Column flags = outside.finish();
        results.add(new Result(flags, flags.shape(), null, false));
      }
    }
    WindowSource source = new WindowSource(sorted.count(), onDevice(results), morselRows);
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
    return PipelineHead.of(source)
        .then(new ProjectOperator(compiler.expressions().projection(output, source.shapes())));
  }

  /** The columns in the device's memory: those of the input are there, the rest is copied. */
  private List<Result> onDevice(List<Result> results) {
    if (context.device().transfers().shared()) {
      return results;
    }
    IdentityHashMap<Column, Column> columns = new IdentityHashMap<>();
    long moved = HostColumns.bytes(input);
    for (int i = 0; i < input.columns().size(); i++) {
      columns.put(sorted.batch().column(i), input.column(i));
    }
    IdentityHashMap<Ints, Ints> rows = new IdentityHashMap<>();
    rows.put(sorted.order(), new Ints(order));
    List<Result> onDevice = new ArrayList<>();
    for (Result result : results) {
      Column column = columns.get(result.data());
      if (column == null) {
        column = HostColumns.toDevice(context, result.data(), context.memory());
        columns.put(result.data(), column);
        moved += HostColumns.bytes(column);
      }
      Ints picked = result.rows();
      Ints copy = picked == null ? null : rows.get(picked);
      if (picked != null && copy == null) {
        long bytes = 4L * sorted.count();
        copy = Ints.allocate(context.memory(), sorted.count());
        context
            .device()
            .transfers()
            .toDevice(context, picked.buffer().address(), copy.buffer(), bytes);
        rows.put(picked, copy);
        moved += bytes;
      }
      onDevice.add(new Result(column, result.shape(), copy, result.mayBeNull()));
    }
    sorted.batch().columns().forEach(column -> Batches.free(host.memory(), column));
    HostColumns.book(context, moved);
    return onDevice;
  }

  private static boolean hasDefault(WindowCall call) {
    return (call.function() == WindowCall.Function.LAG
            || call.function() == WindowCall.Function.LEAD)
        && call.args().size() > 2;
  }

  /** The calls' results, each an {@link Output} or {@link Picked}, computed beside each other. */
  private Object[] compute() {
    List<WindowCall> calls = window.calls();
    boolean framed = calls.stream().anyMatch(c -> needsFrame(c.function()));
    Frames frames = framed ? new FrameBounds(host, window, sorted).find() : null;
    Object[] results = new Object[calls.size()];
    host.parallel()
        .forEach(results.length, (worker, i) -> results[i] = compute(worker, calls.get(i), frames));
    return results;
  }

  private static boolean needsFrame(WindowCall.Function function) {
    return switch (function) {
      case AGGREGATE, FIRST_VALUE, LAST_VALUE, NTH_VALUE -> true;
      default -> false;
    };
  }

  private Object compute(ExecContext worker, WindowCall call, @Nullable Frames frames) {
    return switch (call.function()) {
      case AGGREGATE ->
          new Aggregates(worker, sorted, Objects.requireNonNull(frames), window, call).compute();
      case ROW_NUMBER, RANK, DENSE_RANK, PERCENT_RANK, CUME_DIST, NTILE -> {
        Output out = new Output(worker.memory(), call.type(), sorted.count());
        Ranking.compute(call, sorted, out);
        yield out;
      }
      case LAG -> new Navigation(worker, sorted, call).offset(false);
      case LEAD -> new Navigation(worker, sorted, call).offset(true);
      case FIRST_VALUE, LAST_VALUE, NTH_VALUE ->
          new Navigation(worker, sorted, call).inFrame(Objects.requireNonNull(frames));
    };
  }

  private Result result(WindowCall call, Object result, List<Picked> defaulted) {
    if (result instanceof Output out) {
      Column column = out.finish();
      return new Result(column, column.shape(), null, false);
    }
    Picked picked = (Picked) result;
    if (hasDefault(call)) {
      defaulted.add(picked);
    }
    Column data = sorted.batch().column(picked.column());
    ColumnShape shape = data.shape();
    shape = shape.withType(shape.type().withNullable(true)).withMayBeNull(true);
    return new Result(data, shape, picked.rows(), true);
  }
}
