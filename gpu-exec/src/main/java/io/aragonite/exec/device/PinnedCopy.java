package io.aragonite.exec.device;

import io.aragonite.exec.memory.MemoryScope;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.table.Table;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.List;

/** A table's columns copied to a device for one query; freed with the query's memory. */
final class PinnedCopy implements Table.Pin {
  private final List<ColumnShape> shapes;
  private final List<ColumnBatch> chunks;
  private final MemoryScope scope;

  private PinnedCopy(List<ColumnShape> shapes, List<ColumnBatch> chunks, MemoryScope scope) {
    this.scope = scope;
    this.shapes = shapes;
    this.chunks = chunks;
  }

  static PinnedCopy of(ExecContext context, Table table, List<Integer> columns) {
    QueryMemory memory = context.memory();
    List<ColumnBatch> chunks = new ArrayList<>();
    MemoryScope scope = memory.scope();
    boolean done = false;
    try (Table.Pin pin = table.pin(columns)) {
      List<ColumnShape> shapes = pin.shapes().stream().map(ColumnNarrowing::shape).toList();
      for (ColumnBatch chunk : pin.chunks()) {
        context.checkCancelled();
        chunks.add(narrowed(context, HostColumns.toDevice(context, chunk, memory), shapes));
      }
      scope.end();
      done = true;
      return new PinnedCopy(shapes, chunks, scope);
    } finally {
      if (!done) {
        scope.close();
      }
    }
  }

  private static ColumnBatch narrowed(
      ExecContext context, ColumnBatch batch, List<ColumnShape> shapes) {
    List<Column> columns = new ArrayList<>();
    for (int i = 0; i < shapes.size(); i++) {
      Column column = batch.column(i);
      Column narrowed =
          ColumnNarrowing.narrowed(context, column, shapes.get(i), context.memory()::allocate);
      columns.add(narrowed);
      if (!narrowed.values().equals(column.values())) {
        context.memory().free(column.values());
      }
    }
    return new ColumnBatch(columns, batch.rows());
  }

  @Override
  public List<ColumnShape> shapes() {
    return shapes;
  }

  @Override
  public List<ColumnBatch> chunks() {
    return chunks;
  }

  @Override
  public void close() {
    scope.close();
  }
}
