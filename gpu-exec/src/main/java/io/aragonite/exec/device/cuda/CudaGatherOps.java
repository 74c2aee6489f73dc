package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.GatherOps;
import io.aragonite.exec.device.GrowingColumn;
import io.aragonite.exec.memory.Allocator;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.vector.Column;
import java.util.List;

/**
 * Moves values to and from rows that a vector of row ids names, and into growing columns, as
 * kernels.
 */
final class CudaGatherOps implements GatherOps {
  @Override
  public void mark(ExecContext context, Buffer ids, int count, Buffer flags) {
    CudaGather.mark(context, ids, count, flags);
  }

  @Override
  public void gatherIds(ExecContext context, Buffer ids, Buffer positions, int count, Buffer out) {
    CudaGather.gatherIds(context, ids, positions, count, out);
  }

  @Override
  public Column materialize(ExecContext context, Column column, Allocator allocator) {
    return CudaGather.materialize(context, column, allocator);
  }

  @Override
  public void append(ExecContext context, Column column, GrowingColumn target) {
    CudaColumnAppender.append(context, List.of(column), List.of(target));
  }

  @Override
  public void append(ExecContext context, List<Column> columns, List<GrowingColumn> targets) {
    CudaColumnAppender.append(context, columns, targets);
  }

  @Override
  public void scatter(
      ExecContext context, Buffer in, Buffer ids, int count, int width, Buffer out) {
    CudaGather.scatter(context, in, ids, count, width, out);
  }
}
