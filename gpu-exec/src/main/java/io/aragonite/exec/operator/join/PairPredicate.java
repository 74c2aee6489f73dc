package io.aragonite.exec.operator.join;

import io.aragonite.exec.device.CompiledPredicate;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.ExpressionCompiler;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.ExprColumns;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A predicate over pairs of a probe row and a build row: equality of keys behind words that do not
 * decide it, and residual conditions. Only the columns that it names are gathered.
 */
final class PairPredicate {
  private final CompiledPredicate predicate;
  private final List<Integer> probeColumns = new ArrayList<>();
  private final List<Integer> buildColumns = new ArrayList<>();
  private final List<ColumnShape> probeShapes = new ArrayList<>();
  private final List<ColumnShape> buildShapes = new ArrayList<>();

  private PairPredicate(ExpressionCompiler compiler, JoinSpec spec, Expr condition) {
    TreeSet<Integer> used = new TreeSet<>();
    ExprColumns.collect(condition, used);
    int leftSize = spec.left().size();
    for (int column : used) {
      boolean fromLeft = column < leftSize;
      int place = fromLeft ? column : column - leftSize;
      ColumnShape shape = (fromLeft ? spec.left() : spec.right()).get(place);
      if (fromLeft == spec.buildLeft()) {
        buildColumns.add(place);
        buildShapes.add(shape);
      } else {
        probeColumns.add(place);
        probeShapes.add(shape);
      }
    }
    int[] places = new int[leftSize + spec.right().size()];
    int next = 0;
    for (int pass = 0; pass < 2; pass++) {
      boolean left = (pass == 0) != spec.buildLeft(); // the probe side's columns come first
      for (int column : used) {
        if (column < leftSize == left) {
          places[column] = next++;
        }
      }
    }
    this.predicate =
        compiler.predicate(
            ExprColumns.renumber(condition, places), JoinSpec.concat(probeShapes, buildShapes));
  }

  /** The predicate, or null if there is nothing to check. */
  static @Nullable PairPredicate of(
      ExpressionCompiler compiler, JoinSpec spec, @Nullable Expr condition) {
    return condition == null ? null : new PairPredicate(compiler, spec, condition);
  }

  /**
   * Finds the pairs for which the condition is true.
   *
   * @param probeRows rows of {@code probe}; null: all in order
   * @param out room for {@code count} positions of pairs, filled ascending
   * @return how many
   */
  int select(
      ExecContext context,
      ColumnBatch probe,
      ColumnBatch build,
      @Nullable Buffer probeRows,
      Buffer buildRows,
      int count,
      Buffer out) {
    if (count == 0) {
      return 0;
    }
    List<Column> columns =
        JoinSpec.concat(
            gather(context, probe, probeColumns, probeShapes, probeRows, count),
            gather(context, build, buildColumns, buildShapes, buildRows, count));
    return predicate.select(context, new ColumnBatch(columns, count), out);
  }

  private List<Column> gather(
      ExecContext context,
      ColumnBatch batch,
      List<Integer> places,
      List<ColumnShape> shapes,
      @Nullable Buffer rows,
      int count) {
    List<Column> columns = new ArrayList<>(places.size());
    for (int place : places) {
      columns.add(batch.column(place));
    }
    return Materialization.gather(context, columns, shapes, rows, count, false);
  }
}
