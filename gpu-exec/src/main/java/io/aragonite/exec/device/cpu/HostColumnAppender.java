package io.aragonite.exec.device.cpu;

import io.aragonite.exec.device.ColumnStore;
import io.aragonite.exec.device.GrowingColumn;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.Dictionary;
import io.aragonite.exec.vector.RowIds;
import java.util.Objects;

/** Appends columns in host memory: the loops behind {@link ColumnStore} on a CPU. */
final class HostColumnAppender {
  private HostColumnAppender() {}

  /** Copies all rows of {@code column} to the end of {@code target}. */
  static void append(Column column, GrowingColumn target) {
    int count = column.rows();
    if (count == 0) {
      return;
    }
    target.reserveRows(count);
    Storage from = column.shape().storage();
    Storage to = target.shape().storage();
    boolean sameDictionary = column.shape().dictionary() == target.shape().dictionary();
    long bytes = 0;
    if (from == Storage.NONE) {
      appendNulls(target, count);
    } else {
      appendValidity(column, target, count);
      if (from == to && from == Storage.BYTES) {
        bytes = appendBytes(column, target, count);
      } else if (from.isCode() && to == Storage.CODE && !(sameDictionary && from == to)) {
        appendTranslated(column, target, count);
      } else if (from.isCode() && to.isCode() && !sameDictionary) {
        throw mismatch(column, target);
      } else if (from == to) {
        appendFixed(column, target, count, from.width());
      } else if (from.isCode() && to == Storage.BYTES) {
        bytes = appendDecoded(column, target, count);
      } else if (from.widensTo(to)) {
        appendWidened(column, target, count);
      } else {
        throw mismatch(column, target);
      }
    }
    target.added(count, bytes);
  }

  private static AragoniteException mismatch(Column column, GrowingColumn target) {
    return new AragoniteException(
        ErrorCode.INTERNAL,
        "A column of shape " + column.shape() + " came where " + target.shape() + " was promised.");
  }

  private static void appendNulls(GrowingColumn target, int count) {
    setBits(target.needValidity().address(), target.rows(), count, false);
    switch (target.shape().storage()) {
      case NONE -> {}
      case BYTES -> {
        long offset = target.offsets().address() + 4L * target.rows();
        for (int i = 1; i <= count; i++) {
          Mem.putInt(offset + 4L * i, target.dataBytes());
        }
      }
      // Nobody reads values under nulls, but codes index dictionaries: keep them in bounds.
      default -> {
        int width = target.shape().storage().width();
        Mem.fill(
            target.values().address() + (long) target.rows() * width,
            (long) count * width,
            (byte) 0);
      }
    }
  }

  private static void appendValidity(Column column, GrowingColumn target, int count) {
    Buffer validity = column.validity();
    RowIds rowIds = column.rowIds();
    boolean mayBeNull = validity != null || (rowIds != null && rowIds.mayBeNull());
    if (!mayBeNull) {
      if (target.validity() != null) {
        setBits(target.needValidity().address(), target.rows(), count, true);
      }
      return;
    }
    long out = target.needValidity().address();
    int at = target.rows();
    if (rowIds == null) {
      copyBits(validity == null ? 0 : validity.address(), out, at, count);
      return;
    }
    long ids = rowIds.ids().address();
    long bits = validity == null ? 0 : validity.address();
    // The rows' bits are gathered into bytes; those of the first byte that are there stay.
    int done = 0;
    while (done < count) {
      long address = out + ((at + done) >> 3);
      int bit = (at + done) & 7;
      int value = bit == 0 ? 0 : Mem.getByte(address) & ((1 << bit) - 1);
      for (; bit < 8 && done < count; bit++, done++) {
        int id = Mem.getInt(ids + 4L * done);
        if (id >= 0 && (bits == 0 || Mem.getBit(bits, id))) {
          value |= 1 << bit;
        }
      }
      Mem.putByte(address, (byte) value);
    }
  }

  /** Copies {@code count} bits from bit 0 at {@code from} to bit {@code at} of {@code to}. */
  private static void copyBits(long from, long to, int at, int count) {
    int shift = at & 7;
    long address = to + (at >> 3);
    int bytes = (count + 7) >> 3;
    if (shift == 0) {
      Mem.copy(from, address, bytes);
      return;
    }
    int carry = Mem.getByte(address) & ((1 << shift) - 1);
    for (int i = 0; i < bytes; i++) {
      int value = Mem.getByte(from + i) & 0xff;
      Mem.putByte(address + i, (byte) (carry | value << shift));
      carry = value >> (8 - shift);
    }
    if (((count + 7) & 7) + 1 + shift > 8) {
      Mem.putByte(address + bytes, (byte) carry);
    }
  }

  private static void setBits(long to, int at, int count, boolean value) {
    int bit = at;
    int end = at + count;
    while (bit < end && ((bit & 7) != 0 || end - bit < 8)) {
      long address = to + (bit >> 3);
      int old = Mem.getByte(address);
      int mask = 1 << (bit & 7);
      Mem.putByte(address, (byte) (value ? old | mask : old & ~mask));
      bit++;
    }
    int whole = (end - bit) >> 3;
    if (whole > 0) {
      Mem.fill(to + (bit >> 3), whole, (byte) (value ? -1 : 0));
      bit += whole * 8;
    }
    for (; bit < end; bit++) {
      long address = to + (bit >> 3);
      int old = Mem.getByte(address);
      int mask = 1 << (bit & 7);
      Mem.putByte(address, (byte) (value ? old | mask : old & ~mask));
    }
  }

  private static void appendFixed(Column column, GrowingColumn target, int count, int width) {
    long in = column.values().address();
    long out = target.values().address() + (long) target.rows() * width;
    RowIds rowIds = column.rowIds();
    if (rowIds == null) {
      Mem.copy(in, out, (long) count * width);
      return;
    }
    long ids = rowIds.ids().address();
    if (rowIds.mayBeNull()) {
      // A row of nulls reads row 0, if there is any: what it finds does not matter.
      if (column.dataRows() == 0) {
        Mem.fill(out, (long) count * width, (byte) 0);
        return;
      }
      gatherChecked(in, ids, out, count, width);
      return;
    }
    switch (width) {
      case 1 -> {
        for (int i = 0; i < count; i++) {
          Mem.putByte(out + i, Mem.getByte(in + Mem.getInt(ids + 4L * i)));
        }
      }
      case 2 -> {
        for (int i = 0; i < count; i++) {
          Mem.putShort(out + 2L * i, Mem.getShort(in + 2L * Mem.getInt(ids + 4L * i)));
        }
      }
      case 4 -> {
        for (int i = 0; i < count; i++) {
          Mem.putInt(out + 4L * i, Mem.getInt(in + 4L * Mem.getInt(ids + 4L * i)));
        }
      }
      case 8 -> {
        for (int i = 0; i < count; i++) {
          Mem.putLong(out + 8L * i, Mem.getLong(in + 8L * Mem.getInt(ids + 4L * i)));
        }
      }
      default -> {
        for (int i = 0; i < count; i++) {
          long row = in + 16L * Mem.getInt(ids + 4L * i);
          Mem.putLong(out + 16L * i, Mem.getLong(row));
          Mem.putLong(out + 16L * i + 8, Mem.getLong(row + 8));
        }
      }
    }
  }

  private static void gatherChecked(long in, long ids, long out, int count, int width) {
    switch (width) {
      case 1 -> {
        for (int i = 0; i < count; i++) {
          Mem.putByte(out + i, Mem.getByte(in + Math.max(0, Mem.getInt(ids + 4L * i))));
        }
      }
      case 2 -> {
        for (int i = 0; i < count; i++) {
          Mem.putShort(out + 2L * i, Mem.getShort(in + 2L * Math.max(0, Mem.getInt(ids + 4L * i))));
        }
      }
      case 4 -> {
        for (int i = 0; i < count; i++) {
          Mem.putInt(out + 4L * i, Mem.getInt(in + 4L * Math.max(0, Mem.getInt(ids + 4L * i))));
        }
      }
      case 8 -> {
        for (int i = 0; i < count; i++) {
          Mem.putLong(out + 8L * i, Mem.getLong(in + 8L * Math.max(0, Mem.getInt(ids + 4L * i))));
        }
      }
      default -> {
        for (int i = 0; i < count; i++) {
          long row = in + 16L * Math.max(0, Mem.getInt(ids + 4L * i));
          Mem.putLong(out + 16L * i, Mem.getLong(row));
          Mem.putLong(out + 16L * i + 8, Mem.getLong(row + 8));
        }
      }
    }
  }

  private static void appendTranslated(Column column, GrowingColumn target, int count) {
    int[] codes = target.translation(Objects.requireNonNull(column.shape().dictionary()));
    long out = target.values().address() + 4L * target.rows();
    for (int i = 0; i < count; i++) {
      int code = code(column, i);
      Mem.putInt(out + 4L * i, code < 0 ? 0 : codes[code]);
    }
  }

  private static void appendWidened(Column column, GrowingColumn target, int count) {
    long in = column.values().address();
    int from = column.shape().storage().width();
    int to = target.shape().storage().width();
    long out = target.values().address() + (long) to * target.rows();
    RowIds rowIds = column.rowIds();
    for (int i = 0; i < count; i++) {
      int row = rowIds == null ? i : Mem.getInt(rowIds.ids().address() + 4L * i);
      long value = row < 0 ? 0 : CpuScan.integer(in, from, row);
      if (to == Long.BYTES * 2) {
        Mem.putLong(out + 16L * i, value);
        Mem.putLong(out + 16L * i + 8, value >> 63);
      } else {
        CpuScan.putInteger(out, to, i, value);
      }
    }
  }

  private static long appendBytes(Column column, GrowingColumn target, int count) {
    long inOffsets = column.offsets().address();
    RowIds rowIds = column.rowIds();
    int base = target.dataBytes();
    if (rowIds == null) {
      int first = Mem.getInt(inOffsets);
      int bytes = Mem.getInt(inOffsets + 4L * count) - first;
      target.reserveBytes(bytes);
      Mem.copy(column.values().address() + first, target.values().address() + base, bytes);
      long out = target.offsets().address() + 4L * target.rows();
      int delta = base - first;
      for (int i = 1; i <= count; i++) {
        Mem.putInt(out + 4L * i, Mem.getInt(inOffsets + 4L * i) + delta);
      }
      return bytes;
    }
    long ids = rowIds.ids().address();
    Buffer validity = column.validity();
    long bits = validity == null ? 0 : validity.address();
    long bytes = 0;
    for (int i = 0; i < count; i++) {
      int row = Mem.getInt(ids + 4L * i);
      if (row >= 0 && (bits == 0 || Mem.getBit(bits, row))) {
        long at = inOffsets + 4L * row;
        bytes += Mem.getInt(at + 4) - Mem.getInt(at);
      }
    }
    target.reserveBytes(bytes);
    long in = column.values().address();
    long out = target.offsets().address() + 4L * target.rows();
    long start = target.values().address();
    int end = base;
    for (int i = 0; i < count; i++) {
      int row = Mem.getInt(ids + 4L * i);
      if (row >= 0 && (bits == 0 || Mem.getBit(bits, row))) {
        int from = Mem.getInt(inOffsets + 4L * row);
        int length = Mem.getInt(inOffsets + 4L * row + 4) - from;
        copyShort(in + from, start + end, length);
        end += length;
      }
      Mem.putInt(out + 4L * i + 4, end);
    }
    return bytes;
  }

  /** Without the call into the JVM's copy, which costs more than a short text. */
  private static void copyShort(long from, long to, int length) {
    if (length > 64) {
      Mem.copy(from, to, length);
      return;
    }
    int i = 0;
    for (; i + 8 <= length; i += 8) {
      Mem.putLong(to + i, Mem.getLong(from + i));
    }
    for (; i < length; i++) {
      Mem.putByte(to + i, Mem.getByte(from + i));
    }
  }

  private static long appendDecoded(Column column, GrowingColumn target, int count) {
    Dictionary dictionary = column.shape().dictionary();
    if (dictionary == null) {
      throw mismatch(column, target);
    }
    long bytes = 0;
    for (int i = 0; i < count; i++) {
      int code = code(column, i);
      bytes += code < 0 ? 0 : dictionary.bytes(code).length;
    }
    target.reserveBytes(bytes);
    long start = target.values().address();
    long out = target.offsets().address() + 4L * target.rows();
    int end = target.dataBytes();
    for (int i = 0; i < count; i++) {
      int code = code(column, i);
      if (code >= 0) {
        byte[] value = dictionary.bytes(code);
        Mem.copy(value, 0, start + end, value.length);
        end += value.length;
      }
      Mem.putInt(out + 4L * i + 4, end);
    }
    return bytes;
  }

  /** The code of a row, -1 for null. */
  private static int code(Column column, int i) {
    RowIds rowIds = column.rowIds();
    int row = rowIds == null ? i : Mem.getInt(rowIds.ids().address() + 4L * i);
    Buffer validity = column.validity();
    return row < 0 || (validity != null && !Mem.getBit(validity.address(), row))
        ? -1
        : column.code(row);
  }
}
