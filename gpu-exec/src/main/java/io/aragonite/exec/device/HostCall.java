package io.aragonite.exec.device;

import io.aragonite.exec.column.Column;
import io.aragonite.exec.column.ColumnBatch;
import io.aragonite.exec.column.RowIds;
import io.aragonite.exec.memory.Allocator;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * One piece of a device's work done by its host: what it reads is copied into scratch memory of the
 * host, what it wrote is copied back. Closing it releases the scratch memory and books the bytes
 * that were moved to the plan node.
 */
final class HostCall implements AutoCloseable {
  /** Rows of a column's data to one row of its batch from which on gathering them first pays. */
  private static final int FEW = 4;

  private final ExecContext context;
  private final Transfers transfers;
  private final QueryMemory.Arena scratch;
  private final long mark;
  private long moved;

  HostCall(ExecContext context) {
    this.context = context;
    transfers = context.device().transfers();
    scratch = context.hostScratch();
    mark = scratch.mark();
  }

  /** The context for the host's primitives. */
  ExecContext host() {
    return context.onHost();
  }

  /** The host's primitives. */
  Primitives primitives() {
    return context.onHost().device().primitives();
  }

  /** Room on the host. */
  Buffer room(long bytes) {
    return scratch.allocate(bytes);
  }

  /** A copy of the first bytes of an input. */
  Buffer in(Buffer device, long bytes) {
    Buffer copy = scratch.allocate(bytes);
    if (bytes > 0) {
      transfers.toHost(context, device, copy.address(), bytes);
      moved += bytes;
    }
    return copy;
  }

  Column in(Column column) {
    Column copy = HostColumns.toHost(context, column, scratch);
    moved += HostColumns.bytes(column);
    return copy;
  }

  /**
   * A batch whose columns named in {@code wanted} are copies; the others are not to be read. Of
   * columns of which the batch has few rows only these are moved.
   */
  ColumnBatch in(ColumnBatch batch, BitSet wanted) {
    List<Column> some = new ArrayList<>();
    for (int i = wanted.nextSetBit(0); i >= 0; i = wanted.nextSetBit(i + 1)) {
      some.add(few(batch.column(i)));
    }
    ColumnBatch given = new ColumnBatch(some, batch.rows());
    List<Column> copies = HostColumns.toHost(context, given, scratch).columns();
    List<Column> columns = new ArrayList<>(batch.columns());
    int next = 0;
    for (int i = wanted.nextSetBit(0); i >= 0; i = wanted.nextSetBit(i + 1)) {
      moved += HostColumns.bytes(some.get(next));
      columns.set(i, copies.get(next++));
    }
    return new ColumnBatch(columns, batch.rows());
  }

  private Column few(Column column) {
    RowIds rowIds = column.rowIds();
    return rowIds == null || rowIds.count() > column.dataRows() / FEW
        ? column
        : context.device().primitives().materialize(context, column, context.scratch());
  }

  /** Copies the first bytes of an output back. */
  void back(Buffer host, Buffer device, long bytes) {
    if (bytes > 0) {
      transfers.toDevice(context, host.address(), device, bytes);
      moved += bytes;
    }
  }

  Column back(Column host, Allocator allocator) {
    moved += HostColumns.bytes(host);
    return HostColumns.toDevice(context, host, allocator);
  }

  @Override
  public void close() {
    scratch.release(mark);
    HostColumns.book(context, moved);
  }
}
