package io.aragonite.exec.device.cuda.ptx;

import io.aragonite.exec.device.Batches;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.vector.ColumnBatch;
import java.util.function.BiConsumer;

/** What happens when a row of a kernel fails. */
final class HostFallback {
  private HostFallback() {}

  /**
   * Has the host evaluate the row, which raises the error that the CPU would raise. If it does not,
   * the row was one that only the host can do.
   */
  static void raise(
      ExecContext context, ColumnBatch batch, int row, BiConsumer<ExecContext, ColumnBatch> host) {
    QueryMemory.Arena scratch = context.scratch();
    long mark = scratch.mark();
    Buffer position = scratch.allocate(4);
    context.scan().iota(context, position, row, 1);
    host.accept(context, Batches.select(context, batch, position, 1));
    scratch.release(mark);
  }
}
