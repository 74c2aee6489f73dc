package io.aragonite.exec.operator;

import io.aragonite.exec.device.Batches;
import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.memory.Allocator;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.pipeline.BatchConsumer;
import io.aragonite.exec.pipeline.Source;
import io.aragonite.exec.table.Table;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.List;

/**
 * A table that memory does not hold, where devices work on the host's memory: each morsel is a part
 * of it, which is read, used and forgotten. For others there are {@link StreamedParts}.
 */
public final class TablePartSource implements Source {
  private final Table.TableParts parts;

  public TablePartSource(Table.TableParts parts) {
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
  public boolean keepsOrder() {
    return true;
  }

  @Override
  public void run(ExecContext context, int morsel, BatchConsumer consumer) {
    if (consumer.done()) {
      return;
    }
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
          consumer.accept(batch);
        }
      }
    }
  }

  /** The batch with no more bytes of text than its own. */
  static ColumnBatch brief(ColumnBatch batch, Allocator scratch) {
    List<Column> columns = new ArrayList<>();
    for (Column column : batch.columns()) {
      columns.add(column.shape().storage() == Storage.BYTES ? brief(column, scratch) : column);
    }
    return new ColumnBatch(columns, batch.rows());
  }

  private static Column brief(Column column, Allocator scratch) {
    int rows = column.dataRows();
    long given = column.offsets().address();
    int first = Mem.getInt(given);
    int bytes = Mem.getInt(given + 4L * rows) - first;
    Buffer offsets = scratch.allocate(4L * rows + 4);
    for (int i = 0; i <= rows; i++) {
      Mem.putInt(offsets.address() + 4L * i, Mem.getInt(given + 4L * i) - first);
    }
    Buffer values = new Buffer(column.values().address() + first, bytes);
    return new Column(column.shape(), rows, values, offsets, column.validity(), null);
  }
}
