package io.aragonite.exec.device;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.limit.StopCheck;
import java.util.function.BooleanSupplier;

/**
 * How many bytes a {@link ReadAhead} has made ready that its query has not taken. Its lock guards
 * the columns as well.
 */
final class ReadAheadRoom {
  /** How often who waits looks whether the query is to end. */
  private static final long POLL_MILLIS = 20;

  private final long mostBytes;
  private long bytes;
  private boolean closed;

  ReadAheadRoom(long mostBytes) {
    this.mostBytes = mostBytes;
  }

  /** Waits until there is room for more; false once nobody wants more. */
  synchronized boolean await() {
    await(() -> closed || !full());
    return !closed;
  }

  /** Under the lock. */
  boolean full() {
    return bytes >= mostBytes;
  }

  /** Under the lock: bytes that there is room for. */
  long left() {
    return mostBytes - bytes;
  }

  /** Whether a column is small enough to be made ready whole. */
  boolean holds(long columnBytes) {
    return columnBytes >= 0 && columnBytes <= mostBytes;
  }

  /** Under the lock: more or less is ready. */
  void add(long more) {
    bytes += more;
    notifyAll();
  }

  synchronized boolean closed() {
    return closed;
  }

  synchronized void close() {
    closed = true;
    notifyAll();
  }

  /** Under the lock: waits for something that whoever brings it about tells. */
  void await(BooleanSupplier come) {
    while (!come.getAsBoolean()) {
      StopCheck.current().check();
      try {
        wait(POLL_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new AragoniteException(
            ErrorCode.CANCELLED, "The query was cancelled: its thread was interrupted.", e);
      }
    }
  }
}
