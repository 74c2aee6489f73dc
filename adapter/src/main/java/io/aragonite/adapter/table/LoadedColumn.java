package io.aragonite.adapter.table;

import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.table.TableColumnStatistics;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import java.util.List;

/**
 * A whole column in memory.
 *
 * @param shape holds for all pieces
 * @param pieces in order; all but the last have a multiple of 64 rows
 * @param statistics of its values
 * @param memory what holds the pieces
 */
record LoadedColumn(
    ColumnShape shape, List<Column> pieces, TableColumnStatistics statistics, QueryMemory memory)
    implements AutoCloseable {
  /** The same with figures that were known before. */
  LoadedColumn withStatistics(TableColumnStatistics known) {
    return new LoadedColumn(shape, pieces, known, memory);
  }

  long bytes() {
    return memory.used();
  }

  @Override
  public void close() {
    memory.close();
  }
}
