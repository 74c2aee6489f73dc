package io.aragonite.exec.operator;

import io.aragonite.exec.codegen.ColumnWriter;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.table.RowSource;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.HostObjects;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Turns rows that the host hands over into columns in host memory. */
public final class HostRowReader {
  /** Rows of a chunk; the boxed values of as many are on the Java heap at a time. */
  private static final int CHUNK = 1 << 16;

  private static final int ROWS_BETWEEN_CHECKS = 1 << 10;

  private final List<ColumnShape> shapes;
  private final QueryMemory memory;
  private final HostObjects hostObjects;

  /**
   * @param shapes of the columns, of any storage but CODE
   */
  public HostRowReader(List<ColumnShape> shapes, QueryMemory memory, HostObjects hostObjects) {
    this.shapes = shapes;
    this.memory = memory;
    this.hostObjects = hostObjects;
  }

  /**
   * Reads all rows; every chunk but the last has a multiple of 64 rows.
   *
   * @param consumer takes chunks with their memory, in the rows' order
   */
  public void read(
      ExecContext context,
      RowSource source,
      List<Integer> columns,
      Consumer<ColumnBatch> consumer) {
    List<@Nullable Object[]> rows = new ArrayList<>();
    try (RowSource.RowReader input = source.open(columns)) {
      for (@Nullable Object[] row = input.next(); row != null; row = input.next()) {
        rows.add(row);
        if (rows.size() % ROWS_BETWEEN_CHECKS == 0) {
          context.checkCancelled();
        }
        if (rows.size() == CHUNK) {
          consumer.accept(columns(rows));
          rows.clear();
        }
      }
    }
    if (!rows.isEmpty()) {
      consumer.accept(columns(rows));
    }
  }

  private ColumnBatch columns(List<@Nullable Object[]> rows) {
    List<Column> columns = new ArrayList<>();
    for (int i = 0; i < shapes.size(); i++) {
      ColumnWriter writer = new ColumnWriter(shapes.get(i), rows.size(), memory, hostObjects);
      for (@Nullable Object[] row : rows) {
        writer.add(row[i]);
      }
      columns.add(writer.finish());
    }
    return new ColumnBatch(columns, rows.size());
  }
}
