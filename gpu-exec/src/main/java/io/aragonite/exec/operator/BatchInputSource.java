package io.aragonite.exec.operator;

import io.aragonite.exec.device.Batches;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.HostColumns;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.pipeline.BatchConsumer;
import io.aragonite.exec.pipeline.Source;
import io.aragonite.exec.table.BatchSource;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Batches that the host hands over, whose number nobody knows: each is a round of one morsel, used
 * and forgotten.
 */
public final class BatchInputSource implements Source {
  /** Rows of a batch at most, where a device wants more than the host should hold beside it. */
  private static final int MOST_ROWS = 1 << 20;

  private final List<ColumnShape> shapes;
  private final BatchSource.BatchReader reader;

  /** The rows, where the device has them. */
  private @Nullable ColumnBatch batch;

  /** Whether these are as the reader gave them, which may own some of them. */
  private boolean asGiven;

  /**
   * @param shapes of the columns
   * @param reader closed by who has opened it
   */
  public BatchInputSource(List<ColumnShape> shapes, BatchSource.BatchReader reader) {
    this.shapes = shapes;
    this.reader = reader;
  }

  @Override
  public List<ColumnShape> shapes() {
    return shapes;
  }

  @Override
  public int morsels() {
    return batch == null ? 0 : 1;
  }

  @Override
  public boolean keepsOrder() {
    return true;
  }

  @Override
  public boolean cutFine() {
    return true;
  }

  @Override
  public boolean hasRounds() {
    return true;
  }

  @Override
  public boolean nextRound(ExecContext context) {
    int rows = Math.min(MOST_ROWS, context.device().properties().batchRows());
    ColumnBatch next = reader.next(context.hostMemory(), rows);
    batch = next == null ? null : HostColumns.toDevice(context, next, context.memory());
    asGiven = context.device().traits().hostMemory();
    if (next != null && !asGiven) {
      free(context.hostMemory(), next);
    }
    return next != null;
  }

  /** Frees the columns that the reader does not own. */
  private void free(QueryMemory memory, ColumnBatch rows) {
    List<Column> given = new ArrayList<>();
    for (int i = 0; i < rows.columns().size(); i++) {
      if (!reader.owns(i)) {
        given.add(rows.column(i));
      }
    }
    Batches.free(memory, new ColumnBatch(given, rows.rows()));
  }

  @Override
  public void run(ExecContext context, int morsel, BatchConsumer consumer) {
    ColumnBatch rows = batch;
    if (rows == null) {
      return;
    }
    context.checkCancelled();
    context.scratch().reset();
    if (!consumer.done()) {
      consumer.accept(rows);
    }
    // After an error the query's end frees it.
    batch = null;
    if (asGiven) {
      free(context.memory(), rows);
    } else {
      Batches.free(context.memory(), rows);
    }
  }
}
