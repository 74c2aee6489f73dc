package io.aragonite.spark.execution;

import io.aragonite.spark.column.VectorRowWriter;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.stream.IntStream;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.execution.metric.SQLMetric;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.jspecify.annotations.Nullable;

/** The rows of columns, for Spark's operators and its shuffle. */
public final class ColumnsToRows implements Iterator<InternalRow> {
  private final Iterator<ColumnarBatch> batches;
  private final VectorRowWriter writer;
  private final SQLMetric converted;
  private @Nullable ColumnarBatch batch;
  private int next;

  private ColumnsToRows(
      Iterator<ColumnarBatch> batches, List<DataType> types, SQLMetric converted) {
    this.batches = batches;
    this.converted = converted;
    this.writer = new VectorRowWriter(types, IntStream.range(0, types.size()).boxed().toList());
  }

  /**
   * The rows, each valid until the next is asked for.
   *
   * @param converted counts them
   */
  public static RDD<InternalRow> of(
      RDD<ColumnarBatch> columns, List<DataType> types, SQLMetric converted) {
    List<DataType> fields = new ArrayList<>(types); // goes to tasks
    return PartitionMapping.map(
        columns, InternalRow.class, batches -> new ColumnsToRows(batches, fields, converted));
  }

  @Override
  public boolean hasNext() {
    while ((batch == null || next == batch.numRows()) && batches.hasNext()) {
      batch = batches.next();
      next = 0;
      converted.add(batch.numRows());
    }
    return batch != null && next < batch.numRows();
  }

  @Override
  public InternalRow next() {
    ColumnarBatch current = hasNext() ? batch : null;
    if (current == null) {
      throw new NoSuchElementException();
    }
    return writer.row(current, next++);
  }
}
