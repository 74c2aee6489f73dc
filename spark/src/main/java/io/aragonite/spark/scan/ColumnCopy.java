package io.aragonite.spark.scan;

import io.aragonite.adapter.format.BytesBuilder;
import io.aragonite.adapter.format.PartDictionary;
import io.aragonite.adapter.format.TableFile.Decoded;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import org.jspecify.annotations.Nullable;

/** Copies rows of decoded columns into columns with buffers of their own. */
final class ColumnCopy {
  private static final int WORD_ROWS = 64;

  private final Decoded decoded;
  private final ColumnShape shape;
  private final Column column;
  private final @Nullable Buffer validity;

  /**
   * @param type the engine's type of the copies
   * @throws AragoniteException INTERNAL if there are nulls, which the type does not have
   */
  ColumnCopy(Decoded decoded, DataType type) {
    this.decoded = decoded;
    this.shape = ColumnShape.of(type);
    this.column = decoded.column();
    this.validity = column.validity();
    if (validity != null && !shape.mayBeNull()) {
      throw new AragoniteException(
          ErrorCode.INTERNAL, "A file has a null in a column that Spark says has none.");
    }
  }

  /** Bytes of the texts of some rows; 0 of a column without. */
  long textBytes(int from, int count) {
    PartDictionary words = decoded.dictionary();
    if (words == null) {
      return isText() ? start(from + count) - start(from) : 0;
    }
    long bytes = 0;
    for (int row = from; row < from + count; row++) {
      bytes += isNull(row) ? 0 : words.length(number(row));
    }
    return bytes;
  }

  private boolean isText() {
    return shape.storage() == Storage.BYTES;
  }

  private long start(int row) {
    return Mem.getInt(column.offsets().address() + 4L * row);
  }

  private boolean isNull(int row) {
    return validity != null && !Mem.getBit(validity.address(), row);
  }

  /** The number of a row's value in the dictionary. */
  private int number(int row) {
    long values = column.values().address();
    return switch (column.shape().storage()) {
      case BYTE -> Mem.getByte(values + row) & 0xFF;
      case SHORT -> Mem.getShort(values + 2L * row) & 0xFFFF;
      default -> Mem.getInt(values + 4L * row);
    };
  }

  /**
   * Some rows.
   *
   * @param from a multiple of 64
   * @param memory where the copy is, whose buffers are the caller's
   */
  Column copy(int from, int count, QueryMemory memory) {
    assert from % WORD_ROWS == 0;
    Buffer bits = null;
    if (validity != null) {
      bits = memory.allocate((count + WORD_ROWS - 1L) / WORD_ROWS * Long.BYTES);
      Mem.copy(validity.address() + from / Byte.SIZE, bits.address(), (count + 7) / Byte.SIZE);
    }
    PartDictionary words = decoded.dictionary();
    if (words != null) {
      return words(words, from, count, bits, memory);
    }
    if (isText()) {
      return texts(from, count, bits, memory);
    }
    long width = shape.storage().width();
    Buffer values = memory.allocate(width * count);
    Mem.copy(column.values().address() + width * from, values.address(), width * count);
    return new Column(shape, count, values, Buffer.EMPTY, bits, null);
  }

  private Column texts(int from, int count, @Nullable Buffer bits, QueryMemory memory) {
    int start = (int) start(from);
    int bytes = (int) start(from + count) - start;
    Buffer values = memory.allocate(bytes);
    Mem.copy(column.values().address() + start, values.address(), bytes);
    Buffer offsets = memory.allocate(4L * (count + 1));
    for (int i = 0; i <= count; i++) {
      Mem.putInt(offsets.address() + 4L * i, (int) start(from + i) - start);
    }
    return new Column(shape, count, values, offsets, bits, null);
  }

  private Column words(
      PartDictionary words, int from, int count, @Nullable Buffer bits, QueryMemory memory) {
    Buffer values = memory.allocate(textBytes(from, count));
    Buffer offsets = memory.allocate(4L * (count + 1));
    Mem.putInt(offsets.address(), 0);
    int end = 0;
    for (int i = 0; i < count; i++) {
      if (!isNull(from + i)) {
        int number = number(from + i);
        int length = words.length(number);
        // The memory has room for a few bytes behind the last.
        BytesBuilder.copy(words.address(number), values.address() + end, length);
        end += length;
      }
      Mem.putInt(offsets.address() + 4L * (i + 1), end);
    }
    return new Column(shape, count, values, offsets, bits, null);
  }
}
