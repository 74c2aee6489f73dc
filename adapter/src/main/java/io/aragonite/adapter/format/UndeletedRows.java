package io.aragonite.adapter.format;

import io.aragonite.adapter.format.TableFile.Decoded;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;

/** Rows of a decoded part that are kept, where others were deleted after the file was written. */
public final class UndeletedRows {
  private UndeletedRows() {}

  /**
   * A copy of some rows.
   *
   * @param rows which ones, ascending
   */
  public static Decoded of(Decoded decoded, int[] rows, QueryMemory memory) {
    Column column = decoded.column();
    Storage storage = column.shape().storage();
    Buffer validity = column.validity() == null ? null : bits(column.validity(), rows, memory);
    Buffer offsets = Buffer.EMPTY;
    Buffer values = Buffer.EMPTY;
    if (storage == Storage.BYTES) {
      offsets = memory.allocate(4L * (rows.length + 1));
      values = texts(column, rows, offsets, memory);
    } else if (storage != Storage.NONE) {
      values = memory.allocate((long) rows.length * storage.width());
      copy(column.values().address(), storage.width(), rows, values.address());
    }
    return new Decoded(
        new Column(column.shape(), rows.length, values, offsets, validity, null),
        decoded.dictionary(),
        decoded::close);
  }

  private static void copy(long from, int width, int[] rows, long to) {
    long at = to;
    for (int row : rows) {
      long source = from + (long) row * width;
      switch (width) {
        case 1 -> Mem.putByte(at, Mem.getByte(source));
        case 2 -> Mem.putShort(at, Mem.getShort(source));
        case 4 -> Mem.putInt(at, Mem.getInt(source));
        default -> Mem.copy(source, at, width);
      }
      at += width;
    }
  }

  private static Buffer bits(Buffer from, int[] rows, QueryMemory memory) {
    long bytes = (rows.length + 63) / 64 * 8L;
    Buffer bits = memory.allocate(bytes);
    Mem.fill(bits.address(), bytes, (byte) 0);
    for (int i = 0; i < rows.length; i++) {
      if (Mem.getBit(from.address(), rows[i])) {
        long at = bits.address() + (i >> 3);
        Mem.putByte(at, (byte) (Mem.getByte(at) | 1 << (i & 7)));
      }
    }
    return bits;
  }

  private static Buffer texts(Column column, int[] rows, Buffer offsets, QueryMemory memory) {
    long from = column.offsets().address();
    long total = 0;
    for (int row : rows) {
      total += Mem.getInt(from + 4L * row + 4) - Mem.getInt(from + 4L * row);
    }
    Buffer values = memory.allocate(total);
    int at = 0;
    for (int i = 0; i < rows.length; i++) {
      int begin = Mem.getInt(from + 4L * rows[i]);
      int length = Mem.getInt(from + 4L * rows[i] + 4) - begin;
      Mem.putInt(offsets.address() + 4L * i, at);
      Mem.copy(column.values().address() + begin, values.address() + at, length);
      at += length;
    }
    Mem.putInt(offsets.address() + 4L * rows.length, at);
    return values;
  }
}
