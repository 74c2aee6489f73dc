package io.aragonite.exec.table;

import io.aragonite.exec.column.ColumnBatch;
import io.aragonite.exec.column.ColumnShape;
import io.aragonite.exec.type.DataType;
import java.util.List;

/**
 * A stored table that can be scanned. Implementations load lazily, keep columns in a cache under a
 * budget, and are safe for several threads.
 */
public interface Table {
  /** The name for messages. */
  String name();

  List<String> columnNames();

  List<DataType> columnTypes();

  /** The number of rows, or -1 if that is not known without loading. */
  default long rows() {
    return -1;
  }

  /**
   * Pins the named columns in memory, loading those that are not there. The pin is released by
   * {@link Pin#close}; until then the chunks stay valid.
   *
   * @param columns positions of the columns wanted, in the order wanted
   */
  Pin pin(List<Integer> columns);

  /** Columns held in host memory. */
  interface Pin extends AutoCloseable {
    /**
     * Shapes that hold for all chunks (one dictionary a column for the whole table, bounds over all
     * chunks).
     */
    List<ColumnShape> shapes();

    /**
     * The rows in order, in chunks without indirection; every chunk but the last has a multiple of
     * 64 rows.
     */
    List<ColumnBatch> chunks();

    @Override
    void close();
  }
}
