package io.aragonite.adapter.format;

import io.aragonite.exec.memory.Mem;

/**
 * Copies integers into fewer bytes each. A loop for each pair of widths: each is compiled once, and
 * for nothing else.
 */
public final class IntegerNarrowing {
  private IntegerNarrowing() {}

  /**
   * @param from address of integers of {@code width} bytes: 4 or 8
   * @param narrow bytes of an integer at {@code to}: 1, 2 or 4, fewer than {@code width}
   * @return whether all of them fit
   */
  public static boolean copy(long from, int width, int count, int narrow, long to) {
    if (width == Long.BYTES) {
      return switch (narrow) {
        case 1 -> longsToBytes(from, count, to);
        case 2 -> longsToShorts(from, count, to);
        case 4 -> longsToInts(from, count, to);
        default -> throw new IllegalArgumentException("to " + narrow + " bytes");
      };
    }
    if (width != Integer.BYTES) {
      throw new IllegalArgumentException("from " + width + " bytes");
    }
    return switch (narrow) {
      case 1 -> intsToBytes(from, count, to);
      case 2 -> intsToShorts(from, count, to);
      default -> throw new IllegalArgumentException("from 4 to " + narrow + " bytes");
    };
  }

  private static boolean longsToBytes(long from, int count, long to) {
    long lost = 0;
    for (int i = 0; i < count; i++) {
      long value = Mem.getLong(from + 8L * i);
      lost |= value ^ (byte) value;
      Mem.putByte(to + i, (byte) value);
    }
    return lost == 0;
  }

  private static boolean longsToShorts(long from, int count, long to) {
    long lost = 0;
    for (int i = 0; i < count; i++) {
      long value = Mem.getLong(from + 8L * i);
      lost |= value ^ (short) value;
      Mem.putShort(to + 2L * i, (short) value);
    }
    return lost == 0;
  }

  private static boolean longsToInts(long from, int count, long to) {
    long lost = 0;
    for (int i = 0; i < count; i++) {
      long value = Mem.getLong(from + 8L * i);
      lost |= value ^ (int) value;
      Mem.putInt(to + 4L * i, (int) value);
    }
    return lost == 0;
  }

  private static boolean intsToBytes(long from, int count, long to) {
    int lost = 0;
    for (int i = 0; i < count; i++) {
      int value = Mem.getInt(from + 4L * i);
      lost |= value ^ (byte) value;
      Mem.putByte(to + i, (byte) value);
    }
    return lost == 0;
  }

  private static boolean intsToShorts(long from, int count, long to) {
    int lost = 0;
    for (int i = 0; i < count; i++) {
      int value = Mem.getInt(from + 4L * i);
      lost |= value ^ (short) value;
      Mem.putShort(to + 2L * i, (short) value);
    }
    return lost == 0;
  }
}
