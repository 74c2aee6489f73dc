package io.aragonite.exec.device.cpu;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.GatherOps;
import io.aragonite.exec.device.GrowingColumn;
import io.aragonite.exec.memory.Allocator;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.vector.Column;

/**
 * Moves values to and from rows that a vector of row ids names, and into growing columns, as loops
 * over native memory.
 */
final class CpuGatherOps implements GatherOps {
  @Override
  public void mark(ExecContext context, Buffer ids, int count, Buffer flags) {
    CpuScan.mark(ids, count, flags);
  }

  @Override
  public void gatherIds(ExecContext context, Buffer ids, Buffer positions, int count, Buffer out) {
    CpuScan.gatherIds(ids, positions, count, out);
  }

  @Override
  public Column materialize(ExecContext context, Column column, Allocator allocator) {
    return CpuGather.materialize(column, allocator);
  }

  @Override
  public void append(ExecContext context, Column column, GrowingColumn target) {
    HostColumnAppender.append(column, target);
  }

  @Override
  public void scatter(
      ExecContext context, Buffer in, Buffer ids, int count, int width, Buffer out) {
    CpuScan.scatter(in, ids, count, width, out);
  }
}
