package io.aragonite.exec.table;

import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.type.Storage;

/**
 * The least and the greatest of integers. All who look for them do it here, a block at a time: this
 * code is compiled once, after some blocks.
 */
public final class IntegerBounds {
  private IntegerBounds() {}

  /**
   * Looks at values of which none is null.
   *
   * @param storage of integers in at most 64 bits
   * @param rows at least 1
   * @param place where in both arrays the bounds go
   */
  public static void look(
      Storage storage, long address, int rows, long[] least, long[] greatest, int place) {
    switch (storage) {
      case BYTE -> bytes(address, rows, least, greatest, place);
      case SHORT -> shorts(address, rows, least, greatest, place);
      case INT -> ints(address, rows, least, greatest, place);
      case LONG -> longs(address, rows, least, greatest, place);
      default -> throw new IllegalArgumentException(storage.name());
    }
  }

  private static void bytes(long address, int rows, long[] least, long[] greatest, int place) {
    int low = Byte.MAX_VALUE;
    int high = Byte.MIN_VALUE;
    for (int i = 0; i < rows; i++) {
      int value = Mem.getByte(address + i);
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
    least[place] = low;
    greatest[place] = high;
  }

  private static void shorts(long address, int rows, long[] least, long[] greatest, int place) {
    int low = Short.MAX_VALUE;
    int high = Short.MIN_VALUE;
    for (int i = 0; i < rows; i++) {
      int value = Mem.getShort(address + 2L * i);
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
    least[place] = low;
    greatest[place] = high;
  }

  private static void ints(long address, int rows, long[] least, long[] greatest, int place) {
    int low = Integer.MAX_VALUE;
    int high = Integer.MIN_VALUE;
    for (int i = 0; i < rows; i++) {
      int value = Mem.getInt(address + 4L * i);
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
    least[place] = low;
    greatest[place] = high;
  }

  private static void longs(long address, int rows, long[] least, long[] greatest, int place) {
    long low = Long.MAX_VALUE;
    long high = Long.MIN_VALUE;
    for (int i = 0; i < rows; i++) {
      long value = Mem.getLong(address + 8L * i);
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
    least[place] = low;
    greatest[place] = high;
  }
}
