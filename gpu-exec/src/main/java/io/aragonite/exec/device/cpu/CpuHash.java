package io.aragonite.exec.device.cpu;

import io.aragonite.exec.expr.KeyHash;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;

/** From words to places in a table. */
final class CpuHash {
  /** 2^64 divided by the golden ratio, odd: neighbouring words land far from each other. */
  private static final long GOLDEN = 0x9E37_79B9_7F4A_7C15L;

  private CpuHash() {}

  /** The least power of two that is not below {@code least}, 2 or more. */
  static long powerOfTwo(long least) {
    return least <= 2 ? 2 : Long.highestOneBit(least - 1) << 1;
  }

  /** The shift that {@link #slot} takes for a table of {@code capacity}, a power of two from 2. */
  static int shift(long capacity) {
    return 64 - Long.numberOfTrailingZeros(capacity);
  }

  /**
   * A word's place. Words may be dense integers, packed keys whose high bits alone differ, or
   * hashes: the fold brings the high bits down before the multiplication carries all of them up.
   */
  static long slot(long word, int shift) {
    return ((word ^ (word >>> 32)) * GOLDEN) >>> shift;
  }

  /** -1 if the words differ, 0 if they are equal. */
  static int differ(long a, long b) {
    long x = a ^ b;
    return (int) ((x | -x) >> 63);
  }

  /** See {@link io.aragonite.exec.device.AggregateOps#rehash}. */
  static void rehash(Buffer words, Buffer groups, Buffer positions, int count, Buffer out) {
    for (int i = 0; i < count; i++) {
      int row = Mem.getInt(positions.address() + 4L * i);
      long word = Mem.getLong(words.address() + 8L * row);
      long group = Mem.getInt(groups.address() + 4L * row);
      Mem.putLong(out.address() + 8L * i, KeyHash.combine(word, KeyHash.ofLong(group + 1)));
    }
  }
}
