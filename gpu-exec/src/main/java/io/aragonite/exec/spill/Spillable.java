package io.aragonite.exec.spill;

import io.aragonite.exec.device.Batches;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.HostColumns;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Rows that leave a device's memory together: they are there, on their way to the host's memory, or
 * in that. Whoever is short of memory only tries the lock: its holder may be asking for memory
 * itself. Subclasses say what else there is, a file or a copy that was fetched ahead.
 */
abstract class Spillable {
  final QuerySpill query;
  final int rows;
  final long bytes;
  final ReentrantLock lock = new ReentrantLock();

  /** In the device's memory; columns that have been taken away are null. */
  volatile @Nullable List<@Nullable Column> onDevice;

  /** In host memory that is not the device's. */
  volatile @Nullable List<Column> onHost;

  /** While this is not 0 the rows stay where they are. */
  volatile int users;

  /** The rows on their way from the device's memory to the host's. */
  private HostColumns.@Nullable PendingCopy leaving;

  /**
   * @param batch whose buffers are this object's from now on
   * @param inHost whether they are in host memory that is not the device's
   */
  Spillable(QuerySpill query, ColumnBatch batch, boolean inHost) {
    this.query = query;
    this.rows = batch.rows();
    this.bytes = HostColumns.bytes(batch);
    if (inHost) {
      this.onHost = batch.columns();
    } else {
      this.onDevice = new ArrayList<>(batch.columns());
    }
  }

  /** See {@link SpillableRowCollection#turn}. */
  abstract long turn();

  /** Notes for the metrics that rows have come to the host's memory. */
  abstract void noteMoved();

  /** Bytes of the rows, wherever they are. */
  public long bytes() {
    return bytes;
  }

  /** Whether the rows are in the device's memory. */
  public boolean resident() {
    return onDevice != null;
  }

  /** The columns in the device's memory; null if they are not there, or not all of them. */
  final @Nullable List<Column> allOnDevice() {
    List<@Nullable Column> device = onDevice;
    if (device == null) {
      return null;
    }
    List<Column> columns = new ArrayList<>();
    for (Column column : device) {
      if (column == null) {
        return null;
      }
      columns.add(column);
    }
    return columns;
  }

  /**
   * Begins to move the rows from the device to the host, beside the query's work, if nobody uses
   * them; called by the query's thread.
   */
  final boolean startLeaving(ExecContext context) {
    if (!lock.tryLock()) {
      return false;
    }
    List<Buffer> own = new ArrayList<>();
    try {
      List<Column> columns = allOnDevice();
      if (users > 0 || columns == null || leaving != null) {
        return false;
      }
      leaving =
          HostColumns.startToHost(
              context,
              new ColumnBatch(columns, rows),
              size -> {
                Buffer buffer = query.leavingTo().allocate(size);
                own.add(buffer);
                return buffer;
              });
      return true;
    } catch (AragoniteException e) {
      if (e.code() != ErrorCode.MEMORY_EXCEEDED && e.code() != ErrorCode.DISK_FAILED) {
        throw e;
      }
      // Whoever has to have the memory says so when it comes to that.
      return false;
    } finally {
      if (leaving == null) {
        own.forEach(query.hostMemory()::free);
      }
      lock.unlock();
    }
  }

  /**
   * Frees the device's memory when the rows have come to the host.
   *
   * @param wait whether to wait for that
   * @return whether the rows are not leaving any more
   */
  final boolean endLeaving(boolean wait) {
    if (!lock.tryLock()) {
      return false;
    }
    try {
      HostColumns.PendingCopy moving = leaving;
      if (moving != null && !wait && !moving.ticket().ended()) {
        return false;
      }
      arrive();
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Waits for rows that are leaving; the lock is held. */
  final void arrive() {
    HostColumns.PendingCopy moving = leaving;
    if (moving != null) {
      moving.ticket().await();
      leaving = null;
      onHost = moving.rows().columns();
      freeOnDevice();
      noteMoved();
    }
  }

  /** Has rows that are leaving stay on the device; the lock is held. */
  final void stay() {
    HostColumns.PendingCopy moving = leaving;
    if (moving != null) {
      moving.ticket().await();
      leaving = null;
      moving.rows().columns().forEach(column -> Batches.free(query.hostMemory(), column));
    }
  }

  /** See {@link RowBlock#leaveDevice}. */
  public long leaveDevice(ExecContext context) {
    if (!lock.tryLock()) {
      return 0;
    }
    try {
      List<Column> columns = allOnDevice();
      if (users > 0 || columns == null) {
        return 0;
      }
      if (leaving != null) {
        arrive();
        return bytes;
      }
      // What is copied may make other blocks leave the host's memory, but not this one.
      users++;
      try {
        ColumnBatch all = new ColumnBatch(columns, rows);
        onHost = HostColumns.toHost(context, all, query.leavingTo()).columns();
      } finally {
        users--;
      }
      freeOnDevice();
      noteMoved();
      return bytes;
    } finally {
      lock.unlock();
    }
  }

  final void freeOnDevice() {
    List<@Nullable Column> device = onDevice;
    onDevice = null;
    free(query.memory(), device);
  }

  final void freeOnHost() {
    List<Column> host = onHost;
    onHost = null;
    free(query.hostMemory(), host);
  }

  static void free(QueryMemory memory, @Nullable List<? extends @Nullable Column> columns) {
    if (columns != null) {
      for (Column column : columns) {
        if (column != null) {
          Batches.free(memory, column);
        }
      }
    }
  }
}
