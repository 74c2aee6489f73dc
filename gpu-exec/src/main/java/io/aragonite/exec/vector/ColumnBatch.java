package io.aragonite.exec.vector;

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
    ColumnShape[] shapes = new ColumnShape[columns.size()];
    for (int i = 0; i < shapes.length; i++) {
      shapes[i] = columns.get(i).shape();
    }
    return List.of(shapes);
  }

  /** Rows of several batches. */
  public static long rows(List<ColumnBatch> batches) {
    long rows = 0;
    for (ColumnBatch batch : batches) {
      rows += batch.rows();
    }
    return rows;
  }
}
