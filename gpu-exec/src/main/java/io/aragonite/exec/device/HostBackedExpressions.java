package io.aragonite.exec.device;

import io.aragonite.exec.column.Column;
import io.aragonite.exec.column.ColumnBatch;
import io.aragonite.exec.column.ColumnShape;
import io.aragonite.exec.expr.CompiledPredicate;
import io.aragonite.exec.expr.CompiledProjection;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.ExpressionCompiler;
import io.aragonite.exec.memory.Buffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * Expressions of a device with memory of its own, evaluated by its host: the columns that they read
 * are copied to the host, selections and computed columns back. Columns that are only passed on
 * stay on the device. Counted as {@link HostBackedPrimitives} are.
 */
public final class HostBackedExpressions implements ExpressionCompiler {
  private final ExpressionCompiler compiler;

  /**
   * @param compiler the host's
   */
  public HostBackedExpressions(ExpressionCompiler compiler) {
    this.compiler = compiler;
  }

  @Override
  public CompiledPredicate predicate(Expr predicate, List<ColumnShape> inputs) {
    BitSet read = columns(List.of(predicate));
    CompiledPredicate compiled = compiler.predicate(predicate, inputs);
    return (context, batch, out) -> {
      try (HostCall call = new HostCall(context)) {
        Buffer selected = call.room(4L * batch.rows());
        int count = compiled.select(call.host(), call.in(batch, read), selected);
        call.back(selected, out, 4L * count);
        return count;
      }
    };
  }

  @Override
  public CompiledProjection projection(List<Expr> expressions, List<ColumnShape> inputs) {
    List<Expr> computed = new ArrayList<>(expressions);
    computed.removeIf(expression -> expression instanceof Expr.InputRef);
    return new Projection(compiler.projection(expressions, inputs), columns(computed));
  }

  /** The columns that expressions refer to. */
  private static BitSet columns(List<Expr> expressions) {
    BitSet columns = new BitSet();
    ArrayDeque<Expr> open = new ArrayDeque<>(expressions);
    while (!open.isEmpty()) {
      switch (open.pop()) {
        case Expr.InputRef ref -> columns.set(ref.index());
        case Expr.Literal literal -> {}
        case Expr.Parameter parameter -> {}
        case Expr.Call call -> open.addAll(call.args());
        case Expr.HostCall call -> open.addAll(call.args());
        case Expr.KeyWord word -> open.addAll(word.keys());
      }
    }
    return columns;
  }

  private record Projection(CompiledProjection compiled, BitSet read)
      implements CompiledProjection {
    @Override
    public List<ColumnShape> shapes() {
      return compiled.shapes();
    }

    @Override
    public ColumnBatch evaluate(ExecContext context, ColumnBatch batch) {
      try (HostCall call = new HostCall(context)) {
        ColumnBatch input = call.in(batch, read);
        ColumnBatch output = compiled.evaluate(call.host(), input);
        List<Column> columns = new ArrayList<>();
        for (Column column : output.columns()) {
          int passed = passed(column, input);
          columns.add(
              passed < 0
                  ? call.back(column, context.scratch())
                  : withShape(batch.column(passed), column.shape()));
        }
        return new ColumnBatch(columns, batch.rows());
      }
    }

    /** The input column that an output shares its data with, or -1. */
    @SuppressWarnings("ReferenceEquality")
    private static int passed(Column output, ColumnBatch input) {
      for (int i = 0; i < input.columns().size(); i++) {
        Column column = input.column(i);
        if (column.values() == output.values()
            && column.offsets() == output.offsets()
            && column.validity() == output.validity()
            && column.rowIds() == output.rowIds()
            && column.dataRows() == output.dataRows()) {
          return i;
        }
      }
      return -1;
    }

    private static Column withShape(Column column, ColumnShape shape) {
      return new Column(
          shape,
          column.dataRows(),
          column.values(),
          column.offsets(),
          column.validity(),
          column.rowIds());
    }
  }
}
