package io.aragonite.exec.operator.sort;

import io.aragonite.exec.device.Batches;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.pipeline.BatchConsumer;
import io.aragonite.exec.pipeline.Source;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.RowIds;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Collected rows in order: a stretch of it. Nothing is copied. */
public final class SortedSource implements Source {
  private final ColumnBatch rows;
  private final Buffer order;
  private final int from;
  private final int end;
  private final int morselRows;
  private final @Nullable QueryMemory owner;

  /**
   * @param rows without indirections
   * @param order 32-bit rows
   * @param offset rows to leave out
   * @param fetch rows to keep
   * @param owner where rows and order are freed when they have been used; null: they are not
   */
  public SortedSource(
      ColumnBatch rows,
      Buffer order,
      long offset,
      long fetch,
      int morselRows,
      @Nullable QueryMemory owner) {
    this.owner = owner;
    this.rows = rows;
    this.order = order;
    this.from = (int) Math.min(offset, rows.rows());
    this.end = from + (int) Math.min(fetch, rows.rows() - from);
    this.morselRows = morselRows;
  }

  @Override
  public List<ColumnShape> shapes() {
    return rows.shapes();
  }

  @Override
  public int morsels() {
    return (int) ((end - from + (long) morselRows - 1) / morselRows);
  }

  @Override
  public boolean ordered() {
    return true;
  }

  @Override
  public boolean keepsOrder() {
    return true;
  }

  @Override
  public void close() {
    if (owner != null) {
      rows.columns().forEach(column -> Batches.free(owner, column));
      owner.free(order);
    }
  }

  @Override
  public void run(ExecContext context, int morsel, BatchConsumer consumer) {
    int batchRows = context.device().properties().batchRows();
    long start = from + (long) morsel * morselRows;
    int stop = (int) Math.min(end, start + morselRows);
    for (int at = (int) start; at < stop && !consumer.done(); at += batchRows) {
      context.checkCancelled();
      context.scratch().reset();
      int count = Math.min(batchRows, stop - at);
      RowIds ids = new RowIds(order.slice(at * 4L, count * 4L), count, false);
      List<Column> columns = rows.columns().stream().map(c -> c.withRowIds(ids)).toList();
      consumer.accept(new ColumnBatch(columns, count));
    }
  }
}
