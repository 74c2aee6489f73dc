package io.aragonite.adapter.copy;

import io.aragonite.exec.memory.Mem;

/** Copies few bytes, without a call of the library. */
final class ShortCopy {
  private static final int LONGEST = 128;

  private ShortCopy() {}

  /** Reads and writes nothing but these bytes. */
  static void copy(long from, long to, int length) {
    if (length > LONGEST) {
      Mem.copy(from, to, length);
    } else if (length >= Long.BYTES) {
      int last = length - Long.BYTES;
      for (int i = 0; i < last; i += Long.BYTES) {
        Mem.putLong(to + i, Mem.getLong(from + i));
      }
      Mem.putLong(to + last, Mem.getLong(from + last));
    } else {
      for (int i = 0; i < length; i++) {
        Mem.putByte(to + i, Mem.getByte(from + i));
      }
    }
  }
}
