package io.aragonite.exec.operator;

import io.aragonite.exec.device.Batches;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.pipeline.BatchConsumer;
import io.aragonite.exec.pipeline.StreamOperator;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.RowIds;
import io.aragonite.exec.vector.ValueRange;
import java.util.ArrayList;
import java.util.List;

/**
 * Each row as often as the last column, an INT64 without nulls, says, 0 times perhaps; without that
 * column.
 */
public final class RepeatOperator implements StreamOperator {
  private static final ColumnShape NUMBER = ColumnShape.of(DataType.INT32);

  private final List<ColumnShape> shapes;
  private final int columns;

  private RepeatOperator(List<ColumnShape> shapes, int columns) {
    this.shapes = shapes;
    this.columns = columns;
  }

  /**
   * The repeated rows alone; each comes out once at least.
   *
   * @param input shapes of all of its columns
   */
  public static RepeatOperator of(List<ColumnShape> input) {
    int columns = input.size() - 1;
    return new RepeatOperator(input.subList(0, columns), columns);
  }

  /**
   * The repeated rows with an INT32 behind them: which of the row's repetitions it is, from 0.
   *
   * @param input shapes of all of its columns
   */
  public static RepeatOperator numbered(List<ColumnShape> input) {
    List<ColumnShape> shapes = new ArrayList<>(input);
    shapes.set(shapes.size() - 1, NUMBER);
    return new RepeatOperator(shapes, input.size() - 1);
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
    List<Column> kept = batch.columns().subList(0, columns);
    Column times =
        context.gather().materialize(context, batch.columns().getLast(), context.scratch());
    Buffer counts = counts(context, times, rows);
    Buffer sums = context.scratch().allocate((rows + 1L) * 8);
    long total = context.scan().exclusiveSum(context, counts, rows, sums);
    if (total == rows && columns == shapes.size()) {
      downstream.accept(new ColumnBatch(kept, rows));
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
      List<Column> repeated =
          new ArrayList<>(Batches.select(context, kept, new RowIds(row, count, false)));
      if (columns < shapes.size()) {
        repeated.add(new Column(NUMBER, count, place, Buffer.EMPTY, null, null));
      }
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
          "A row is repeated more than 2^31 times; use the DISTINCT form of a set operation, or"
              + " shorter lists.");
    }
    Buffer counts = context.scratch().allocate(rows * 4L);
    context.scan().narrow(context, times.values(), rows, 0, Integer.BYTES, counts);
    return counts;
  }
}
