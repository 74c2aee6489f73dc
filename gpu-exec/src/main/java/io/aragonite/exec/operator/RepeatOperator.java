package io.aragonite.exec.operator;

import io.aragonite.exec.device.Batches;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.pipeline.BatchConsumer;
import io.aragonite.exec.pipeline.StreamOperator;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.RowIds;
import io.aragonite.exec.vector.ValueRange;
import java.util.List;

/** Each row as often as the last column, an INT64 above zero, says; without that column. */
public final class RepeatOperator implements StreamOperator {
  private final List<ColumnShape> shapes;

  /**
   * @param shapes of the input's columns but the last
   */
  public RepeatOperator(List<ColumnShape> shapes) {
    this.shapes = shapes;
  }

  @Override
  public List<ColumnShape> shapes() {
    return shapes;
  }

  @Override
  public boolean expands() {
    return true;
  }

  @Override
  public BatchConsumer newWorker(ExecContext context, BatchConsumer downstream) {
    return new BatchConsumer() {
      @Override
      public void accept(ColumnBatch batch) {
        if (batch.rows() > 0) {
          repeat(context, batch, downstream);
        }
      }

      @Override
      public void finish() {
        downstream.finish();
      }

      @Override
      public boolean done() {
        return downstream.done();
      }
    };
  }

  private void repeat(ExecContext context, ColumnBatch batch, BatchConsumer downstream) {
    int rows = batch.rows();
    List<Column> columns = batch.columns().subList(0, shapes.size());
    Column times =
        context.gather().materialize(context, batch.columns().getLast(), context.scratch());
    Buffer counts = counts(context, times, rows);
    Buffer sums = context.scratch().allocate((rows + 1L) * 8);
    long total = context.scan().exclusiveSum(context, counts, rows, sums);
    if (total == rows) {
      downstream.accept(new ColumnBatch(columns, rows));
      return;
    }
    int most = Math.max(rows, context.device().properties().batchRows());
    int capacity = (int) Math.min(total, most);
    Buffer row = context.scratch().allocate(capacity * 4L);
    Buffer place = context.scratch().allocate(capacity * 4L);
    long mark = context.scratch().mark();
    for (long from = 0; from < total && !downstream.done(); from += capacity) {
      context.checkCancelled();
      int count = (int) Math.min(capacity, total - from);
      context.scan().expand(context, sums, rows, from, count, row, place);
      List<Column> repeated = Batches.select(context, columns, new RowIds(row, count, false));
      downstream.accept(new ColumnBatch(repeated, count));
      context.scratch().release(mark);
    }
  }

  /** The 64-bit numbers as 32-bit ones. */
  private static Buffer counts(ExecContext context, Column times, int rows) {
    ValueRange range = context.scan().valueRange(context, times);
    if (range != null && range.max() > Integer.MAX_VALUE) {
      throw new AragoniteException(
          ErrorCode.RESULT_TOO_LARGE,
          "A set operation repeats one row more than 2^31 times; use its DISTINCT form.");
    }
    Buffer counts = context.scratch().allocate(rows * 4L);
    context.scan().narrow(context, times.values(), rows, 0, Integer.BYTES, counts);
    return counts;
  }
}
