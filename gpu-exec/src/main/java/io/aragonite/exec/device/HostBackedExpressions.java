package io.aragonite.exec.device;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Iterator;
import java.util.List;

/**
 * Expressions of a device with memory of its own, evaluated by its host: the columns that they read
 * are copied to the host, selections and computed columns back. Columns that are only passed on
 * stay on the device. A batch of the device is millions of rows, so the host takes it in pieces of
 * its own batch size and polls the cancel flag between them. Counted by {@link HostColumns#book}.
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
      try (StagedCall call = new StagedCall(context)) {
        Buffer selected = call.room(4L * batch.rows());
        int[] count = {0};
        call.pieces(
            batch,
            read,
            (piece, from) -> {
              Buffer rest = selected.slice(4L * count[0], selected.size() - 4L * count[0]);
              int found = compiled.select(call.host(), piece, rest);
              for (int i = 0; from > 0 && i < found; i++) {
                long position = rest.address() + 4L * i;
                Mem.putInt(position, Mem.getInt(position) + from);
              }
              count[0] += found;
            });
        call.back(selected, out, 4L * count[0]);
        return count[0];
      }
    };
  }

  @Override
  public CompiledProjection projection(List<Expr> expressions, List<ColumnShape> inputs) {
    List<Expr> computed = new ArrayList<>(expressions);
    computed.removeIf(expression -> expression instanceof Expr.InputRef);
    return new Projection(
        expressions, compiler.projection(computed, inputs), inputs, columns(computed));
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
        case Expr.HostFunctionCall call -> open.addAll(call.args());
        case Expr.KeyWord word -> open.addAll(word.keys());
      }
    }
    return columns;
  }

  /**
   * @param compiled the expressions that are more than a column
   */
  private record Projection(
      List<Expr> expressions, CompiledProjection compiled, List<ColumnShape> inputs, BitSet read)
      implements CompiledProjection {
    @Override
    public List<ColumnShape> shapes() {
      Iterator<ColumnShape> computed = compiled.shapes().iterator();
      return expressions.stream()
          .map(expression ->
              expression instanceof Expr.InputRef ref ? inputs.get(ref.index()) : computed.next())
          .toList();
    }

    @Override
    public ColumnBatch evaluate(ExecContext context, ColumnBatch batch) {
      Iterator<Column> computed = compute(context, batch).iterator();
      List<Column> columns = new ArrayList<>();
      for (Expr expression : expressions) {
        columns.add(
            expression instanceof Expr.InputRef ref ? batch.column(ref.index()) : computed.next());
      }
      return new ColumnBatch(columns, batch.rows());
    }

    private List<Column> compute(ExecContext context, ColumnBatch batch) {
      List<ColumnShape> shapes = compiled.shapes();
      if (shapes.isEmpty()) {
        return List.of();
      }
      try (StagedCall call = new StagedCall(context);
          ColumnStore results = new ColumnStore(shapes, call.host().memory())) {
        call.pieces(
            batch,
            read,
            (piece, from) -> results.append(call.host(), compiled.evaluate(call.host(), piece)));
        List<Column> columns = new ArrayList<>();
        for (Column column : results.view().columns()) {
          columns.add(call.back(column, context.scratch()));
        }
        return columns;
      }
    }
  }
}
