package io.aragonite.exec.device.cpu;

import io.aragonite.exec.column.ColumnShape;
import io.aragonite.exec.device.cpu.codegen.DeepStack;
import io.aragonite.exec.device.cpu.codegen.GeneratedPredicate;
import io.aragonite.exec.device.cpu.codegen.GeneratedProjection;
import io.aragonite.exec.device.cpu.codegen.Interpreted;
import io.aragonite.exec.expr.CompiledPredicate;
import io.aragonite.exec.expr.CompiledProjection;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.ExpressionCompiler;
import java.util.List;

/**
 * The CPU's expression compiler. With the system property {@code aragonite.expressions=interpreted}
 * the interpreter runs everything, which tests compare compiled code with.
 */
public final class CpuExpressionCompiler implements ExpressionCompiler {
  /** Most keys of a key word whose code is generated; it is one loop, of at most 64 KB. */
  private static final int MAX_KEYS = 200;

  private final boolean interpreted =
      "interpreted".equals(System.getProperty("aragonite.expressions"));

  /** Whether an expression cannot be cut into methods of the size that the JVM allows. */
  private static boolean isHuge(Expr expression) {
    return expression instanceof Expr.KeyWord word && word.keys().size() > MAX_KEYS;
  }

  @Override
  public CompiledPredicate predicate(Expr predicate, List<ColumnShape> inputs) {
    return interpreted
        ? new Interpreted.Predicate(predicate)
        : DeepStack.call(
            DeepStack.isDeep(List.of(predicate)),
            () -> new GeneratedPredicate(predicate, List.copyOf(inputs)));
  }

  @Override
  public CompiledProjection projection(List<Expr> expressions, List<ColumnShape> inputs) {
    return interpreted || expressions.stream().anyMatch(CpuExpressionCompiler::isHuge)
        ? Interpreted.Projection.of(List.copyOf(expressions), inputs)
        : DeepStack.call(
            DeepStack.isDeep(expressions),
            () -> new GeneratedProjection(List.copyOf(expressions), List.copyOf(inputs)));
  }
}
