package io.aragonite.exec.page;

import io.aragonite.exec.memory.Mem;

/** Checks text, so that nothing behind the readers meets bytes that are not UTF-8. */
public final class Utf8 {
  private static final long HIGH_BITS = 0x8080808080808080L;

  private Utf8() {}

  /**
   * Whether values that lie one behind the other are UTF-8 each.
   *
   * @param address the first value's first byte
   * @param length of all values
   * @param base what ends count from
   * @param ends of the values, 32 bits each
   */
  public static boolean isValid(long address, long length, long base, long ends, int count) {
    if (isAscii(address, length)) {
      return true;
    }
    long from = address;
    for (int i = 0; i < count; i++) {
      long to = base + Mem.getInt(ends + 4L * i);
      if (!isValid(from, to - from)) {
        return false;
      }
      from = to;
    }
    return true;
  }

  /** Characters of a text. */
  public static int characters(long address, int length) {
    int count = 0;
    for (int i = 0; i < length; i++) {
      count += (Mem.getByte(address + i) & 0xC0) != 0x80 ? 1 : 0;
    }
    return count;
  }

  public static boolean isAscii(long address, long length) {
    long i = 0;
    for (; i + 32 <= length; i += 32) {
      long any =
          Mem.getLong(address + i)
              | Mem.getLong(address + i + 8)
              | Mem.getLong(address + i + 16)
              | Mem.getLong(address + i + 24);
      if ((any & HIGH_BITS) != 0) {
        return false;
      }
    }
    byte any = 0;
    for (; i < length; i++) {
      any |= Mem.getByte(address + i);
    }
    return any >= 0;
  }

  /** Whether bytes are UTF-8: no surrogates, nothing longer than needed, at most U+10FFFF. */
  public static boolean isValid(long address, long length) {
    long at = address;
    long end = address + length;
    while (at < end) {
      if (end - at >= 8 && (Mem.getLong(at) & HIGH_BITS) == 0) {
        at += 8;
        continue;
      }
      int first = Mem.getByte(at++) & 0xFF;
      if (first < 0x80) {
        continue;
      }
      int more = first < 0xC2 ? -1 : first < 0xE0 ? 1 : first < 0xF0 ? 2 : first < 0xF5 ? 3 : -1;
      if (more < 0 || end - at < more) {
        return false;
      }
      int second = Mem.getByte(at) & 0xFF;
      int least = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
      int most = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
      if (second < least || second > most) {
        return false;
      }
      for (int i = 1; i < more; i++) {
        if ((Mem.getByte(at + i) & 0xC0) != 0x80) {
          return false;
        }
      }
      at += more;
    }
    return true;
  }
}
