package io.aragonite.spark.scan;

import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import org.jspecify.annotations.Nullable;

/** A column of a batch in the making, of rows of one part or several. */
final class ColumnAssembly {
  /** Texts of later rows may be somewhat longer than those of the first. */
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
   * @param type the engine's type of the column
   * @param capacity rows that there may be
   * @param memory where the column is, whose buffers are the caller's
   */
  ColumnAssembly(DataType type, int capacity, QueryMemory memory) {
    this.shape = ColumnShape.of(type);
    this.capacity = capacity;
    this.memory = memory;
    if (shape.storage() == Storage.BYTES) {
      offsets = memory.allocate(4L * (capacity + 1));
      Mem.putInt(offsets.address(), 0);
    } else {
      values = memory.allocate((long) shape.storage().width() * capacity);
    }
  }

  /** Bytes of texts that it has. */
  int textBytes() {
    return textBytes;
  }

  /**
   * Adds rows of a part.
   *
   * @param from a multiple of 64
   */
  void add(ColumnCopy part, int from, int count) {
    Buffer bits = validity(part);
    if (bits != null) {
      part.copyValidity(from, count, bits.address(), rows);
    }
    int start = textBytes;
    if (shape.storage() == Storage.BYTES) {
      textBytes = Math.toIntExact(start + part.textBytes(from, count));
      makeRoom(count);
      part.copyTexts(from, count, values.address(), start, offsets.address() + 4L * rows);
    } else {
      part.copyValues(from, count, values.address() + (long) shape.storage().width() * rows);
    }
    rows += count;
  }

  /**
   * For texts: that of all rows, by those that come first.
   *
   * @param count rows that come now
   */
  private void makeRoom(int count) {
    if (rows == 0) {
      long guess = count == capacity ? textBytes : (long) (GUESS_MARGIN * textBytes / count * capacity);
      values = memory.grow(values, Math.clamp(guess, Math.max(1, textBytes), Integer.MAX_VALUE));
    } else if (textBytes > values.size()) {
      values = memory.grow(values, Math.max(textBytes, Math.min(2 * values.size(), Integer.MAX_VALUE)));
    }
  }

  /** The bits of nulls, if the part has some, or one before it. */
  private @Nullable Buffer validity(ColumnCopy part) {
    Buffer bits = validity;
    if (bits == null && part.hasNulls()) {
      bits = memory.allocate((capacity + 63L) / 64 * Long.BYTES);
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
