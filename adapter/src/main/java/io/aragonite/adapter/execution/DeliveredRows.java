package io.aragonite.adapter.execution;

import io.aragonite.adapter.options.Units;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import org.jspecify.annotations.Nullable;

/** How many rows a run has handed out, and how many it may. */
public final class DeliveredRows {
  private final long maxRows;
  private volatile long firstRow;
  private volatile long rowCount;
  private volatile long byteCount;
  private long mostRows = Long.MAX_VALUE;
  private long mostBytes = Long.MAX_VALUE;

  /**
   * @param maxRows rows that the client wants at most
   */
  DeliveredRows(long maxRows) {
    this.maxRows = maxRows;
  }

  /** How many rows the client wants at most. */
  public long most() {
    return maxRows;
  }

  /**
   * Limits the result.
   *
   * @param rows null for any number
   * @param bytes as columns, null for any number
   */
  public void limit(@Nullable Long rows, @Nullable Long bytes) {
    mostRows = rows == null ? Long.MAX_VALUE : rows;
    mostBytes = bytes == null ? Long.MAX_VALUE : bytes;
  }

  /** Whether bytes of rows are limited too. */
  boolean countsBytes() {
    return mostBytes < Long.MAX_VALUE;
  }

  /** When the first rows of the result were there; 0 if none were. */
  public long firstRow() {
    return firstRow;
  }

  /** How many rows there were in the result so far, or were written. */
  public long rows() {
    return Math.min(rowCount, maxRows);
  }

  /** A statement has written rows. */
  public void wrote(long rows) {
    rowCount = rows;
  }

  /**
   * Rows have been handed out.
   *
   * @throws AragoniteException RESULT_TOO_LARGE if the user may not have so many
   */
  @SuppressWarnings("NonAtomicVolatileUpdate") // one thread reads at a time
  void add(long rows, long bytes) {
    if (firstRow == 0) {
      firstRow = System.nanoTime();
    }
    rowCount += rows;
    byteCount += bytes;
    requireRows(rows());
    if (byteCount > mostBytes) {
      throw new AragoniteException(
          ErrorCode.RESULT_TOO_LARGE,
          "The result has more than %s, which this user may have; ask for fewer rows or columns."
              .formatted(Units.formatBytes(mostBytes)));
    }
  }

  /**
   * Looks whether the user may have a result of so many rows.
   *
   * @throws AragoniteException RESULT_TOO_LARGE if not
   */
  public void requireRows(long rows) {
    if (rows > mostRows) {
      throw new AragoniteException(
          ErrorCode.RESULT_TOO_LARGE,
          "The result has more than %,d rows, which this user may have; ask for fewer, or for groups."
              .formatted(mostRows));
    }
  }
}
