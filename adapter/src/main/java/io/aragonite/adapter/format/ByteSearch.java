package io.aragonite.adapter.format;

import io.aragonite.exec.memory.Mem;

/** Finds bytes in native memory, eight at a time. */
public final class ByteSearch {
  private static final long LOW = 0x0101010101010101L;
  private static final long REST = 0x7F7F7F7F7F7F7F7FL;

  private ByteSearch() {}

  /** Eight times a byte. */
  public static long repeated(int value) {
    return LOW * (value & 0xFF);
  }

  /** The high bit of each byte of {@code word} that equals the one repeated in {@code pattern}. */
  public static long equal(long word, long pattern) {
    long x = word ^ pattern;
    return ~(((x & REST) + REST) | x | REST);
  }

  /**
   * Where one of two bytes is first found, or {@code end}; nothing behind that is touched.
   *
   * @param first a byte, eight times
   * @param second another, eight times
   */
  public static long either(long at, long end, long first, long second) {
    while (end - at >= 8) {
      long word = Mem.getLong(at);
      long hits = equal(word, first) | equal(word, second);
      if (hits != 0) {
        return at + (Long.numberOfTrailingZeros(hits) >> 3);
      }
      at += 8;
    }
    while (at < end && Mem.getByte(at) != (byte) first && Mem.getByte(at) != (byte) second) {
      at++;
    }
    return at;
  }
}
