package io.aragonite.spark.execution;

import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.execution.metric.SQLMetric;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/** The rows of columns, for Spark's operators and its shuffle. */
public final class ColumnsToRows implements Iterator<InternalRow> {
  private final Iterator<ColumnarBatch> batches;
  private final UnsafeProjection projection;
  private final SQLMetric converted;
  private Iterator<InternalRow> rows = List.<InternalRow>of().iterator();

  private ColumnsToRows(Iterator<ColumnarBatch> batches, DataType[] types, SQLMetric converted) {
    this.batches = batches;
    this.converted = converted;
    this.projection = UnsafeProjection.create(types);
  }

  /**
   * The rows, each valid until the next is asked for.
   *
   * @param converted counts them
   */
  public static RDD<InternalRow> of(
      RDD<ColumnarBatch> columns, List<DataType> types, SQLMetric converted) {
    DataType[] fields = types.toArray(new DataType[0]);
    return PartitionMapping.map(
        columns, InternalRow.class, batches -> new ColumnsToRows(batches, fields, converted));
  }

  @Override
  public boolean hasNext() {
    while (!rows.hasNext() && batches.hasNext()) {
      ColumnarBatch batch = batches.next();
      converted.add(batch.numRows());
      rows = batch.rowIterator();
    }
    return rows.hasNext();
  }

  @Override
  public InternalRow next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    return projection.apply(rows.next());
  }
}
