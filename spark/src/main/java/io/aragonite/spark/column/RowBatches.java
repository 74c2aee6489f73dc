package io.aragonite.spark.column;

import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.table.BatchSource;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.ColumnBatch;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.jspecify.annotations.Nullable;

/** Spark's rows as columns. */
public final class RowBatches implements BatchSource.BatchReader {
  /** Rows between two looks at how many bytes of text have come. */
  private static final int BLOCK = 1 << 10;

  private final Iterator<InternalRow> rows;
  private final List<DataType> types;
  private final ConversionCounter counter;

  /**
   * @param rows each is used before the next is asked for
   * @param counter counts what is converted
   */
  public RowBatches(Iterator<InternalRow> rows, List<DataType> types, ConversionCounter counter) {
    this.rows = rows;
    this.types = types;
    this.counter = counter;
  }

  @Override
  public @Nullable ColumnBatch next(QueryMemory memory, int wanted) {
    SparkBatchBuilder batch = new SparkBatchBuilder(types, memory);
    // Asking for rows is Spark's work, and not counted as conversion.
    while (batch.rows() < wanted && rows.hasNext()) {
      batch.add(rows.next());
      if (batch.rows() % BLOCK == 0 && batch.hasMuchText()) {
        break;
      }
    }
    counter.rows(batch.rows());
    return batch.finish();
  }

  @Override
  public void close() {}
}
