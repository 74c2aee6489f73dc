package io.aragonite.rules.metadata;

import java.util.Set;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.metadata.RelColumnOrigin;
import org.apache.calcite.rel.metadata.RelMetadataQuery;

/** Finds the statistics of the table column that a column of a plan comes from. */
final class ColumnStatisticsFinder {
  private ColumnStatisticsFinder() {}

  /**
   * The statistics, {@link ColumnStatistics#UNKNOWN} for a computed column. A column of a union
   * comes from several tables: its values are within the bounds of all of them, and as many as one
   * of them has at least.
   */
  static ColumnStatistics find(RelNode rel, RelMetadataQuery mq, int column) {
    Set<RelColumnOrigin> origins = mq.getColumnOrigins(rel, column);
    if (origins == null || origins.isEmpty()) {
      return ColumnStatistics.UNKNOWN;
    }
    ColumnStatistics all = null;
    for (RelColumnOrigin origin : origins) {
      TableData table = origin.isDerived() ? null : origin.getOriginTable().unwrap(TableData.class);
      if (table == null) {
        return ColumnStatistics.UNKNOWN;
      }
      ColumnStatistics one = table.statistics().column(origin.getOriginColumnOrdinal());
      all = all == null ? one : all.or(one);
    }
    return all == null ? ColumnStatistics.UNKNOWN : all;
  }

  /** Rows of the table that the column comes from, negative if unknown. */
  static double tableRows(RelNode rel, RelMetadataQuery mq, int column) {
    RelColumnOrigin origin = mq.getColumnOrigin(rel, column);
    TableData table =
        origin == null || origin.isDerived()
            ? null
            : origin.getOriginTable().unwrap(TableData.class);
    return table == null ? -1 : table.statistics().rows();
  }
}
