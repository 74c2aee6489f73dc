package io.aragonite.rules.metadata;

import java.util.List;

/**
 * What is known of a table.
 *
 * @param rows how many rows
 * @param columns one a column, in the table's order; empty if nothing is known of columns. The list
 *     may find a column's figures only when they are asked for; it is not copied.
 * @param doubt why the figures may not be those of the data, for people; empty if there is no
 *     reason
 */
public record TableStatistics(double rows, List<ColumnStatistics> columns, String doubt) {
  /** Without doubt. */
  public TableStatistics(double rows, List<ColumnStatistics> columns) {
    this(rows, columns, "");
  }

  public ColumnStatistics column(int index) {
    return index < columns.size() ? columns.get(index) : ColumnStatistics.UNKNOWN;
  }
}
