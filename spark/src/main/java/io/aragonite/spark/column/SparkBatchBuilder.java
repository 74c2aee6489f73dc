package io.aragonite.spark.column;

import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.ColumnBatch;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.jspecify.annotations.Nullable;

/** Puts Spark's rows, or rows of its columns, into one of our batches. */
final class SparkBatchBuilder {
  /** Bytes of text in a column after which a batch ends. */
  private static final int MOST_TEXT = 1 << 28;

  private final List<ColumnBuilder> columns;
  private int rows;

  SparkBatchBuilder(List<DataType> types, QueryMemory memory) {
    this.columns = types.stream().map(type -> new ColumnBuilder(type, memory)).toList();
  }

  /** Makes room in a column for all that is to come. */
  void reserve(int column, int allRows, int allText) {
    columns.get(column).reserve(allRows, allText);
  }

  void add(InternalRow row) {
    for (int i = 0; i < columns.size(); i++) {
      columns.get(i).add(row, i);
    }
    rows++;
  }

  void add(ColumnarBatch batch, int from, int count) {
    for (int i = 0; i < columns.size(); i++) {
      columns.get(i).add(batch.column(i), from, count);
    }
    rows += count;
  }

  int rows() {
    return rows;
  }

  boolean hasMuchText() {
    return columns.stream().anyMatch(column -> column.textBytes() > MOST_TEXT);
  }

  /** The batch; null without rows. */
  @Nullable ColumnBatch finish() {
    return rows == 0
        ? null
        : new ColumnBatch(columns.stream().map(ColumnBuilder::finish).toList(), rows);
  }
}
