package io.aragonite.exec.device;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.List;

/**
 * Rows that outlive their batches: every append copies a batch to the end of contiguous, growing
 * columns. Build sides, groups, sorts and results are kept in it. Not safe for several threads.
 */
public final class ColumnStore implements AutoCloseable {
  private final List<GrowingColumn> columns = new ArrayList<>();
  private int rows;

  /**
   * @param shapes what the columns become; an appended column may be of narrower storage (NONE,
   *     codes for BYTES or CODE, narrower integers)
   * @param memory where the columns live
   */
  public ColumnStore(List<ColumnShape> shapes, QueryMemory memory) {
    for (ColumnShape shape : shapes) {
      columns.add(new GrowingColumn(shape, memory));
    }
  }

  /**
   * Copies a batch to the end.
   *
   * @throws AragoniteException RESULT_TOO_LARGE beyond 2^31 - 1 rows, or bytes of a text column
   */
  public void append(ExecContext context, ColumnBatch batch) {
    int total = checkRows((long) rows + batch.rows());
    context.gather().append(context, batch.columns(), columns);
    rows = total;
  }

  /** Copies batches to the end, one after the other, columns beside each other. */
  public void appendAll(ExecContext context, List<ColumnBatch> batches) {
    long more = batches.stream().mapToLong(ColumnBatch::rows).sum();
    int total = checkRows(rows + more);
    context
        .parallel()
        .forEach(
            columns.size(),
            (worker, i) -> {
              GrowingColumn column = columns.get(i);
              // Once for all: a column that grows copies its rows again and again.
              column.reserveRows(total - rows);
              for (ColumnBatch batch : batches) {
                worker.checkCancelled();
                worker.gather().append(worker, batch.column(i), column);
              }
            });
    rows = total;
  }

  /** Makes room in an empty column for just so many rows, and bytes of text. */
  public void reserve(int column, long moreRows, long textBytes) {
    columns.get(column).reserveRows(checkRows(moreRows));
    if (textBytes > 0) {
      columns.get(column).reserveBytes(textBytes);
    }
  }

  /**
   * Copies rows to the end of one column, which the caller does for all of them, on any threads,
   * before {@link #takeFilled}.
   */
  public void appendColumn(ExecContext context, int column, Column rowsOfIt) {
    context.gather().append(context, rowsOfIt, columns.get(column));
  }

  /** As {@link #take}, of columns to which {@link #appendColumn} has copied so many rows each. */
  public ColumnBatch takeFilled(int total) {
    rows = total;
    return take();
  }

  /**
   * @throws AragoniteException RESULT_TOO_LARGE beyond what a batch holds
   */
  public static int checkRows(long rows) {
    if (rows > Integer.MAX_VALUE - 64) {
      throw new AragoniteException(
          ErrorCode.RESULT_TOO_LARGE,
          "An intermediate result has more than 2^31 rows in one piece; filter it or group it"
              + " more.");
    }
    return (int) rows;
  }

  public int rows() {
    return rows;
  }

  /** Bytes of memory held. */
  public long bytes() {
    long bytes = 0;
    for (GrowingColumn column : columns) {
      bytes += column.bytes();
    }
    return bytes;
  }

  /**
   * The rows so far, without a copy; valid until the next append. Behind an append that has failed,
   * which leaves some columns with more rows than others, those from before.
   */
  public ColumnBatch view() {
    Column[] views = new Column[columns.size()];
    for (int i = 0; i < views.length; i++) {
      views[i] = first(columns.get(i).view(), rows);
    }
    return new ColumnBatch(List.of(views), rows);
  }

  private static Column first(Column c, int rows) {
    return c.dataRows() == rows
        ? c
        : new Column(c.shape(), rows, c.values(), c.offsets(), c.validity(), null);
  }

  /** The rows, whose buffers are the caller's from now on. The store is empty then. */
  public ColumnBatch take() {
    ColumnBatch batch = view();
    columns.forEach(GrowingColumn::forget);
    rows = 0;
    return batch;
  }

  /** Forgets the rows; the memory stays for the next ones. */
  public void clear() {
    columns.forEach(GrowingColumn::clear);
    rows = 0;
  }

  /** Frees the columns. */
  @Override
  public void close() {
    columns.forEach(GrowingColumn::free);
    rows = 0;
  }
}
