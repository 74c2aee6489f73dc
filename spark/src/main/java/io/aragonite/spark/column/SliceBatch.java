package io.aragonite.spark.column;

import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.vector.ColumnBatch;
import java.util.List;
import java.util.Objects;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/** The columns of a slice, with the row that it came as. */
public final class SliceBatch extends ColumnarBatch {
  private final UnsafeRow row;

  SliceBatch(ColumnVector[] columns, int rows, UnsafeRow row) {
    super(columns, rows);
    this.row = row;
  }

  /** All rows of slices in one batch, whose memory is no larger than they need. */
  public static ColumnBatch whole(
      List<UnsafeRow> slices, List<DataType> types, List<io.aragonite.exec.type.DataType> engineTypes, QueryMemory memory) {
    SparkBatchBuilder whole = new SparkBatchBuilder(engineTypes, memory);
    long rows = 0;
    long[] text = new long[types.size()];
    for (UnsafeRow slice : slices) {
      SliceBatch batch = SliceColumnVector.batch(slice, types, engineTypes);
      rows += batch.numRows();
      for (int i = 0; i < text.length; i++) {
        text[i] += ((SliceColumnVector) batch.column(i)).textBytes();
      }
    }
    for (int i = 0; i < text.length; i++) {
      whole.reserve(i, Math.toIntExact(rows), Math.toIntExact(text[i]));
    }
    for (UnsafeRow slice : slices) {
      SliceBatch batch = SliceColumnVector.batch(slice, types, engineTypes);
      whole.add(batch, 0, batch.numRows());
    }
    return Objects.requireNonNull(whole.finish(), "slices without rows");
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
