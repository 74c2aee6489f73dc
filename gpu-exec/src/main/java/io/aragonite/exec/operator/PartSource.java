package io.aragonite.exec.operator;

import io.aragonite.exec.column.ColumnBatch;
import io.aragonite.exec.column.ColumnShape;
import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.HostColumns;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.pipeline.BatchConsumer;
import io.aragonite.exec.pipeline.Source;
import io.aragonite.exec.table.Table;
import java.util.List;

/**
 * A table that memory does not hold: each morsel is a part of it, which is read, used and
 * forgotten.
 */
public final class PartSource implements Source {
  private final Table.Parts parts;

  public PartSource(Table.Parts parts) {
    this.parts = parts;
  }

  @Override
  public List<ColumnShape> shapes() {
    return parts.shapes();
  }

  @Override
  public int morsels() {
    return parts.count();
  }

  @Override
  public void run(ExecContext context, int morsel, BatchConsumer consumer) {
    Device device = context.device();
    int batchRows = device.properties().batchRows();
    // An account of its own, since it lives no longer than the part.
    try (QueryMemory memory = device.host().newQueryMemory(0)) {
      for (ColumnBatch chunk : parts.read(morsel, memory)) {
        for (int from = 0; from < chunk.rows() && !consumer.done(); from += batchRows) {
          context.checkCancelled();
          context.scratch().reset();
          int rows = Math.min(batchRows, chunk.rows() - from);
          ColumnBatch batch = Batches.slice(chunk, from, rows);
          consumer.accept(HostColumns.toDevice(context, batch, context.scratch()));
        }
      }
    }
  }
}
