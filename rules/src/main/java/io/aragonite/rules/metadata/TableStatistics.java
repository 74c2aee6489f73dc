package io.aragonite.rules.metadata;

import java.util.List;

/**
 * What is known of a table.
 *
 * @param rows how many rows
 * @param columns one a column, in the table's order; empty if nothing is known of columns. The list
 *     may find a column's figures only when they are asked for; it is not copied.
 */
public record TableStatistics(double rows, List<ColumnStatistics> columns) {
  public ColumnStatistics column(int index) {
    return index < columns.size() ? columns.get(index) : ColumnStatistics.UNKNOWN;
  }
}
