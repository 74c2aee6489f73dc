package io.aragonite.spark.column;

import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/** The columns of a slice, with the row that it came as. */
public final class SliceBatch extends ColumnarBatch {
  private final UnsafeRow row;

  SliceBatch(ColumnVector[] columns, int rows, UnsafeRow row) {
    super(columns, rows);
    this.row = row;
  }

  /** The row, which may be reused when the next batch is asked for. */
  public UnsafeRow row() {
    return row;
  }

  /** The bytes that rows of Spark's of the same values have, about. */
  public long sparkBytes() {
    int fields = numCols();
    long sum = 8L * numRows() * ((fields + 63) / 64 + fields);
    for (int i = 0; i < fields; i++) {
      sum += ((SliceColumnVector) column(i)).sparkBytes();
    }
    return sum;
  }
}
