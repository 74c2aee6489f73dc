package io.aragonite.exec.device.cuda.ptx;

import io.aragonite.exec.codegen.RowCode;
import io.aragonite.exec.codegen.RowPredicate;
import io.aragonite.exec.device.Batches;
import io.aragonite.exec.device.CompiledPredicate;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A predicate as a kernel that writes a bit a row. Terms that need the host are evaluated for the
 * rows that the kernel has selected.
 */
final class PtxPredicate implements CompiledPredicate {
  private final PtxExpressionCompiler compiler;
  private final Expr predicate;
  private final List<ColumnShape> inputs;
  private final @Nullable RowRun run;
  private final @Nullable CompiledPredicate hostTerms;
  private volatile @Nullable CompiledPredicate hostWhole;

  PtxPredicate(PtxExpressionCompiler compiler, Expr predicate, List<ColumnShape> inputs) {
    this.compiler = compiler;
    this.predicate = predicate;
    this.inputs = inputs;
    RowPredicate split = new RowPredicate(predicate, inputs);
    split.reasons().forEach(compiler::needsHost);
    RowCode code = split.code();
    this.run = code == null ? null : new RowRun(compiler.runner(), code, RowKernels::predicate);
    Expr host = split.host();
    this.hostTerms = host == null ? null : compiler.host().predicate(host, inputs);
  }

  private CompiledPredicate whole() {
    CompiledPredicate known = hostWhole;
    if (known == null) {
      known = compiler.host().predicate(predicate, inputs);
      hostWhole = known;
    }
    return known;
  }

  @Override
  public int select(ExecContext context, ColumnBatch batch, Buffer out) {
    if (batch.rows() == 0) {
      return 0;
    }
    RowRun device = run;
    CompiledPredicate host = hostTerms;
    if (device == null) {
      return java.util.Objects.requireNonNull(host).select(context, batch, out);
    }
    int count;
    QueryMemory.Arena scratch = context.scratch();
    long mark = scratch.mark();
    Buffer bits = scratch.allocate((batch.rows() + 31L) / 32 * 4);
    try {
      int failed = device.run(context, batch, RowRun.Outputs.bits(bits));
      if (failed != RowRun.FINE) {
        CompiledPredicate all = whole();
        HostFallback.raise(
            context, batch, failed, (c, row) -> all.select(c, row, c.scratch().allocate(4)));
        return all.select(context, batch, out);
      }
    } catch (PtxUntranslatable e) {
      compiler.refused(e);
      return whole().select(context, batch, out);
    }
    count = compiler.runner().positions(context, bits, batch.rows(), out);
    scratch.release(mark);
    return host == null || count == 0 ? count : refine(context, batch, host, out, count);
  }

  /** Keeps those of the selected rows for which the host's terms are true. */
  private static int refine(
      ExecContext context, ColumnBatch batch, CompiledPredicate host, Buffer out, int count) {
    QueryMemory.Arena scratch = context.scratch();
    long mark = scratch.mark();
    Buffer kept = scratch.allocate(4L * count);
    Buffer rows = scratch.allocate(4L * count);
    int left = host.select(context, Batches.select(context, batch, out, count), kept);
    context.gather().gatherIds(context, out.slice(0, 4L * count), kept, left, rows);
    context.device().transfers().copy(context, rows, out, 4L * left);
    scratch.release(mark);
    return left;
  }
}
