package io.aragonite.exec.device.cuda.ptx;

import io.aragonite.exec.codegen.RowAggregation;
import io.aragonite.exec.codegen.RowAggregation.SumPlace;
import io.aragonite.exec.codegen.RowCode;
import io.aragonite.exec.device.CompiledAggregation;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.GroupSums;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sums of expressions by group as one kernel, whose sums the host adds to those of other batches.
 */
final class PtxAggregation implements CompiledAggregation {
  /** Of all groups together, each lane's in shared memory: 96 KB a block, as each GPU has. */
  private static final int MOST_SUMS = 48;

  private final PtxExpressionCompiler compiler;
  private final int words;
  private final @Nullable RowRun run;

  /**
   * @param predicate of the rows that are added; null: all are
   * @param groups how many there may be
   */
  PtxAggregation(
      PtxExpressionCompiler compiler,
      @Nullable Expr predicate,
      Expr.@Nullable KeyWord group,
      int groups,
      List<Expr> sums,
      List<ColumnShape> inputs) {
    this.compiler = compiler;
    this.words = groups * (1 + sums.size());
    RowCode code =
        words > MOST_SUMS
            ? null
            : new RowAggregation(predicate, group, sums, inputs, SumPlace.LANES).code();
    this.run =
        code == null
            ? null
            : new RowRun(
                compiler.runner(),
                code,
                (rows, bound, runner) -> RowKernels.aggregation(rows, bound, words, runner));
  }

  /** Whether there is code for it. */
  boolean isSupported() {
    return run != null;
  }

  @Override
  public boolean add(ExecContext context, ColumnBatch batch, GroupSums totals) {
    RowRun device = run;
    if (device == null) {
      return false;
    }
    if (batch.rows() == 0) {
      return true;
    }
    QueryMemory.Arena scratch = context.scratch();
    QueryMemory.Arena host = context.hostScratch();
    long mark = scratch.mark();
    long hostMark = host.mark();
    try {
      // With too little memory for new texts a kernel runs again, having added rows.
      PtxKernel kernel = device.kernel(batch);
      if (kernel.usesHeap() || !compiler.runner().isReady(context, kernel)) {
        return false;
      }
      long bytes = 2L * Long.BYTES * words;
      Buffer sums = scratch.allocate(bytes);
      context.scan().fill(context, sums, Long.BYTES, 0, 2 * words);
      if (device.run(context, batch, RowRun.Outputs.sums(sums)) != RowRun.FINE) {
        return false;
      }
      Buffer read = host.allocate(bytes);
      context.device().transfers().toHost(context, sums, read.address(), bytes);
      totals.add(read.address());
      return true;
    } catch (PtxUntranslatable e) {
      compiler.refused(e);
      return false;
    } finally {
      scratch.release(mark);
      host.release(hostMark);
    }
  }
}
