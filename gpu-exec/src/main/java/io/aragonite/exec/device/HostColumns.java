package io.aragonite.exec.device;

import io.aragonite.exec.memory.Allocator;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.RowIds;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Columns brought from a device's memory to the host's and back. Where the memory is shared columns
 * are passed through as they are. Indirections are kept, and columns that shared one still do; so
 * whoever wants few rows of large data materializes on the device first.
 */
public final class HostColumns {
  /** The figure that counts pieces of work done on the host. */
  static final String CALLS = "on host";

  /** The figure that counts bytes moved for them, both ways. */
  static final String BYTES = "on host, bytes moved";

  private HostColumns() {}

  /**
   * @param host where the copies live
   */
  public static Column toHost(ExecContext context, Column column, Allocator host) {
    if (shared(context)) {
      return column;
    }
    BatchedCopier copier = new BatchedCopier(context, host);
    Column copy = copy(column, copier);
    copier.run();
    return copy;
  }

  public static ColumnBatch toHost(ExecContext context, ColumnBatch batch, Allocator host) {
    if (shared(context)) {
      return batch;
    }
    BatchedCopier copier = new BatchedCopier(context, host);
    ColumnBatch copy = copy(batch, copier);
    copier.run();
    return copy;
  }

  /**
   * Rows on their way to the host or the device.
   *
   * @param rows as they will be when the ticket has been awaited
   */
  public record PendingCopy(ColumnBatch rows, CopyQueue.CopyTicket ticket) {}

  /**
   * As {@link #toHost}, beside the query's other work, on a device with memory of its own.
   *
   * @param batch to be left alone until the ticket has been awaited
   */
  public static PendingCopy startToHost(ExecContext context, ColumnBatch batch, Allocator host) {
    BatchedCopier copier = new BatchedCopier(context, host);
    ColumnBatch copy = copy(batch, copier);
    List<ColumnMemory.Copy> copies = new ArrayList<>();
    for (int i = 0; i < copier.from.size(); i++) {
      copies.add(new ColumnMemory.Copy(copier.to.get(i).address(), copier.from.get(i)));
    }
    return new PendingCopy(copy, context.copies().toHost(copies));
  }

  /** As {@link #startToHost}, the other way. */
  public static PendingCopy startToDevice(
      ExecContext context, ColumnBatch batch, Allocator device) {
    BatchedCopier copier = new BatchedCopier(context, device);
    ColumnBatch copy = copy(batch, copier);
    List<ColumnMemory.Copy> copies = new ArrayList<>();
    for (int i = 0; i < copier.from.size(); i++) {
      copies.add(new ColumnMemory.Copy(copier.from.get(i).address(), copier.to.get(i)));
    }
    return new PendingCopy(copy, context.copies().toDevice(copies));
  }

  /**
   * @param device where the copies live
   */
  public static Column toDevice(ExecContext context, Column column, Allocator device) {
    return shared(context) ? column : copy(column, new ToDevice(context, device));
  }

  /** The same of bytes. */
  public static Buffer toDevice(ExecContext context, Buffer buffer, Allocator device) {
    return shared(context) ? buffer : new ToDevice(context, device).copy(buffer);
  }

  public static ColumnBatch toDevice(ExecContext context, ColumnBatch batch, Allocator device) {
    return shared(context) ? batch : copy(batch, new ToDevice(context, device));
  }

  /**
   * A column that the host makes, of what it reads from a file for instance.
   *
   * @param device where the column is to live
   * @param maker makes it in memory that the host writes: that one itself, or scratch memory
   */
  public static Column fromHost(
      ExecContext context, Allocator device, Function<Allocator, Column> maker) {
    if (shared(context)) {
      return maker.apply(device);
    }
    QueryMemory.Arena scratch = context.hostScratch();
    long mark = scratch.mark();
    Column column = toDevice(context, maker.apply(scratch), device);
    scratch.release(mark);
    return column;
  }

  /**
   * Brings rows to the device for good: their buffers in the query's host memory are given up.
   *
   * @param device where the rows live then
   */
  public static ColumnBatch moveToDevice(ExecContext context, ColumnBatch rows, Allocator device) {
    ColumnBatch moved = toDevice(context, rows, device);
    freeCopy(context, rows);
    return moved;
  }

  /** Frees rows that {@link #toHost} has brought to the query's host memory, if it had to. */
  public static void freeCopy(ExecContext context, ColumnBatch rows) {
    if (!shared(context)) {
      rows.columns().forEach(column -> Batches.free(context.hostMemory(), column));
    }
  }

  /**
   * Books a piece of work that the host did for a device with memory of its own; nothing where it
   * is the device's own work.
   *
   * @param bytes moved for it, both ways
   */
  public static void book(ExecContext context, long bytes) {
    if (!shared(context)) {
      context.addFigure(CALLS, 1);
      context.addFigure(BYTES, bytes);
    }
  }

  /** Bytes of a column's buffers. */
  public static long bytes(Column column) {
    Buffer validity = column.validity();
    RowIds rowIds = column.rowIds();
    return column.values().size()
        + column.offsets().size()
        + (validity == null ? 0 : validity.size())
        + (rowIds == null ? 0 : 4L * rowIds.count());
  }

  /** Bytes of the buffers of a batch without indirections. */
  public static long bytes(ColumnBatch batch) {
    long bytes = 0;
    for (Column column : batch.columns()) {
      bytes += bytes(column);
    }
    return bytes;
  }

  /** Bytes of the buffers of batches without indirections. */
  public static long bytes(List<ColumnBatch> batches) {
    long bytes = 0;
    for (ColumnBatch batch : batches) {
      bytes += bytes(batch);
    }
    return bytes;
  }

  /** 32-bit numbers of the device's memory. */
  public static int[] ints(ExecContext context, Buffer buffer, int count) {
    QueryMemory.Arena scratch = context.hostScratch();
    long mark = scratch.mark();
    Buffer host = shared(context) ? buffer : scratch.allocate(4L * count);
    if (!shared(context)) {
      context.device().transfers().toHost(context, buffer, host.address(), 4L * count);
    }
    int[] values = new int[count];
    for (int i = 0; i < count; i++) {
      values[i] = Mem.getInt(host.address() + 4L * i);
    }
    scratch.release(mark);
    return values;
  }

  private static boolean shared(ExecContext context) {
    return context.device().traits().hostMemory();
  }

  private static ColumnBatch copy(ColumnBatch batch, ColumnCopier copier) {
    List<Column> columns = new ArrayList<>();
    for (Column column : batch.columns()) {
      columns.add(copy(column, copier));
    }
    return new ColumnBatch(columns, batch.rows());
  }

  private static Column copy(Column column, ColumnCopier copier) {
    Buffer validity = column.validity();
    return new Column(
        column.shape(),
        column.dataRows(),
        copier.copy(column.values()),
        copier.copy(column.offsets()),
        validity == null ? null : copier.copyBits(validity, column.dataRows()),
        copier.copy(column.rowIds()));
  }

  /** Copies one way, an indirection once. */
  abstract static class ColumnCopier {
    private final Map<RowIds, RowIds> copies = new IdentityHashMap<>();

    abstract Buffer copy(Buffer buffer);

    /** As copy, of a bit a row; what is behind the last row's byte need not be copied. */
    Buffer copyBits(Buffer buffer, int rows) {
      return copy(buffer);
    }

    @Nullable RowIds copy(@Nullable RowIds rowIds) {
      if (rowIds == null) {
        return null;
      }
      RowIds known = copies.get(rowIds);
      if (known == null) {
        Buffer ids = copy(rowIds.ids().slice(0, 4L * rowIds.count()));
        known = new RowIds(ids, rowIds.count(), rowIds.mayBeNull());
        copies.put(rowIds, known);
      }
      return known;
    }
  }

  /** Makes room at once, and copies all pieces together. */
  private static final class BatchedCopier extends ColumnCopier {
    private final ExecContext context;
    private final Allocator other;
    private final List<Buffer> from = new ArrayList<>();
    private final List<Buffer> to = new ArrayList<>();

    BatchedCopier(ExecContext context, Allocator other) {
      this.context = context;
      this.other = other;
    }

    @Override
    Buffer copy(Buffer buffer) {
      return copy(buffer, buffer.size());
    }

    @Override
    Buffer copyBits(Buffer buffer, int rows) {
      // Kernels write validity in words of 32 rows: the last 64 rows' word may be half written.
      return copy(buffer, Math.min(buffer.size(), (rows + 7L) / 8));
    }

    private Buffer copy(Buffer buffer, long bytes) {
      if (buffer.address() == 0) {
        return buffer;
      }
      Buffer copy = other.allocate(buffer.size());
      if (bytes > 0) {
        from.add(buffer.slice(0, bytes));
        to.add(copy.slice(0, bytes));
      }
      return copy;
    }

    void run() {
      context.device().transfers().toHost(context, from, to);
    }
  }

  private static final class ToDevice extends ColumnCopier {
    private final ExecContext context;
    private final Allocator device;

    ToDevice(ExecContext context, Allocator device) {
      this.context = context;
      this.device = device;
    }

    @Override
    Buffer copy(Buffer buffer) {
      if (buffer.address() == 0) {
        return buffer;
      }
      Buffer copy = device.allocate(buffer.size());
      if (buffer.size() > 0) {
        context.device().transfers().toDevice(context, buffer.address(), copy, buffer.size());
      }
      return copy;
    }
  }
}
