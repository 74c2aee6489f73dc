package io.aragonite.exec.device.cpu;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Allocator;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.RowIds;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Copies columns through their indirection. */
final class CpuGather {
  private CpuGather() {}

  static Column materialize(Column column, Allocator allocator) {
    int rows = column.rows();
    Storage storage = column.shape().storage();
    Buffer validity = validity(column, rows, allocator);
    ColumnShape shape = validity == null ? column.shape() : column.shape().withMayBeNull(true);
    if (storage == Storage.NONE) {
      return new Column(shape, rows, Buffer.EMPTY, Buffer.EMPTY, validity, null);
    }
    if (storage == Storage.BYTES) {
      return bytes(shape, column, rows, validity, allocator);
    }
    Buffer values = allocator.allocate((long) rows * storage.width());
    if (column.dataRows() > 0) {
      values(column, 0, rows, values.address());
    }
    return new Column(shape, rows, values, Buffer.EMPTY, validity, null);
  }

  /** Copies {@code count} fixed-width values of the batch's rows from {@code first} on. */
  static void values(Column column, int first, int count, long out) {
    int width = column.shape().storage().width();
    long data = column.values().address();
    RowIds rowIds = column.rowIds();
    if (rowIds == null) {
      Mem.copy(data + (long) first * width, out, (long) count * width);
      return;
    }
    gather(data, width, rowIds.ids().address() + 4L * first, rowIds.mayBeNull(), count, out);
  }

  /**
   * {@code out[i] = data[ids[i]]}; an id of -1 takes the value of row 0, which the caller hides
   * behind a null.
   */
  static void gather(long data, int width, long ids, boolean mayBeNull, int count, long out) {
    switch (width) {
      case 1 -> {
        for (int i = 0; i < count; i++) {
          int id = Mem.getInt(ids + 4L * i);
          Mem.putByte(out + i, Mem.getByte(data + (id & ~(id >> 31))));
        }
      }
      case 2 -> {
        for (int i = 0; i < count; i++) {
          int id = Mem.getInt(ids + 4L * i);
          Mem.putShort(out + 2L * i, Mem.getShort(data + 2L * (id & ~(id >> 31))));
        }
      }
      case 4 -> {
        if (mayBeNull) {
          for (int i = 0; i < count; i++) {
            int id = Mem.getInt(ids + 4L * i);
            Mem.putInt(out + 4L * i, Mem.getInt(data + 4L * (id & ~(id >> 31))));
          }
        } else {
          for (int i = 0; i < count; i++) {
            Mem.putInt(out + 4L * i, Mem.getInt(data + 4L * Mem.getInt(ids + 4L * i)));
          }
        }
      }
      case 8 -> {
        if (mayBeNull) {
          for (int i = 0; i < count; i++) {
            int id = Mem.getInt(ids + 4L * i);
            Mem.putLong(out + 8L * i, Mem.getLong(data + 8L * (id & ~(id >> 31))));
          }
        } else {
          for (int i = 0; i < count; i++) {
            Mem.putLong(out + 8L * i, Mem.getLong(data + 8L * Mem.getInt(ids + 4L * i)));
          }
        }
      }
      case 16 -> {
        for (int i = 0; i < count; i++) {
          int id = Mem.getInt(ids + 4L * i);
          long from = data + 16L * (id & ~(id >> 31));
          Mem.putLong(out + 16L * i, Mem.getLong(from));
          Mem.putLong(out + 16L * i + 8, Mem.getLong(from + 8));
        }
      }
      default -> throw new IllegalArgumentException("width " + width);
    }
  }

  /** The validity bitmap of the batch's rows, null if there can be no null among them. */
  static @Nullable Buffer validity(Column column, int rows, Allocator allocator) {
    Buffer data = column.validity();
    RowIds rowIds = column.rowIds();
    boolean none = column.shape().storage() == Storage.NONE;
    if (!none && data == null && (rowIds == null || !rowIds.mayBeNull())) {
      return null;
    }
    Buffer out = allocator.allocate((rows + 63) / 64 * 8L);
    if (none) {
      Mem.fill(out.address(), out.size(), (byte) 0);
    } else if (rowIds == null) {
      Mem.copy(Objects.requireNonNull(data).address(), out.address(), (rows + 7) / 8);
    } else {
      long bits = data == null || column.dataRows() == 0 ? 0 : data.address();
      for (int word = 0; word < (rows + 63) / 64; word++) {
        long ids = rowIds.ids().address() + 256L * word;
        int count = Math.min(64, rows - word * 64);
        Mem.putLong(out.address() + 8L * word, validityWord(bits, ids, count));
      }
    }
    return out;
  }

  /**
   * @param bits the data's validity, 0 for none
   */
  private static long validityWord(long bits, long ids, int count) {
    long word = 0;
    if (bits == 0) {
      for (int i = 0; i < count; i++) {
        word |= (long) (~Mem.getInt(ids + 4L * i) >>> 31) << i;
      }
      return word;
    }
    for (int i = 0; i < count; i++) {
      int id = Mem.getInt(ids + 4L * i);
      int valid = ~id >>> 31;
      id &= -valid;
      word |= (long) (Mem.getByte(bits + (id >> 3)) >> (id & 7) & valid) << i;
    }
    return word;
  }

  private static Column bytes(
      ColumnShape shape, Column column, int rows, @Nullable Buffer validity, Allocator allocator) {
    Buffer offsets = allocator.allocate(4L * (rows + 1));
    long total = offsets(column, rows, validity, offsets.address());
    if (total > Integer.MAX_VALUE) {
      throw new AragoniteException(
          ErrorCode.RESULT_TOO_LARGE,
          "%,d rows of text take %,d bytes, more than the 2 GiB that one column can hold; split the result"
              .formatted(rows, total));
    }
    Buffer values = allocator.allocate(total);
    long from = column.values().address();
    long in = column.offsets().address();
    RowIds rowIds = column.rowIds();
    if (rowIds == null && validity == null) {
      Mem.copy(from + (rows == 0 ? 0 : Mem.getInt(in)), values.address(), total);
      return new Column(shape, rows, values, offsets, null, null);
    }
    long out = values.address();
    long starts = offsets.address();
    for (int i = 0; i < rows; i++) {
      int start = Mem.getInt(starts + 4L * i);
      int length = Mem.getInt(starts + 4L * i + 4) - start;
      if (length > 0) {
        int row = rowIds == null ? i : Mem.getInt(rowIds.ids().address() + 4L * i);
        copy(from + Mem.getInt(in + 4L * row), out + start, length);
      }
    }
    return new Column(shape, rows, values, offsets, validity, null);
  }

  /** Writes the offsets of the gathered values; nulls have no bytes. */
  private static long offsets(Column column, int rows, @Nullable Buffer validity, long out) {
    long in = column.offsets().address();
    RowIds rowIds = column.rowIds();
    long total = 0;
    Mem.putInt(out, 0);
    if (rowIds == null && validity == null) {
      int first = rows == 0 ? 0 : Mem.getInt(in);
      for (int i = 1; i <= rows; i++) {
        Mem.putInt(out + 4L * i, Mem.getInt(in + 4L * i) - first);
      }
      return Mem.getInt(out + 4L * rows);
    }
    for (int i = 0; i < rows; i++) {
      if (validity == null || Mem.getBit(validity.address(), i)) {
        int row = rowIds == null ? i : Mem.getInt(rowIds.ids().address() + 4L * i);
        total += Mem.getInt(in + 4L * row + 4) - Mem.getInt(in + 4L * row);
      }
      Mem.putInt(out + 4L * i + 4, (int) total);
    }
    return total;
  }

  /**
   * Copies a string. Words that overlap cover most lengths without a loop; nothing outside the
   * string is touched.
   */
  static void copy(long from, long to, int length) {
    if (length > 16) {
      if (length > 32) {
        Mem.copy(from, to, length);
        return;
      }
      long a = Mem.getLong(from);
      long b = Mem.getLong(from + 8);
      long c = Mem.getLong(from + length - 16);
      long d = Mem.getLong(from + length - 8);
      Mem.putLong(to, a);
      Mem.putLong(to + 8, b);
      Mem.putLong(to + length - 16, c);
      Mem.putLong(to + length - 8, d);
    } else if (length >= 8) {
      long tail = Mem.getLong(from + length - 8);
      Mem.putLong(to, Mem.getLong(from));
      Mem.putLong(to + length - 8, tail);
    } else if (length >= 4) {
      int tail = Mem.getInt(from + length - 4);
      Mem.putInt(to, Mem.getInt(from));
      Mem.putInt(to + length - 4, tail);
    } else if (length > 0) {
      // First, middle and last are all there is of up to three bytes.
      byte middle = Mem.getByte(from + (length >> 1));
      byte tail = Mem.getByte(from + length - 1);
      Mem.putByte(to, Mem.getByte(from));
      Mem.putByte(to + (length >> 1), middle);
      Mem.putByte(to + length - 1, tail);
    }
  }
}
