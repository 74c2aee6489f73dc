package io.aragonite.exec.device;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.vector.ColumnShape;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A device's compiler of expressions. Code is cached by the shape of expressions and inputs;
 * constants are parameters of the code, so that queries which differ in constants only share it.
 * Expressions must be free of {@link Expr.Parameter}.
 */
public interface ExpressionCompiler {
  /**
   * @param predicate BOOLEAN
   * @param inputs what is known of the batch's columns; batches may have any indirections
   */
  CompiledPredicate predicate(Expr predicate, List<ColumnShape> inputs);

  CompiledProjection projection(List<Expr> expressions, List<ColumnShape> inputs);

  /**
   * Code that counts rows and sums values by group.
   *
   * @param predicate of the rows that are counted and summed; null: all are
   * @param group the packed word that is a row's group; null: there is one group
   * @param groups how many there may be
   * @param sums exact numbers that are never null
   * @return null if the device has no such code for these
   */
  default @Nullable CompiledAggregation aggregation(
      @Nullable Expr predicate,
      Expr.@Nullable KeyWord group,
      int groups,
      List<Expr> sums,
      List<ColumnShape> inputs) {
    return null;
  }

  /**
   * Code that counts rows and sums values by group, of which there may be many.
   *
   * @param predicate of the rows that are counted and summed; null: all are
   * @param group the packed word that is a row's group, from 0 on
   * @param sums exact numbers that are never null
   * @return null if the device has no such code for these
   */
  default @Nullable CompiledTableAggregation tableAggregation(
      @Nullable Expr predicate, Expr.KeyWord group, List<Expr> sums, List<ColumnShape> inputs) {
    return null;
  }
}
