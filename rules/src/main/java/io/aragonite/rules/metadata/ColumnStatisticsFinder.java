package io.aragonite.rules.metadata;

import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.metadata.RelColumnOrigin;
import org.apache.calcite.rel.metadata.RelMetadataQuery;

/** Finds the statistics of the table column that a column of a plan comes from. */
final class ColumnStatisticsFinder {
  private ColumnStatisticsFinder() {}

  /** The statistics, {@link ColumnStatistics#UNKNOWN} for a computed column. */
  static ColumnStatistics find(RelNode rel, RelMetadataQuery mq, int column) {
    RelColumnOrigin origin = mq.getColumnOrigin(rel, column);
    if (origin == null || origin.isDerived()) {
      return ColumnStatistics.UNKNOWN;
    }
    TableData table = origin.getOriginTable().unwrap(TableData.class);
    return table == null
        ? ColumnStatistics.UNKNOWN
        : table.statistics().column(origin.getOriginColumnOrdinal());
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
