package io.aragonite.exec.bench;

import io.aragonite.exec.column.ColumnBatch;
import io.aragonite.exec.column.ColumnShape;
import io.aragonite.exec.table.Table;
import io.aragonite.exec.type.DataType;
import java.util.List;

/** Columns in host memory as a table that plans can scan. */
record HostTable(String name, List<DataType> columnTypes, List<ColumnBatch> chunks)
    implements Table {
  @Override
  public List<String> columnNames() {
    return columnTypes.stream().map(type -> "c").toList();
  }

  @Override
  public long rows() {
    return chunks.stream().mapToLong(ColumnBatch::rows).sum();
  }

  @Override
  public Pin pin(List<Integer> columns) {
    List<ColumnBatch> pinned =
        chunks.stream()
            .map(c -> new ColumnBatch(columns.stream().map(c::column).toList(), c.rows()))
            .toList();
    return new Pin() {
      @Override
      public List<ColumnShape> shapes() {
        return columns.stream().map(column -> ColumnShape.of(columnTypes.get(column))).toList();
      }

      @Override
      public List<ColumnBatch> chunks() {
        return pinned;
      }

      @Override
      public void close() {}
    };
  }
}
