package io.aragonite.adapter.copy;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/** Which texts of a delimited file stand between quotes: those that would be read otherwise. */
public final class CsvQuotes {
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long ONES = 0x0101_0101_0101_0101L;

  private CsvQuotes() {}

  /**
   * Whether a text has delimiters, quotes or line ends in it, blanks around it, is empty, or stands
   * for null.
   *
   * @param value in UTF-8
   * @param nullText what stands for null in the file
   */
  public static boolean areNeeded(byte[] value, char delimiter, char quote, byte[] nullText) {
    return areNeeded(value, 0, value.length, delimiter, quote, nullText);
  }

  /** The same of a part of an array. */
  static boolean areNeeded(
      byte[] bytes, int from, int to, char delimiter, char quote, byte[] nullText) {
    if (from == to
        || bytes[from] == ' '
        || bytes[to - 1] == ' '
        || bytes[from] == '\\'
        || Arrays.equals(bytes, from, to, nullText, 0, nullText.length)) {
      return true;
    }
    int at = from;
    for (; at + Long.BYTES <= to; at += Long.BYTES) {
      long word = (long) LONGS.get(bytes, at);
      long found =
          zeros(word ^ delimiter * ONES)
              | zeros(word ^ quote * ONES)
              | zeros(word ^ '\n' * ONES)
              | zeros(word ^ '\r' * ONES);
      if (found != 0) {
        return true;
      }
    }
    for (; at < to; at++) {
      byte one = bytes[at];
      if (one == delimiter || one == quote || one == '\n' || one == '\r') {
        return true;
      }
    }
    return false;
  }

  /** Not zero if one of the bytes is. */
  private static long zeros(long word) {
    return word - ONES & ~word & ONES << 7;
  }
}
