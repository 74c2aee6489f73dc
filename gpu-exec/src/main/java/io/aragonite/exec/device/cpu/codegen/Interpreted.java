package io.aragonite.exec.device.cpu.codegen;

import io.aragonite.exec.codegen.BatchRow;
import io.aragonite.exec.codegen.ColumnWriter;
import io.aragonite.exec.codegen.RowInterpreter;
import io.aragonite.exec.device.CompiledPredicate;
import io.aragonite.exec.device.CompiledProjection;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.limit.StopCheck;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.List;

/** Expressions run by the interpreter, row after row: slow, and right by definition. */
public final class Interpreted {
  private Interpreted() {}

  public record Predicate(Expr expr) implements CompiledPredicate {
    @Override
    public int select(ExecContext context, ColumnBatch batch, Buffer out) {
      BatchRow row = new BatchRow(batch, context.hostObjects());
      StopCheck stopCheck = context.stopCheck();
      int selected = 0;
      for (; row.row < batch.rows(); row.row++) {
        if (Boolean.TRUE.equals(RowInterpreter.evaluate(expr, row, stopCheck))) {
          Mem.putInt(out.address() + 4L * selected++, row.row);
        }
      }
      return selected;
    }
  }

  public record Projection(List<Expr> exprs, List<ColumnShape> shapes)
      implements CompiledProjection {
    public static Projection of(List<Expr> exprs, List<ColumnShape> inputs) {
      return new Projection(
          exprs,
          exprs.stream()
              .map(expr ->
                  expr instanceof Expr.InputRef ref
                      ? inputs.get(ref.index())
                      : ColumnShape.of(expr.type()))
              .toList());
    }

    @Override
    public ColumnBatch evaluate(ExecContext context, ColumnBatch batch) {
      List<Column> columns = new ArrayList<>();
      for (int i = 0; i < exprs.size(); i++) {
        Expr expr = exprs.get(i);
        if (expr instanceof Expr.InputRef ref) {
          columns.add(batch.column(ref.index()));
          continue;
        }
        ColumnWriter writer =
            new ColumnWriter(shapes.get(i), batch.rows(), context.scratch(), context.hostObjects());
        BatchRow row = new BatchRow(batch, context.hostObjects());
        StopCheck stopCheck = context.stopCheck();
        for (; row.row < batch.rows(); row.row++) {
          writer.add(RowInterpreter.evaluate(expr, row, stopCheck));
        }
        columns.add(writer.finish());
      }
      return new ColumnBatch(columns, batch.rows());
    }
  }
}
