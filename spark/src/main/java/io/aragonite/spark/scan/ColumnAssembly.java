package io.aragonite.spark.scan;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import org.jspecify.annotations.Nullable;

/** A column of a batch in the making, of rows of one part or several. */
final class ColumnAssembly {
  /** Texts of later rows may be somewhat longer than those that are known. */
  private static final double GUESS_MARGIN = 1.0625;

  private final ColumnShape shape;
  private final int capacity;
  private final QueryMemory memory;
  private Buffer values = Buffer.EMPTY;
  private Buffer offsets = Buffer.EMPTY;
  private @Nullable Buffer validity;
  private int rows;
  private int textBytes;

  /**
   * @param shape of the column
   * @param capacity rows that there may be
   * @param memory where the column is, whose buffers are the caller's
   */
  ColumnAssembly(ColumnShape shape, int capacity, QueryMemory memory) {
    this.shape = shape;
    this.capacity = capacity;
    this.memory = memory;
    if (shape.storage() == Storage.BYTES) {
      offsets = memory.allocate(4L * (capacity + 1));
      Mem.putInt(offsets.address(), 0);
    } else {
      values = memory.allocate((long) shape.storage().width() * capacity);
    }
  }

  /** Bytes of memory that it has. */
  long bytes() {
    Buffer bits = validity;
    return values.size() + offsets.size() + (bits == null ? 0 : bits.size());
  }

  /** Bytes of memory that it would have to get for further rows. */
  long missing(ColumnCopy part, int from, int count) {
    long bits = validity == null && part.hasNulls() ? validityBytes() : 0;
    return shape.storage() == Storage.BYTES
        ? bits + Math.max(0, textBytes + part.textBytes(from, count) - values.size())
        : bits;
  }

  private long validityBytes() {
    return (capacity + 63L) / 64 * Long.BYTES;
  }

  /**
   * Adds rows of a part.
   *
   * @param from a multiple of 64
   * @param spare bytes of memory that it may get beyond what the rows need
   * @throws AragoniteException RESULT_TOO_LARGE if a column cannot have so much text
   */
  void add(ColumnCopy part, int from, int count, long spare) {
    Buffer bits = validity(part);
    if (bits != null) {
      part.copyValidity(from, count, bits.address(), rows);
    }
    if (shape.storage() == Storage.BYTES) {
      int start = textBytes;
      long end = start + part.textBytes(from, count);
      if (end > Integer.MAX_VALUE) {
        throw new AragoniteException(
            ErrorCode.RESULT_TOO_LARGE,
            "%d rows have more than %,d bytes of text together; store such values outside the table"
                .formatted(count, Integer.MAX_VALUE));
      }
      textBytes = (int) end;
      makeRoom(count, spare);
      part.copyTexts(from, count, values.address(), start, offsets.address() + 4L * rows);
    } else {
      part.copyValues(from, count, values.address() + (long) shape.storage().width() * rows);
    }
    rows += count;
  }

  /**
   * For texts: that of all rows, by those that are known, as far as there is memory.
   *
   * @param count rows that come now
   */
  private void makeRoom(int count, long spare) {
    if (textBytes > values.size() || rows == 0) {
      int known = rows + count;
      long guess =
          known == capacity ? textBytes : (long) (GUESS_MARGIN * textBytes / known * capacity);
      long most = Math.min(Integer.MAX_VALUE, textBytes + Math.max(0, spare));
      values = memory.grow(values, Math.clamp(guess, Math.max(1, textBytes), Math.max(1, most)));
    }
  }

  /** The bits of nulls, if the part has some, or one before it. */
  private @Nullable Buffer validity(ColumnCopy part) {
    Buffer bits = validity;
    if (bits == null && part.hasNulls()) {
      bits = memory.allocate(validityBytes());
      memory.fill(bits, (byte) -1);
      validity = bits;
    }
    return bits;
  }

  /** The column; its buffers are the caller's. */
  Column finish() {
    Buffer bytes = shape.storage() == Storage.BYTES ? values.slice(0, textBytes) : values;
    return new Column(shape, rows, bytes, offsets, validity, null);
  }

  /** Gives back what there is. */
  void free() {
    memory.free(values);
    memory.free(offsets);
    if (validity != null) {
      memory.free(validity);
    }
  }
}
