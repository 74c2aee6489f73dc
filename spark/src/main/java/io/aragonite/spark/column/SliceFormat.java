package io.aragonite.spark.column;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * A slice: some rows in columns, as bytes. First the number of rows (4 bytes), then each column: a
 * byte that says whether nulls follow as a bit set (one bit a row, 1 = not null), then values.
 * Integers of a slice, and lengths of texts, are differences from their least: a byte with the
 * width of a difference (0 to 6, or 8), the least (8 bytes), the differences. Spark's codecs do not
 * see that each number has the same bytes 0, which are so left out. Integers of 128 bits
 * that do not all fit 64 have the width 16 and no least. Floats are as they are. Behind the lengths
 * of texts are the bytes of all (4 bytes), and these.
 */
final class SliceFormat {
  static final int WIDE = 16;

  private static final VarHandle SHORTS = little(short[].class);
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

  /** A difference of a width. */
  static long difference(byte[] bytes, int at, int width, int row) {
    return switch (width) {
      case 0 -> 0;
      case 1 -> bytes[at + row] & 0xFFL;
      case 2 -> twoBytes(bytes, at + 2 * row);
      case 3 -> twoBytes(bytes, at + 3 * row) | (bytes[at + 3 * row + 2] & 0xFFL) << 16;
      case 4 -> fourBytes(bytes, at + 4 * row);
      case 5 -> fourBytes(bytes, at + 5 * row) | (bytes[at + 5 * row + 4] & 0xFFL) << 32;
      case 6 -> fourBytes(bytes, at + 6 * row) | twoBytes(bytes, at + 6 * row + 4) << 32;
      default -> (long) LONGS.get(bytes, at + 8 * row);
    };
  }

  private static long twoBytes(byte[] bytes, int at) {
    return (short) SHORTS.get(bytes, at) & 0xFFFFL;
  }

  private static long fourBytes(byte[] bytes, int at) {
    return (int) INTS.get(bytes, at) & 0xFFFF_FFFFL;
  }

  static void putDifference(byte[] bytes, int at, int width, int row, long difference) {
    switch (width) {
      case 0 -> {}
      case 1 -> bytes[at + row] = (byte) difference;
      case 2 -> SHORTS.set(bytes, at + 2 * row, (short) difference);
      case 3 -> {
        SHORTS.set(bytes, at + 3 * row, (short) difference);
        bytes[at + 3 * row + 2] = (byte) (difference >> 16);
      }
      case 4 -> INTS.set(bytes, at + 4 * row, (int) difference);
      case 5 -> {
        INTS.set(bytes, at + 5 * row, (int) difference);
        bytes[at + 5 * row + 4] = (byte) (difference >> 32);
      }
      case 6 -> {
        INTS.set(bytes, at + 6 * row, (int) difference);
        SHORTS.set(bytes, at + 6 * row + 4, (short) (difference >> 32));
      }
      default -> LONGS.set(bytes, at + 8 * row, difference);
    }
  }

  /** The width of differences from the least of values; differences beyond 63 bits wrap. */
  static int width(long least, long most) {
    long range = most - least;
    int bytes = (Long.SIZE - Long.numberOfLeadingZeros(range) + 7) / Byte.SIZE;
    return bytes == 7 ? Long.BYTES : bytes;
  }

  /** Bytes of a bit set. */
  static int bitBytes(int rows) {
    return (rows + 7) / 8;
  }

  static boolean bit(byte[] bytes, int at, int row) {
    return (bytes[at + (row >> 3)] >> (row & 7) & 1) != 0;
  }
}
