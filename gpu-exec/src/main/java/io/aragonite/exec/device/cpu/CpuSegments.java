package io.aragonite.exec.device.cpu;

import io.aragonite.exec.device.Accumulator;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.memory.Allocator;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.Column;

/** Reduction of segments: an accumulator whose groups are the segments. */
final class CpuSegments {
  private CpuSegments() {}

  static Column reduce(
      ExecContext context,
      AggregateFunction function,
      Column values,
      Buffer starts,
      int segments,
      DataType type,
      Allocator allocator) {
    int first = segments == 0 ? 0 : Mem.getInt(starts.address());
    int end = segments == 0 ? 0 : Mem.getInt(starts.address() + 4L * segments);
    Buffer groups = context.memory().allocate(4L * end);
    Buffer mask = Buffer.EMPTY;
    try (Accumulator accumulator =
        CpuAccumulators.create(function, values.shape(), type, context.memory())) {
      for (int segment = 0; segment < segments; segment++) {
        int begin = Mem.getInt(starts.address() + 4L * segment);
        int stop = Mem.getInt(starts.address() + 4L * segment + 4);
        CpuScan.fillInts(groups.address() + 4L * begin, segment, stop - begin);
      }
      int rows = values.rows();
      if (first != 0 || end != rows) {
        mask = context.memory().allocate(4L * (end - first));
        CpuScan.iota(mask, first, end - first);
        accumulator.update(context, values, groups, mask, end - first, segments);
      } else {
        accumulator.update(context, values, groups, null, end, segments);
      }
      return accumulator.finish(context, segments, allocator);
    } finally {
      context.memory().free(groups);
      context.memory().free(mask);
    }
  }
}
