package io.aragonite.rules.metadata;

import java.util.List;

/**
 * What is known of a table.
 *
 * @param rows how many rows
 * @param columns one a column, in the table's order; empty if nothing is known of columns
 */
public record TableStatistics(double rows, List<ColumnStatistics> columns) {
  public TableStatistics {
    columns = List.copyOf(columns);
  }

  public ColumnStatistics column(int index) {
    return index < columns.size() ? columns.get(index) : ColumnStatistics.UNKNOWN;
  }
}
