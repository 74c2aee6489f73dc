package io.aragonite.exec.spill;

import io.aragonite.exec.device.Batches;
import io.aragonite.exec.device.CopyQueue;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.HostColumns;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Allocator;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.spill.file.SpillFile;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A block with memory of its own. Whoever is short of memory only tries the lock: who holds it may
 * be asking for memory himself.
 */
final class SpillableBlock implements RowBlock, Spillable {
  /** A column's buffers in a file. */
  private record StoredColumn(
      SpillFile.Extent values,
      SpillFile.Extent offsets,
      SpillFile.@Nullable Extent validity,
      ColumnShape shape) {}

  private final SpillableRowCollection collection;
  private final int rows;
  private final long bytes;
  private final ReentrantLock lock = new ReentrantLock();

  /** In the device's memory; columns that have been taken away are null. */
  private volatile @Nullable List<@Nullable Column> onDevice;

  /** In host memory that is not the device's. */
  private volatile @Nullable List<Column> onHost;

  private volatile @Nullable List<StoredColumn> onDisk;

  /** The rows in the device's memory on their way to the host's; counts as a use. */
  private volatile HostColumns.@Nullable PendingCopy leaving;

  /** A copy of the rows in the host's memory, on its way to the device's or there. */
  private volatile @Nullable Prefetch arrival;

  /**
   * Rows that were asked for before they are wanted.
   *
   * @param columns null where they have been freed
   */
  private record Prefetch(List<@Nullable Column> columns, CopyQueue.CopyTicket ticket) {}

  private volatile int users;

  SpillableBlock(SpillableRowCollection collection, ColumnBatch batch) {
    this.collection = collection;
    this.rows = batch.rows();
    this.bytes = HostColumns.bytes(batch);
    this.onDevice = new ArrayList<>(batch.columns());
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
  public long bytes() {
    return bytes;
  }

  @Override
  public boolean resident() {
    return onDevice != null;
  }

  /** Bytes of host memory that could be given up. */
  long onHostBytes(boolean shared) {
    return (shared ? onDevice != null : onHost != null) && users == 0 ? bytes : 0;
  }

  /** Bytes of the device's memory that could be given up. */
  long onDeviceBytes() {
    int others = leaving == null ? users : users - 1;
    return others == 0 && (onDevice != null || arrival != null) ? bytes : 0;
  }

  @Override
  public boolean startLeaving(ExecContext context) {
    if (!lock.tryLock()) {
      return false;
    }
    List<Buffer> own = new ArrayList<>();
    boolean using = false;
    boolean started = false;
    try {
      List<@Nullable Column> device = onDevice;
      if (users > 0 || device == null || device.contains(null)) {
        return false;
      }
      List<Column> columns = new ArrayList<>();
      device.forEach(column -> columns.add(Objects.requireNonNull(column)));
      users++;
      using = true;
      leaving =
          HostColumns.startToHost(
              context,
              new ColumnBatch(columns, rows),
              size -> {
                Buffer buffer = collection.leavingTo().allocate(size);
                own.add(buffer);
                return buffer;
              });
      started = true;
      return true;
    } catch (AragoniteException e) {
      if (e.code() != ErrorCode.MEMORY_EXCEEDED && e.code() != ErrorCode.DISK_FAILED) {
        throw e;
      }
      // Whoever has to have the memory says so when it comes to that.
      return false;
    } finally {
      if (using && !started) {
        users--;
        own.forEach(collection.hostMemory()::free);
      }
      lock.unlock();
    }
  }

  @Override
  public boolean endLeaving(boolean wait) {
    if (!lock.tryLock()) {
      return false;
    }
    try {
      HostColumns.PendingCopy moving = leaving;
      if (moving == null) {
        return true;
      }
      if (!wait && !moving.ticket().ended()) {
        return false;
      }
      moving.ticket().await();
      leaving = null;
      users--;
      List<@Nullable Column> device = onDevice;
      onHost = moving.rows().columns();
      onDevice = null;
      freeAll(device);
      collection.noteMoved(bytes);
      return true;
    } finally {
      lock.unlock();
    }
  }

  private void freeAll(@Nullable List<@Nullable Column> columns) {
    if (columns != null) {
      for (Column column : columns) {
        if (column != null) {
          Batches.free(collection.memory(), column);
        }
      }
    }
  }

  /** Has rows that are leaving stay on the device; the lock is held. */
  private void stay() {
    HostColumns.PendingCopy moving = leaving;
    if (moving != null) {
      moving.ticket().await();
      leaving = null;
      users--;
      moving.rows().columns().forEach(column -> Batches.free(collection.hostMemory(), column));
    }
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
      freeAll(copy.columns);
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
    if (context.device().traits().hostMemory()) {
      return read(stored, to);
    }
    QueryMemory.Arena scratch = context.hostScratch();
    long mark = scratch.mark();
    Column column = HostColumns.toDevice(context, read(stored, scratch), to);
    scratch.release(mark);
    return column;
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
      List<@Nullable Column> device = onDevice;
      if (device == null || users > 0) {
        return null;
      }
      List<Column> columns = new ArrayList<>();
      for (Column column : device) {
        columns.add(Objects.requireNonNull(column));
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
      List<Column> columns = new ArrayList<>();
      // What is on its way from here is wanted soon.
      if (users > 0 || arrival != null) {
        return 0;
      }
      List<? extends @Nullable Column> from = shared ? onDevice : onHost;
      if (from == null) {
        return 0;
      }
      for (Column column : from) {
        if (column == null) {
          return 0;
        }
        columns.add(column);
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
      onDevice = null;
      onHost = null;
      QueryMemory memory = shared ? collection.memory() : collection.hostMemory();
      columns.forEach(column -> Batches.free(memory, column));
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
      List<@Nullable Column> device = onDevice;
      if (users == 0 && arrival != null) {
        dropArrival();
        return bytes;
      }
      if (users > 0 || device == null) {
        return 0;
      }
      List<Column> columns = new ArrayList<>();
      for (Column column : device) {
        if (column == null) {
          return 0;
        }
        columns.add(column);
      }
      // What is copied may make other blocks leave the host's memory, but not this one.
      users++;
      try {
        ColumnBatch copy =
            HostColumns.toHost(context, new ColumnBatch(columns, rows), collection.leavingTo());
        onHost = copy.columns();
      } finally {
        users--;
      }
      onDevice = null;
      columns.forEach(column -> Batches.free(collection.memory(), column));
      collection.noteMoved(bytes);
      return bytes;
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
      freeAll(onDevice);
      List<Column> host = onHost;
      if (host != null) {
        host.forEach(column -> Batches.free(collection.hostMemory(), column));
      }
      onDevice = null;
      onHost = null;
      onDisk = null;
    } finally {
      lock.unlock();
    }
  }
}
