package io.aragonite.spark.column;

import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.table.BatchSource;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.jspecify.annotations.Nullable;

/** Spark's rows as columns. */
public final class RowBatches implements BatchSource.BatchReader {
  /** Rows between two looks at how many bytes of text have come. */
  private static final int BLOCK = 1 << 10;

  /** Bytes of text after which a batch ends. */
  private static final int MOST_TEXT = 1 << 28;

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
    List<ColumnBuilder> builders =
        types.stream().map(type -> new ColumnBuilder(type, memory)).toList();
    int count = 0;
    // Asking for rows is Spark's work, and not counted as conversion.
    while (count < wanted && rows.hasNext()) {
      InternalRow row = rows.next();
      for (int i = 0; i < builders.size(); i++) {
        builders.get(i).add(row, i);
      }
      count++;
      if (count % BLOCK == 0 && textBytes(builders) > MOST_TEXT) {
        break;
      }
    }
    if (count == 0) {
      return null;
    }
    counter.rows(count);
    List<Column> columns = new ArrayList<>();
    builders.forEach(builder -> columns.add(builder.finish()));
    return new ColumnBatch(columns, count);
  }

  static int textBytes(List<ColumnBuilder> builders) {
    int most = 0;
    for (ColumnBuilder builder : builders) {
      most = Math.max(most, builder.textBytes());
    }
    return most;
  }

  @Override
  public void close() {}
}
