package io.aragonite.bench.data;

import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.ValueRange;
import io.aragonite.exec.table.Table;
import io.aragonite.exec.type.DataType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Columns in host memory as a table that plans can scan.
 *
 * @param keys bounds of the first column, as a table that has been loaded knows them; null: unknown
 * @param sorted whether rows are known to be in the order of the first column
 */
public record BenchTable(
    String name,
    List<DataType> columnTypes,
    List<ColumnBatch> chunks,
    @Nullable ValueRange keys,
    boolean sorted)
    implements Table {
  public BenchTable(String name, List<DataType> columnTypes, List<ColumnBatch> chunks) {
    this(name, columnTypes, chunks, null, false);
  }

  @Override
  public boolean ascends(int column) {
    return sorted && column == 0;
  }

  @Override
  public ColumnShape shape(int column) {
    ColumnShape shape = ColumnShape.of(columnTypes.get(column));
    return column > 0 || keys == null
        ? shape
        : new ColumnShape(shape.type(), shape.storage(), shape.mayBeNull(), null, keys);
  }

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
        return columns.stream().map(BenchTable.this::shape).toList();
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
