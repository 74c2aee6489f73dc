package io.aragonite.exec.operator.window;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.pipeline.BatchConsumer;
import io.aragonite.exec.pipeline.Source;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.RowIds;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The rows of a window in the order of positions: input columns, then results. */
final class WindowSource implements Source {
  /**
   * A column of the output.
   *
   * @param data without an indirection
   * @param rows the row of the data at each position; null: positions are its rows
   */
  record WindowColumn(Column data, ColumnShape shape, @Nullable Buffer rows, boolean mayBeNull) {}

  private final int begin;
  private final int count;
  private final List<WindowColumn> results;
  private final int morselRows;

  WindowSource(int count, List<WindowColumn> results, int morselRows) {
    this(0, count, results, morselRows);
  }

  private WindowSource(int begin, int count, List<WindowColumn> results, int morselRows) {
    this.begin = begin;
    this.count = count;
    this.results = results;
    this.morselRows = morselRows;
  }

  @Override
  public List<ColumnShape> shapes() {
    return results.stream().map(WindowColumn::shape).toList();
  }

  @Override
  public int morsels() {
    return (int) ((count - begin + (long) morselRows - 1) / morselRows);
  }

  @Override
  public boolean keepsOrder() {
    return true;
  }

  @Override
  public void run(ExecContext context, int morsel, BatchConsumer consumer) {
    int batchRows = context.device().properties().batchRows();
    long start = begin + (long) morsel * morselRows;
    int end = (int) Math.min(count, start + morselRows);
    for (int from = (int) start; from < end && !consumer.done(); from += batchRows) {
      context.checkCancelled();
      context.scratch().reset();
      consumer.accept(batch(from, Math.min(batchRows, end - from)));
    }
  }

  /**
   * Some positions only, which share memory with these.
   *
   * @param from a multiple of 64
   */
  WindowSource range(int from, int to) {
    return new WindowSource(from, to, results, morselRows);
  }

  /** The input's columns, as many as are told, of some positions. */
  ColumnBatch inputs(int columns, int from, int rows) {
    return new WindowSource(count, results.subList(0, columns), morselRows).batch(from, rows);
  }

  /** A computed integer that is not null. */
  long number(ExecContext context, int column, int position) {
    Column data = results.get(column).data();
    return data.shape().storage().width() == 4
        ? context.device().transfers().readInt(context, data.values(), 4L * position)
        : context.device().transfers().readLong(context, data.values(), 8L * position);
  }

  /**
   * Some positions.
   *
   * @param from a multiple of 64
   */
  @SuppressWarnings("ReferenceEquality") // the same object, not equal ones
  ColumnBatch batch(int from, int rows) {
    List<Column> columns = new ArrayList<>(results.size());
    Buffer last = null;
    RowIds lastIds = null;
    for (WindowColumn result : results) {
      Buffer picked = result.rows();
      Column column = result.data();
      if (picked == null) {
        column = column.slice(from, rows);
      } else {
        if (picked != last || lastIds == null) {
          Buffer ids = picked.slice(from * 4L, rows * 4L);
          lastIds = new RowIds(ids, rows, result.mayBeNull());
          last = picked;
        }
        column = column.withRowIds(lastIds);
      }
      columns.add(
          new Column(
              result.shape(),
              column.dataRows(),
              column.values(),
              column.offsets(),
              column.validity(),
              column.rowIds()));
    }
    return new ColumnBatch(columns, rows);
  }
}
