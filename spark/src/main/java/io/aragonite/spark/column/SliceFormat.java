package io.aragonite.spark.column;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * A slice: some rows in columns, as bytes. First the number of rows (4 bytes), then each column: a
 * byte that says whether nulls follow as a bit set (one bit a row, 1 = not null), then values.
 * Integers of a slice, and lengths of texts, are differences from their least: a byte with the bits
 * of a difference (0 to 56, or 64), the least (8 bytes), the differences one behind the other,
 * lowest bits first. What a codec would find to be alike need not go through it so. Integers of 128
 * bits that do not all fit 64 have 128 bits and no least. Floats are as they are. Behind the lengths
 * of texts are the bytes of all (4 bytes), and these. Some bytes follow the last column: a
 * difference is read with the 8 bytes in which it begins.
 */
final class SliceFormat {
  /** The bits of integers that do not fit 64 bits. */
  static final int WIDE_BITS = 128;

  /** Bytes behind the last column. */
  static final int SLACK = Long.BYTES;

  /** A difference of so many bits lies in 8 bytes, wherever in its first byte it begins. */
  private static final int MOST_BITS = 56;

  /** About what a codec has for a repetition, in bytes. */
  private static final int REPETITION_BYTES = 4;

  private static final VarHandle INTS = little(int[].class);
  private static final VarHandle LONGS = little(long[].class);

  private SliceFormat() {}

  private static VarHandle little(Class<?> array) {
    return MethodHandles.byteArrayViewVarHandle(array, ByteOrder.LITTLE_ENDIAN);
  }

  static int getInt(byte[] bytes, int at) {
    return (int) INTS.get(bytes, at);
  }

  static void putInt(byte[] bytes, int at, int value) {
    INTS.set(bytes, at, value);
  }

  static long getLong(byte[] bytes, int at) {
    return (long) LONGS.get(bytes, at);
  }

  static void putLong(byte[] bytes, int at, long value) {
    LONGS.set(bytes, at, value);
  }

  /**
   * A difference of some bits.
   *
   * @param mask that of these bits
   */
  static long difference(byte[] bytes, int at, int bits, long mask, int row) {
    long place = (long) row * bits;
    return getLong(bytes, at + (int) (place >>> 3)) >>> (place & 7) & mask;
  }

  /** The lowest bits of a long, or all. */
  static long mask(int bits) {
    return bits == 0 ? 0 : bits < Long.SIZE ? (1L << bits) - 1 : -1;
  }

  /**
   * Puts differences from the least, and may write {@link #SLACK} bytes behind them.
   *
   * @return the place behind them
   */
  static int putDifferences(byte[] bytes, int from, int bits, long[] values, long least, int rows) {
    int at = from;
    if (bits == 0) {
      return at;
    }
    if (bits == Long.SIZE) {
      for (int row = 0; row < rows; row++) {
        putLong(bytes, at, values[row] - least);
        at += Long.BYTES;
      }
      return at;
    }
    long begun = 0;
    int used = 0;
    for (int row = 0; row < rows; row++) {
      long difference = values[row] - least;
      begun |= difference << used;
      used += bits;
      if (used >= Long.SIZE) {
        putLong(bytes, at, begun);
        at += Long.BYTES;
        used -= Long.SIZE;
        begun = difference >>> bits - used;
      }
    }
    if (used > 0) {
      putLong(bytes, at, begun);
    }
    return at + (used + 7) / 8;
  }

  /** Bytes of some differences. */
  static int bytes(int bits, int rows) {
    return Math.toIntExact(((long) bits * rows + 7) / 8);
  }

  /** The bits of differences from the least of values; differences beyond 63 bits wrap. */
  static int bits(long least, long most) {
    int bits = Long.SIZE - Long.numberOfLeadingZeros(most - least);
    return bits > MOST_BITS ? Long.SIZE : bits;
  }

  /**
   * How many runs of equal values there may be at most for differences to have whole bytes: a codec
   * finds repetitions of bytes, not of bits.
   */
  static int mostRuns(int bits, int rows) {
    int wholeBytes = (bits + 7) / 8;
    return (int) (((long) rows * bits - 1) / (8L * (wholeBytes + REPETITION_BYTES)));
  }

  /** Bytes of a bit set. */
  static int bitBytes(int rows) {
    return (rows + 7) / 8;
  }

  static boolean bit(byte[] bytes, int at, int row) {
    return (bytes[at + (row >> 3)] >> (row & 7) & 1) != 0;
  }
}
