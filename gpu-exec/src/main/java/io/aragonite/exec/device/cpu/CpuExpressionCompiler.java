package io.aragonite.exec.device.cpu;

import io.aragonite.exec.column.ColumnShape;
import io.aragonite.exec.expr.CompiledPredicate;
import io.aragonite.exec.expr.CompiledProjection;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.ExpressionCompiler;
import java.util.List;

/** The CPU's expression compiler. */
public final class CpuExpressionCompiler implements ExpressionCompiler {
  @Override
  public CompiledPredicate predicate(Expr predicate, List<ColumnShape> inputs) {
    return new Interpreted.Predicate(predicate);
  }

  @Override
  public CompiledProjection projection(List<Expr> expressions, List<ColumnShape> inputs) {
    return Interpreted.Projection.of(List.copyOf(expressions), inputs);
  }
}
