package io.aragonite.exec.column;

import java.util.List;

/**
 * Rows in columns, the unit that operators pass on.
 *
 * @param columns each of {@code rows} rows
 * @param rows the number of rows; it counts also when there are no columns
 */
public record ColumnBatch(List<Column> columns, int rows) {
  public ColumnBatch {
    columns = List.copyOf(columns);
    for (Column column : columns) {
      assert column.rows() == rows : column.rows() + " rows in a batch of " + rows;
    }
  }

  public Column column(int index) {
    return columns.get(index);
  }

  public List<ColumnShape> shapes() {
    return columns.stream().map(Column::shape).toList();
  }
}
