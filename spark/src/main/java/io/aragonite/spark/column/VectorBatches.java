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

  /** Time that whoever has the batches takes. */
  private long sourceNanos;

  private boolean slices;

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
    long start = System.nanoTime();
    sourceNanos = 0;
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
    ColumnBatch columns = built.finish();
    if (slices) {
      counter.sliceNanos(System.nanoTime() - start - sourceNanos);
    }
    return columns;
  }

  /** A batch of which rows are left; null if there is none. */
  private @Nullable ColumnarBatch current() {
    while (batch == null || from == batch.numRows()) {
      long start = System.nanoTime();
      ColumnarBatch next = batches.hasNext() ? batches.next() : null;
      sourceNanos += System.nanoTime() - start;
      batch = next;
      if (next == null) {
        return null;
      }
      slices = next instanceof SliceBatch;
      from = 0;
    }
    return batch;
  }

  @Override
  public void close() {}
}
