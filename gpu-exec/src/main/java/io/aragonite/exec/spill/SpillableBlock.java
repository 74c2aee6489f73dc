package io.aragonite.exec.spill;

import io.aragonite.exec.device.Batches;
import io.aragonite.exec.device.CopyQueue;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.HostColumns;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Allocator;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.spill.file.SpillFile;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A block with memory of its own. */
final class SpillableBlock extends Spillable implements RowBlock {
  /** A column's buffers in a file. */
  private record StoredColumn(
      SpillFile.Extent values,
      SpillFile.Extent offsets,
      SpillFile.@Nullable Extent validity,
      ColumnShape shape) {}

  private final SpillableRowCollection collection;
  private volatile @Nullable List<StoredColumn> onDisk;

  /** A copy of the rows in the host's memory, on its way to the device's or there. */
  private volatile @Nullable Prefetch arrival;

  /**
   * Rows that were asked for before they are wanted.
   *
   * @param columns null where they have been freed
   */
  private record Prefetch(List<@Nullable Column> columns, CopyQueue.CopyTicket ticket) {}

  SpillableBlock(SpillableRowCollection collection, ColumnBatch batch) {
    super(collection.query(), batch, false);
    this.collection = collection;
  }

  @Override
  public int columns() {
    return collection.shapes().size();
  }

  @Override
  public int rows() {
    return rows;
  }

  @Override
  public long turn() {
    return collection.turn();
  }

  @Override
  void noteMoved() {
    collection.noteMoved(bytes);
  }

  /** Bytes of host memory that could be given up. */
  long onHostBytes(boolean shared) {
    return (shared ? onDevice != null : onHost != null) && users == 0 ? bytes : 0;
  }

  /** Bytes of the device's memory that could be given up. */
  long onDeviceBytes() {
    return users == 0 && (onDevice != null || arrival != null) ? bytes : 0;
  }

  @Override
  public void prefetch(ExecContext context) {
    if (!lock.tryLock()) {
      return;
    }
    List<Buffer> own = new ArrayList<>();
    boolean copying = false;
    try {
      List<Column> host = onHost;
      if (users > 0 || host == null || arrival != null) {
        return;
      }
      users++;
      try {
        HostColumns.PendingCopy moving =
            HostColumns.startToDevice(
                context,
                new ColumnBatch(host, rows),
                size -> {
                  Buffer buffer = collection.memory().allocate(size);
                  own.add(buffer);
                  return buffer;
                });
        copying = true;
        arrival = new Prefetch(new ArrayList<>(moving.rows().columns()), moving.ticket());
      } finally {
        users--;
      }
    } catch (AragoniteException e) {
      if (e.code() != ErrorCode.MEMORY_EXCEEDED) {
        throw e;
      }
      // They come when they are wanted.
    } finally {
      if (!copying) {
        own.forEach(collection.memory()::free);
      }
      lock.unlock();
    }
  }

  /** Frees what came before it was wanted; the lock is held. */
  private void dropArrival() {
    Prefetch copy = arrival;
    if (copy != null) {
      copy.ticket.await();
      copy.ticket.order();
      arrival = null;
      free(query.memory(), copy.columns);
    }
  }

  @Override
  public void release() {
    lock.lock();
    try {
      users--;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void use() {
    lock.lock();
    try {
      stay();
      users++;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public Column column(ExecContext context, int index, Allocator to) {
    List<@Nullable Column> device = onDevice;
    if (device != null) {
      Column column = device.get(index);
      if (column == null) {
        throw new IllegalStateException("a column of a block was taken before");
      }
      return column;
    }
    Prefetch copy = arrival;
    if (copy != null) {
      copy.ticket.order();
      return Objects.requireNonNull(copy.columns.get(index));
    }
    List<Column> host = onHost;
    if (host != null) {
      return HostColumns.toDevice(context, host.get(index), to);
    }
    List<StoredColumn> disk = onDisk;
    if (disk == null) {
      throw new IllegalStateException("a block was used after it was freed");
    }
    StoredColumn stored = disk.get(index);
    return HostColumns.fromHost(context, to, place -> read(stored, place));
  }

  private Column read(StoredColumn stored, Allocator to) {
    SpillFile.Extent validity = stored.validity;
    return new Column(
        stored.shape,
        rows,
        read(stored.values, to),
        read(stored.offsets, to),
        validity == null ? null : read(validity, to),
        null);
  }

  private Buffer read(SpillFile.Extent extent, Allocator to) {
    if (extent.bytes() == 0) {
      return Buffer.EMPTY;
    }
    Buffer buffer = to.allocate(extent.bytes());
    collection.file().read(extent, buffer.address());
    collection.noteRead(extent.bytes());
    return buffer;
  }

  @Override
  public long textBytes(int index) {
    List<@Nullable Column> device = onDevice;
    List<Column> host = onHost;
    List<StoredColumn> disk = onDisk;
    if (collection.shapes().get(index).storage() != Storage.BYTES) {
      return 0;
    }
    if (device != null) {
      Column column = device.get(index);
      return column == null ? 0 : column.values().size();
    }
    if (host != null) {
      return host.get(index).values().size();
    }
    return disk == null ? 0 : disk.get(index).values.bytes();
  }

  @Override
  public @Nullable ColumnBatch take() {
    lock.lock();
    try {
      stay();
      List<Column> columns = allOnDevice();
      if (columns == null || users > 0) {
        return null;
      }
      onDevice = null;
      return new ColumnBatch(columns, rows);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void drop(int index) {
    Prefetch copy = arrival;
    List<@Nullable Column> device = copy == null ? onDevice : copy.columns;
    Column column = device == null ? null : device.get(index);
    if (device != null && column != null) {
      device.set(index, null);
      Batches.free(collection.memory(), column);
    }
  }

  @Override
  public long evict(boolean shared) {
    if (!lock.tryLock()) {
      return 0;
    }
    try {
      List<Column> columns = shared ? allOnDevice() : onHost;
      // What is on its way from here is wanted soon.
      if (users > 0 || arrival != null || columns == null) {
        return 0;
      }
      SpillFile file = collection.file();
      List<StoredColumn> stored = new ArrayList<>();
      for (Column column : columns) {
        Buffer validity = column.validity();
        stored.add(
            new StoredColumn(
                file.write(column.values()),
                file.write(column.offsets()),
                validity == null ? null : file.write(validity),
                column.shape()));
      }
      onDisk = stored;
      freeOnDevice();
      freeOnHost();
      collection.noteWritten(bytes);
      return bytes;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public long leaveDevice(ExecContext context) {
    if (!lock.tryLock()) {
      return 0;
    }
    try {
      if (users == 0 && arrival != null) {
        dropArrival();
        return bytes;
      }
      return super.leaveDevice(context);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void free() {
    lock.lock();
    try {
      stay();
      dropArrival();
      freeOnDevice();
      freeOnHost();
      onDisk = null;
    } finally {
      lock.unlock();
    }
  }
}
