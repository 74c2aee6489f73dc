package io.aragonite.adapter.table;

import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.BaseFixedWidthVector;
import org.apache.arrow.vector.BaseVariableWidthVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.Float4Vector;
import org.apache.arrow.vector.Float8Vector;

/** Hashes the values of a key's columns; values that SQL calls equal have the same hash. */
final class TableKeyHash {
  /** Others in each process, so that nobody can make keys that meet. */
  private static final long SEED = ThreadLocalRandom.current().nextLong();

  private static final long STEP = 0x9E3779B97F4A7C15L;

  private long high;
  private long low;

  long high() {
    return high;
  }

  /** Never 0. */
  long low() {
    return low == 0 ? 1 : low;
  }

  /**
   * Hashes a row.
   *
   * @param padded which columns are CHAR: blanks at their ends do not count
   * @return false if one of the values is null
   */
  boolean of(List<FieldVector> columns, boolean[] padded, int row) {
    high = SEED;
    low = ~SEED;
    for (int i = 0; i < padded.length; i++) {
      FieldVector column = columns.get(i);
      if (column.isNull(row)) {
        return false;
      }
      add(column, padded[i], row);
    }
    return true;
  }

  private void add(FieldVector column, boolean padded, int row) {
    switch (column) {
      case BitVector bits -> word(bits.get(row));
      case Float4Vector floats -> word(Double.doubleToLongBits(floats.get(row) + 0.0));
      case Float8Vector doubles -> word(Double.doubleToLongBits(doubles.get(row) + 0.0));
      case BaseFixedWidthVector fixed -> {
        int width = fixed.getTypeWidth();
        bytes(fixed.getDataBuffer(), (long) row * width, width);
      }
      case BaseVariableWidthVector variable -> {
        ArrowBuf values = variable.getDataBuffer();
        long from = variable.getStartOffset(row);
        int length = variable.getValueLength(row);
        while (padded && length > 0 && values.getByte(from + length - 1) == ' ') {
          length--;
        }
        bytes(values, from, length);
      }
      default -> throw new IllegalArgumentException("no key has a " + column.getMinorType());
    }
  }

  private void bytes(ArrowBuf buffer, long from, int length) {
    int at = 0;
    for (; at + Long.BYTES <= length; at += Long.BYTES) {
      word(buffer.getLong(from + at));
    }
    long rest = 0;
    for (int i = at; i < length; i++) {
      rest = rest << 8 | buffer.getByte(from + i) & 0xFF;
    }
    word(rest);
    word(length);
  }

  private void word(long word) {
    high = mixed(high ^ word) + STEP;
    low = mixed(Long.rotateLeft(low, 29) + word * STEP) ^ STEP;
  }

  /** Each bit of the result hangs on each bit (the end of MurmurHash3). */
  private static long mixed(long value) {
    long mixed = (value ^ value >>> 33) * 0xFF51AFD7ED558CCDL;
    mixed = (mixed ^ mixed >>> 33) * 0xC4CEB9FE1A85EC53L;
    return mixed ^ mixed >>> 33;
  }
}
