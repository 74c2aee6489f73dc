package io.aragonite.exec.device;

import io.aragonite.exec.memory.Allocator;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.function.Function;
import java.util.function.ObjIntConsumer;

/**
 * One piece of a device's work done by its host: what it reads is copied into scratch memory of the
 * host, what it wrote is copied back. Closing it releases the scratch memory and books the bytes
 * that were moved to the plan node. Where the device's memory is the host's nothing is copied or
 * booked: the work is done in place.
 */
public final class StagedCall implements AutoCloseable {
  private final ExecContext context;
  private final boolean inPlace;
  private final Transfers transfers;
  private final QueryMemory.Arena scratch;
  private final long mark;
  private long moved;

  public StagedCall(ExecContext context) {
    this.context = context;
    inPlace = context.device().traits().hostMemory();
    transfers = context.device().transfers();
    scratch = context.hostScratch();
    mark = scratch.mark();
  }

  /** The context for the host's primitives. */
  public ExecContext host() {
    return context.onHost();
  }

  /** Room on the host. */
  Buffer room(long bytes) {
    return scratch.allocate(bytes);
  }

  /** The first bytes of an input. */
  public Buffer in(Buffer device, long bytes) {
    if (inPlace) {
      return device;
    }
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

  /** A batch whose columns are to be read. */
  public ColumnBatch in(ColumnBatch batch) {
    ColumnBatch copy = HostColumns.toHost(context, batch, scratch);
    moved += HostColumns.bytes(batch);
    return copy;
  }

  /**
   * Copies the rows of the columns named in {@code wanted} and hands them out in pieces of the
   * host's batch size, each with the number of its first row. The other columns are not to be read.
   */
  void pieces(ColumnBatch batch, BitSet wanted, ObjIntConsumer<ColumnBatch> work) {
    Column[] copies = new Column[batch.columns().size()];
    QueryMemory.Arena device = context.scratch();
    for (int i = wanted.nextSetBit(0); i >= 0; i = wanted.nextSetBit(i + 1)) {
      long before = device.mark();
      Column column = batch.column(i);
      // Rather a gather there than all the data behind an indirection here.
      copies[i] =
          in(
              column.rowIds() == null
                  ? column
                  : context.gather().materialize(context, column, device));
      device.release(before);
    }
    int size = host().device().properties().batchRows();
    int from = 0;
    do {
      context.checkCancelled();
      int rows = Math.min(size, batch.rows() - from);
      List<Column> columns = new ArrayList<>();
      for (int i = 0; i < copies.length; i++) {
        columns.add(
            copies[i] == null
                ? new Column(batch.column(i).shape(), rows, Buffer.EMPTY, Buffer.EMPTY, null, null)
                : copies[i].slice(from, rows));
      }
      long before = scratch.mark();
      work.accept(new ColumnBatch(columns, rows), from);
      scratch.release(before);
      from += rows;
    } while (from < batch.rows());
  }

  /** Copies the first bytes of an output back. */
  public void back(Buffer host, Buffer device, long bytes) {
    if (bytes > 0 && !inPlace) {
      transfers.toDevice(context, host.address(), device, bytes);
      moved += bytes;
    }
  }

  Column back(Column host, Allocator allocator) {
    moved += HostColumns.bytes(host);
    return HostColumns.toDevice(context, host, allocator);
  }

  /**
   * A column that the host makes.
   *
   * @param allocator where the device has it
   * @param maker makes it in memory that the host writes
   */
  public Column make(Allocator allocator, Function<Allocator, Column> maker) {
    return inPlace ? maker.apply(allocator) : back(maker.apply(scratch), allocator);
  }

  @Override
  public void close() {
    if (!inPlace) {
      scratch.release(mark);
      HostColumns.book(context, moved);
    }
  }
}
