package io.aragonite.spark.column;

import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.table.BatchSource;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.ColumnBatch;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.jspecify.annotations.Nullable;

/** Spark's columns, as its readers of files make them, as ours. */
public final class VectorBatches implements BatchSource.BatchReader {
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
    SparkBatchBuilder built = new SparkBatchBuilder(types, memory);
    while (built.rows() < wanted && !built.hasMuchText()) {
      ColumnarBatch source = current();
      if (source == null) {
        break;
      }
      int taken = Math.min(wanted - built.rows(), source.numRows() - from);
      built.add(source, from, taken);
      from += taken;
    }
    counter.columnRows(built.rows());
    return built.finish();
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
