package io.aragonite.spark.column;

import io.aragonite.exec.type.DataType;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.apache.spark.unsafe.Platform;

/**
 * Gathers rows of our columns for one place, and makes slices of them. A slice travels as a row of
 * Spark's with one binary field.
 */
public final class SliceBuilder {
  /** An UnsafeRow of one field: bits of nulls, then offset and length of the bytes. */
  private static final int HEAD = 16;

  private final List<SliceColumnBuilder> columns;
  private int rows;

  public SliceBuilder(List<DataType> types) {
    this.columns = types.stream().map(SliceColumnBuilder::new).toList();
  }

  /** Adds rows {@code order[from]} to {@code order[to - 1]} of a fragment's batch. */
  public void add(ColumnarBatch batch, int[] order, int from, int to) {
    for (int i = 0; i < columns.size(); i++) {
      EngineColumnVector vector = (EngineColumnVector) batch.column(i);
      columns.get(i).add(vector.column(), order, from, to);
    }
    rows += to - from;
  }

  /** Adds a row of Spark's. */
  public void add(InternalRow row) {
    for (int i = 0; i < columns.size(); i++) {
      columns.get(i).add(row, i);
    }
    rows++;
  }

  public int rows() {
    return rows;
  }

  /** Bytes that it holds, about. */
  public long bytes() {
    long sum = 0;
    for (SliceColumnBuilder column : columns) {
      sum += column.bytes();
    }
    return sum;
  }

  /** Bytes of the heap that it has, room for more rows included. */
  public long capacity() {
    long sum = 0;
    for (SliceColumnBuilder column : columns) {
      sum += column.capacity();
    }
    return sum;
  }

  /** The bytes that rows of Spark's of the same values have: what its planning knows sizes in. */
  public long sparkBytes() {
    int fields = columns.size();
    long sum = 8L * rows * ((fields + 63) / 64 + fields);
    for (SliceColumnBuilder column : columns) {
      sum += column.sparkBytes();
    }
    return sum;
  }

  /** The rows as a slice; there are none in here afterwards. */
  public UnsafeRow finish() {
    int size = HEAD + Integer.BYTES + SliceFormat.SLACK;
    for (SliceColumnBuilder column : columns) {
      size = Math.addExact(size, column.measure());
    }
    int padded = Math.addExact(size, 7) & -8;
    byte[] bytes = new byte[padded];
    SliceFormat.putInt(bytes, HEAD, rows);
    int at = HEAD + Integer.BYTES;
    for (SliceColumnBuilder column : columns) {
      at = column.write(bytes, at);
    }
    rows = 0;
    Platform.putLong(
        bytes, Platform.BYTE_ARRAY_OFFSET + 8, (long) HEAD << 32 | size - HEAD);
    UnsafeRow row = new UnsafeRow(1);
    row.pointTo(bytes, Platform.BYTE_ARRAY_OFFSET, padded);
    return row;
  }
}
