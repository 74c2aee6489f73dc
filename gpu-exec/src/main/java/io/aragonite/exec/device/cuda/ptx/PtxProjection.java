package io.aragonite.exec.device.cuda.ptx;

import io.aragonite.exec.codegen.RowCode;
import io.aragonite.exec.codegen.RowProjection;
import io.aragonite.exec.device.CompiledProjection;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A list of expressions as kernels. Columns that are only passed on are not copied; expressions
 * that need the host are evaluated there, the others are not.
 */
final class PtxProjection implements CompiledProjection {
  private final PtxExpressionCompiler compiler;
  private final List<Expr> expressions;
  private final List<ColumnShape> inputs;
  private final List<ColumnShape> shapes = new ArrayList<>();
  private final RowProjection split;
  private final List<RowRun> runs = new ArrayList<>();
  private final List<Integer> hostPlaces;
  private final @Nullable CompiledProjection hostPart;
  private volatile @Nullable CompiledProjection hostWhole;

  PtxProjection(PtxExpressionCompiler compiler, List<Expr> expressions, List<ColumnShape> inputs) {
    this.compiler = compiler;
    this.expressions = expressions;
    this.inputs = inputs;
    this.split = new RowProjection(expressions, inputs);
    split.host().values().forEach(compiler::needsHost);
    this.hostPlaces = List.copyOf(split.host().keySet());
    CompiledProjection host =
        hostPlaces.isEmpty()
            ? null
            : compiler
                .host()
                .projection(hostPlaces.stream().map(expressions::get).toList(), inputs);
    this.hostPart = host;
    for (int i = 0; i < expressions.size(); i++) {
      int onHost = hostPlaces.indexOf(i);
      shapes.add(host == null || onHost < 0 ? split.shape(i) : host.shapes().get(onHost));
    }
    for (RowCode code : split.code()) {
      List<ColumnShape> outputs = new ArrayList<>();
      for (int k = 0; k < code.outputs(); k++) {
        outputs.add(split.shape(code.place(k)));
      }
      runs.add(
          new RowRun(
              compiler.runner(),
              code,
              (rows, bound, runner) -> RowKernels.projection(rows, bound, outputs, runner)));
    }
  }

  @Override
  public List<ColumnShape> shapes() {
    return shapes;
  }

  @Override
  public ColumnBatch evaluate(ExecContext context, ColumnBatch batch) {
    @Nullable Column[] columns = new @Nullable Column[expressions.size()];
    try {
      for (RowRun run : runs) {
        int failed = run(context, batch, run, columns);
        if (failed != RowRun.FINE) {
          CompiledProjection all = whole();
          HostFallback.raise(context, batch, failed, all::evaluate);
          return all.evaluate(context, batch);
        }
      }
    } catch (PtxUntranslatable e) {
      compiler.refused(e);
      return whole().evaluate(context, batch);
    }
    CompiledProjection host = hostPart;
    if (host != null) {
      List<Column> computed = host.evaluate(context, batch).columns();
      for (int i = 0; i < computed.size(); i++) {
        columns[hostPlaces.get(i)] = computed.get(i);
      }
    }
    List<Column> result = new ArrayList<>();
    for (int i = 0; i < columns.length; i++) {
      Column computed = columns[i];
      result.add(
          computed != null
              ? computed
              : batch.column(split.passed(i)).withType(shapes.get(i).type()));
    }
    return new ColumnBatch(result, batch.rows());
  }

  /** All expressions on the host, with the shapes that were promised. */
  private CompiledProjection whole() {
    CompiledProjection known = hostWhole;
    if (known == null) {
      known = compiler.host().projection(expressions, inputs);
      if (!known.shapes().equals(shapes)) {
        throw new AragoniteException(
            ErrorCode.INTERNAL,
            "The host computes columns of other shapes than the device: %s, not %s."
                .formatted(known.shapes(), shapes));
      }
      hostWhole = known;
    }
    return known;
  }

  private int run(ExecContext context, ColumnBatch batch, RowRun run, @Nullable Column[] columns) {
    int rows = batch.rows();
    int count = columns.length;
    @Nullable Buffer[] values = new @Nullable Buffer[count];
    @Nullable Buffer[] validity = new @Nullable Buffer[count];
    @Nullable Buffer[] lengths = new @Nullable Buffer[count];
    QueryMemory.Arena scratch = context.scratch();
    for (int k = 0; k < run.code().outputs(); k++) {
      int place = run.code().place(k);
      ColumnShape shape = shapes.get(place);
      boolean text = shape.storage() == Storage.BYTES;
      values[place] = scratch.allocate((long) rows * (text ? 8 : shape.storage().width()));
      if (text) {
        lengths[place] = scratch.allocate(4L * rows);
      }
      if (shape.mayBeNull()) {
        validity[place] = scratch.allocate((rows + 63L) / 64 * 8);
      }
    }
    if (rows > 0) {
      int failed = run.run(context, batch, RowRun.Outputs.columns(values, validity, lengths));
      if (failed != RowRun.FINE) {
        return failed;
      }
    }
    for (int k = 0; k < run.code().outputs(); k++) {
      int place = run.code().place(k);
      ColumnShape shape = shapes.get(place);
      Buffer data = java.util.Objects.requireNonNull(values[place]);
      Buffer sizes = lengths[place];
      columns[place] =
          sizes == null
              ? new Column(shape, rows, data, Buffer.EMPTY, validity[place], null)
              : compiler.runner().texts(context, shape, rows, data, sizes, validity[place]);
    }
    return RowRun.FINE;
  }
}
