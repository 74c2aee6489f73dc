package io.aragonite.exec.device.cuda.ptx;

import io.aragonite.exec.codegen.RowAggregation;
import io.aragonite.exec.codegen.RowAggregation.SumPlace;
import io.aragonite.exec.codegen.RowCode;
import io.aragonite.exec.device.CompiledTableAggregation;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.SumTable;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sums of expressions by group as one kernel, whose threads add to a table by atomic operations.
 */
final class PtxTableAggregation implements CompiledTableAggregation {
  private final PtxExpressionCompiler compiler;
  private final int valueBits;
  private final @Nullable RowRun run;

  /**
   * @param predicate of the rows that are added; null: all are
   */
  PtxTableAggregation(
      PtxExpressionCompiler compiler,
      @Nullable Expr predicate,
      Expr.KeyWord group,
      List<Expr> sums,
      List<ColumnShape> inputs) {
    this.compiler = compiler;
    RowAggregation rows = new RowAggregation(predicate, group, sums, inputs, SumPlace.TABLE);
    this.valueBits = rows.valueBits();
    RowCode code = rows.code();
    this.run =
        code == null ? null : new RowRun(compiler.runner(), code, RowKernels::tableAggregation);
  }

  /** Whether there is code for it. */
  boolean isSupported() {
    return run != null;
  }

  @Override
  public boolean add(ExecContext context, ColumnBatch batch, SumTable totals) {
    RowRun device = run;
    if (device == null) {
      return false;
    }
    if (batch.rows() == 0) {
      return true;
    }
    try {
      // What is added stays there, so no row may fail, or run again with more memory.
      PtxKernel kernel = device.kernel(batch);
      if (kernel.mayFail()
          || !compiler.runner().isReady(context, kernel)
          || !totals.reserve(batch.rows(), valueBits)) {
        return false;
      }
      device.run(context, batch, RowRun.Outputs.table(totals));
      return true;
    } catch (PtxUntranslatable e) {
      compiler.refused(e);
      return false;
    }
  }
}
