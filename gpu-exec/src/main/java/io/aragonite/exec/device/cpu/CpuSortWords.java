package io.aragonite.exec.device.cpu;

import io.aragonite.exec.device.SortDigit;
import io.aragonite.exec.device.SortOps.Ties;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.RowIds;
import io.aragonite.exec.vector.ValueRange;
import org.jspecify.annotations.Nullable;

/** What sorts are made of: digits of words, ties, bounds. */
final class CpuSortWords {
  private CpuSortWords() {}

  /** See {@link io.aragonite.exec.device.SortOps#sortDigit}. */
  static void encode(
      SortDigit digit,
      Column column,
      @Nullable Buffer rows,
      int from,
      int count,
      int shift,
      Buffer words) {
    long out = words.address();
    Storage storage = column.shape().storage();
    long values = column.values().address();
    long offsets = column.offsets().address();
    long validity = column.validity() == null ? 0 : column.validity().address();
    RowIds rowIds = column.rowIds();
    long ids = rowIds == null ? 0 : rowIds.ids().address();
    long wanted = rows == null ? 0 : rows.address() + from * 4L;
    long valueMask = digit.bits() == 64 ? -1L : (1L << digit.bits()) - 1;
    for (int i = 0; i < count; i++) {
      int row = wanted == 0 ? from + i : Mem.getInt(wanted + i * 4L);
      if (ids != 0) {
        row = Mem.getInt(ids + row * 4L);
      }
      boolean isNull = row < 0 || (validity != 0 && !Mem.getBit(validity, row));
      long number;
      if (digit.kind() == SortDigit.DigitKind.NULLS) {
        number = isNull == digit.nullsFirst() ? 0 : 1;
      } else if (isNull) {
        number = digit.nullSlot() && !digit.nullsFirst() ? digit.max() - digit.min() + 1 : 0;
      } else {
        switch (digit.kind()) {
          case RANGED -> {
            long value = integer(storage, values, row);
            number = digit.descending() ? digit.max() - value : value - digit.min();
            if (digit.nullSlot() && digit.nullsFirst()) {
              number++;
            }
          }
          case SIGNED -> number = integer(storage, values, row) ^ Long.MIN_VALUE;
          case HIGH -> number = Mem.getLong(values + row * 16L + 8) ^ Long.MIN_VALUE;
          case LOW -> number = Mem.getLong(values + row * 16L);
          case FLOAT -> number = ordered(Mem.getFloat(values + row * 4L));
          case DOUBLE -> number = ordered(Mem.getDouble(values + row * 8L));
          case TEXT -> {
            int start = Mem.getInt(offsets + row * 4L);
            int end = Mem.getInt(offsets + row * 4L + 4);
            number = text(values + start, end - start, digit.round());
          }
          default -> throw new IllegalStateException(digit.toString());
        }
        if (digit.descending() && digit.kind() != SortDigit.DigitKind.RANGED) {
          number = ~number & valueMask;
        }
      }
      long at = out + i * 8L;
      Mem.putLong(at, Mem.getLong(at) | number << shift);
    }
  }

  /** An integer-like value, sign-extended. */
  private static long integer(Storage storage, long values, int row) {
    return switch (storage) {
      case INT, CODE -> Mem.getInt(values + row * 4L);
      case LONG, HANDLE -> Mem.getLong(values + row * 8L);
      case SHORT, CODE16 -> Mem.getShort(values + row * 2L);
      case BYTE, CODE8 -> Mem.getByte(values + row);
      default -> throw new IllegalStateException(storage + " is no integer");
    };
  }

  private static long ordered(float value) {
    int bits = Float.floatToIntBits(value == 0 ? 0f : value);
    return (bits < 0 ? ~bits : bits ^ Integer.MIN_VALUE) & 0xffffffffL;
  }

  private static long ordered(double value) {
    long bits = Double.doubleToLongBits(value == 0 ? 0d : value);
    return bits < 0 ? ~bits : bits ^ Long.MIN_VALUE;
  }

  private static long text(long address, int length, int round) {
    long from = (long) round * SortDigit.TEXT_BYTES;
    long left = length - from;
    if (left <= 0) {
      return 0;
    }
    if (left >= 8) {
      return Long.reverseBytes(Mem.getLong(address + from)) & ~0xffL | 8;
    }
    long word = 0;
    for (int i = 0; i < left; i++) {
      word |= (Mem.getByte(address + from + i) & 0xffL) << (56 - 8 * i);
    }
    return word | left;
  }

  /** Bounds of the non-null values of an integer column, null if there is none. */
  static @Nullable ValueRange range(Column column) {
    Storage storage = column.shape().storage();
    long values = column.values().address();
    long validity = column.validity() == null ? 0 : column.validity().address();
    long ids = column.rowIds() == null ? 0 : column.rowIds().ids().address();
    long min = Long.MAX_VALUE;
    long max = Long.MIN_VALUE;
    int rows = column.rows();
    for (int i = 0; i < rows; i++) {
      int row = ids == 0 ? i : Mem.getInt(ids + i * 4L);
      if (row < 0 || (validity != 0 && !Mem.getBit(validity, row))) {
        continue;
      }
      long value = integer(storage, values, row);
      min = Math.min(min, value);
      max = Math.max(max, value);
    }
    return min > max ? null : new ValueRange(min, max);
  }

  /** See {@link io.aragonite.exec.device.SortOps#keepTies}. */
  static Ties keepTies(
      Buffer keys, Buffer ties, Buffer ids, int count, Buffer outTies, Buffer out) {
    int kept = 0;
    int groups = 0;
    for (int from = 0; from < count; ) {
      int tie = Mem.getInt(ties.address() + from * 4L);
      long key = Mem.getLong(keys.address() + from * 8L);
      int end = from + 1;
      while (end < count
          && Mem.getInt(ties.address() + end * 4L) == tie
          && Mem.getLong(keys.address() + end * 8L) == key) {
        end++;
      }
      if (end - from > 1) {
        for (int i = from; i < end; i++) {
          Mem.putInt(out.address() + kept * 4L, Mem.getInt(ids.address() + i * 4L));
          Mem.putInt(outTies.address() + kept * 4L, groups);
          kept++;
        }
        groups++;
      }
      from = end;
    }
    return new Ties(kept, groups);
  }
}
