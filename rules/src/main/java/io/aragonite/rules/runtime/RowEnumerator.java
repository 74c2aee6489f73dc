package io.aragonite.rules.runtime;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.runtime.BatchResult;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import java.util.List;
import java.util.NoSuchElementException;
import org.apache.calcite.linq4j.Enumerator;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.runtime.FlatLists;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a result in Calcite's array format: an Object[] a row, the bare value where there is
 * one column. Whoever wants some values of a row, once each, asks for {@link #value}: nothing is
 * made of the others.
 */
public final class RowEnumerator implements Enumerator<@Nullable Object> {
  private final BatchResult result;
  private final List<RelDataType> types;
  private final boolean exact;
  private ColumnReader[] readers = {};
  private @Nullable ColumnBatch present;
  private int rows;
  private int row = -1;
  private boolean ended;

  /**
   * @param exact whether timestamps come in the unit of their type: Calcite's form has milliseconds
   */
  RowEnumerator(BatchResult result, List<RelDataType> types, boolean exact) {
    this.result = result;
    this.types = types;
    this.exact = exact;
  }

  @Override
  public boolean moveNext() {
    row++;
    while (row >= rows) {
      if (ended) {
        return false;
      }
      ColumnBatch batch = result.next();
      if (batch == null) {
        ended = true;
        rows = 0;
        result.close();
        return false;
      }
      read(batch);
    }
    return true;
  }

  private void read(ColumnBatch batch) {
    rows = batch.rows();
    row = 0;
    present = batch;
    boolean first = readers.length == 0;
    ColumnReader[] columns = first ? new ColumnReader[types.size()] : readers;
    for (int i = 0; i < columns.length; i++) {
      Column column = batch.column(i);
      if (first || !columns[i].read(column)) {
        columns[i] = ColumnReader.of(column, types.get(i), result.hostObjects(), this::hold, exact);
      }
    }
    readers = columns;
  }

  private void hold(Runnable reader) {
    checkPosition();
    ColumnBatch batch = present;
    if (batch != null) {
      result.read(batch, reader);
    }
  }

  @Override
  public @Nullable Object current() {
    checkPosition();
    if (readers.length == 1) {
      return readers[0].get(row);
    }
    if (readers.length == 0) {
      return FlatLists.of();
    }
    @Nullable Object[] values = new Object[readers.length];
    for (int i = 0; i < values.length; i++) {
      values[i] = readers[i].get(row);
    }
    return values;
  }

  /** The present row's value in a column, in Calcite's internal form, timestamps aside. */
  public @Nullable Object value(int column) {
    ColumnReader[] columns = readers;
    if (column >= columns.length) {
      checkPosition();
    }
    // At no row it has copied nothing, and looks for where it is.
    return columns[column].get(row);
  }

  private void checkPosition() {
    if (row < 0 || row >= rows) {
      throw new NoSuchElementException("There is no row at the cursor position.");
    }
  }

  @Override
  public void reset() {
    throw new AragoniteException(
        ErrorCode.INTERNAL, "The rows of a query can be read once; run the query again.");
  }

  @Override
  public void close() {
    ended = true;
    result.close();
  }
}
