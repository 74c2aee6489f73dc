package io.aragonite.adapter.table;

import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.table.BlockRanges;
import io.aragonite.exec.table.TableColumnStatistics;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A whole column in memory.
 *
 * @param shape holds for all pieces
 * @param pieces in order; all but the last have a multiple of 64 rows
 * @param statistics of its values
 * @param counted whether all values were looked at for the distinct count and the distribution;
 *     else these are estimates, and the other figures are exact
 * @param ranges of blocks, if loading has found them out
 * @param memory what holds the pieces
 */
record LoadedColumn(
    ColumnShape shape,
    List<Column> pieces,
    TableColumnStatistics statistics,
    boolean counted,
    @Nullable BlockRanges ranges,
    QueryMemory memory)
    implements AutoCloseable {
  /** The same with figures of all values. */
  LoadedColumn withStatistics(TableColumnStatistics known) {
    return new LoadedColumn(shape, pieces, known, true, ranges, memory);
  }

  /**
   * The same with a distinct count and a distribution that were estimated before it was loaded.
   *
   * @param sampled null: nobody has, so that values are taken to differ
   */
  LoadedColumn withEstimates(@Nullable TableColumnStatistics sampled) {
    if (sampled == null) {
      return this;
    }
    boolean few = shape.dictionary() != null;
    TableColumnStatistics estimated =
        new TableColumnStatistics(
            statistics.rows(),
            statistics.nulls(),
            statistics.range(),
            few ? statistics.distinct() : Math.min(statistics.distinct(), sampled.distinct()),
            few,
            statistics.averageWidth(),
            sampled.distribution());
    return new LoadedColumn(shape, pieces, estimated, false, ranges, memory);
  }

  long bytes() {
    return memory.used();
  }

  @Override
  public void close() {
    memory.close();
  }
}
