package io.aragonite.exec.device.cpu;

import io.aragonite.exec.codegen.DeepStack;
import io.aragonite.exec.device.CompiledPredicate;
import io.aragonite.exec.device.CompiledProjection;
import io.aragonite.exec.device.CompiledTableAggregation;
import io.aragonite.exec.device.ExpressionCompiler;
import io.aragonite.exec.device.cpu.codegen.GeneratedPredicate;
import io.aragonite.exec.device.cpu.codegen.GeneratedProjection;
import io.aragonite.exec.device.cpu.codegen.Interpreted;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.ExpressionCache;
import io.aragonite.exec.vector.ColumnShape;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The CPU's expression compiler. */
public final class CpuExpressionCompiler implements ExpressionCompiler {
  /** Most keys of a key word whose code is generated; it is one loop, of at most 64 KB. */
  private static final int MAX_KEYS = 200;

  private final ExpressionCache known = new ExpressionCache();

  /** Whether an expression cannot be cut into methods of the size that the JVM allows. */
  private static boolean isHuge(Expr expression) {
    return expression instanceof Expr.KeyWord word && word.keys().size() > MAX_KEYS;
  }

  @Override
  public CompiledPredicate predicate(Expr predicate, List<ColumnShape> inputs) {
    List<Expr> expressions = List.of(predicate);
    Supplier<CompiledPredicate> make = () -> new GeneratedPredicate(predicate, List.copyOf(inputs));
    return ExpressionCache.comparable(expressions)
        ? known.get(CompiledPredicate.class, expressions, inputs, make)
        : DeepStack.call(DeepStack.isDeep(expressions), make);
  }

  @Override
  public CompiledProjection projection(List<Expr> expressions, List<ColumnShape> inputs) {
    if (expressions.stream().anyMatch(CpuExpressionCompiler::isHuge)) {
      return Interpreted.Projection.of(List.copyOf(expressions), inputs);
    }
    Supplier<CompiledProjection> make =
        () -> new GeneratedProjection(List.copyOf(expressions), List.copyOf(inputs));
    return ExpressionCache.comparable(expressions)
        ? known.get(CompiledProjection.class, expressions, inputs, make)
        : DeepStack.call(DeepStack.isDeep(expressions), make);
  }

  @Override
  public @Nullable CompiledTableAggregation tableAggregation(
      @Nullable Expr predicate, Expr.KeyWord group, List<Expr> sums, List<ColumnShape> inputs) {
    // A filter is quicker by itself: it sees which blocks have no row that it keeps.
    return predicate == null ? CpuTableAggregation.of(this, group, sums, inputs) : null;
  }
}
