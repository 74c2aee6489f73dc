package io.aragonite.spark.column;

import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.table.BatchSource;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.jspecify.annotations.Nullable;

/** Spark's columns, as its readers of files make them, as ours. */
public final class VectorBatches implements BatchSource.BatchReader {
  private static final int MOST_TEXT = 1 << 28;

  private final Iterator<ColumnarBatch> batches;
  private final List<DataType> types;
  private final ConversionCounter counter;
  private @Nullable ColumnarBatch batch;
  private int from;

  /**
   * @param batches each is used before the next is asked for
   * @param counter counts what is converted
   */
  public VectorBatches(
      Iterator<ColumnarBatch> batches, List<DataType> types, ConversionCounter counter) {
    this.batches = batches;
    this.types = types;
    this.counter = counter;
  }

  @Override
  public @Nullable ColumnBatch next(QueryMemory memory, int wanted) {
    List<ColumnBuilder> builders =
        types.stream().map(type -> new ColumnBuilder(type, memory)).toList();
    int count = 0;
    while (count < wanted && RowBatches.textBytes(builders) <= MOST_TEXT) {
      ColumnarBatch source = current();
      if (source == null) {
        break;
      }
      int taken = Math.min(wanted - count, source.numRows() - from);
      for (int i = 0; i < builders.size(); i++) {
        builders.get(i).add(source.column(i), from, taken);
      }
      from += taken;
      count += taken;
    }
    if (count == 0) {
      return null;
    }
    counter.columnRows(count);
    List<Column> columns = new ArrayList<>();
    builders.forEach(builder -> columns.add(builder.finish()));
    return new ColumnBatch(columns, count);
  }

  /** A batch of which rows are left; null if there is none. */
  private @Nullable ColumnarBatch current() {
    while (batch == null || from == batch.numRows()) {
      if (!batches.hasNext()) {
        batch = null;
        return null;
      }
      batch = batches.next();
      from = 0;
    }
    return batch;
  }

  @Override
  public void close() {}
}
