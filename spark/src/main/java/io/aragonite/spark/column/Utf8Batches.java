package io.aragonite.spark.column;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.page.Utf8;
import io.aragonite.exec.table.BatchSource;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.jspecify.annotations.Nullable;

/**
 * Batches of Spark's rows or columns, for a fragment that counts characters: Spark has any bytes as
 * a text, and finds characters in them in its own way.
 */
public final class Utf8Batches implements BatchSource.BatchReader {
  private final BatchSource.BatchReader reader;
  private final List<Integer> columns;

  /**
   * @param reader has texts as bytes
   * @param columns whose characters are counted
   */
  public Utf8Batches(BatchSource.BatchReader reader, List<Integer> columns) {
    this.reader = reader;
    this.columns = columns;
  }

  /**
   * @throws AragoniteException INVALID_ARGUMENT if a text of these columns is not UTF-8
   */
  @Override
  public @Nullable ColumnBatch next(QueryMemory memory, int rows) {
    ColumnBatch batch = reader.next(memory, rows);
    if (batch != null && !columns.stream().map(batch.columns()::get).allMatch(Utf8Batches::isValid)) {
      throw error();
    }
    return batch;
  }

  private static boolean isValid(Column column) {
    if (column.shape().type().kind() != TypeKind.VARCHAR || column.rows() == 0) {
      return true;
    }
    long address = column.values().address();
    long ends = column.offsets().address() + Integer.BYTES;
    return Utf8.isValid(address, column.values().size(), address, ends, column.rows());
  }

  /** Whether all texts in a slice are UTF-8. */
  public static boolean isValid(ColumnarBatch slice, int column) {
    ColumnVector texts = slice.column(column);
    return IntStream.range(0, slice.numRows())
        .allMatch(row -> texts.isNullAt(row) || texts.getUTF8String(row).isValid());
  }

  /** What a task ends with that meets other bytes. */
  public static AragoniteException error() {
    return new AragoniteException(
        ErrorCode.INVALID_ARGUMENT,
        "A text that Spark hands over is not valid UTF-8, and a function in the fragment counts its characters; make it"
            + " valid (make_valid_utf8), or leave the query to Spark (spark.aragonite.enabled=false).");
  }

  @Override
  public void close() {
    reader.close();
  }
}
