package io.aragonite.adapter.copy;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The distinct values of a column in a row group, in the order in which they come. */
final class NumberDictionary {
  /** Values that are so near to each other are looked up without a hash table. */
  private static final int DENSE = 1 << 16;

  private static final long MIX = 0x9E37_79B9_7F4A_7C15L;

  private long[] values = new long[256];
  private int size;

  private NumberDictionary() {}

  /**
   * The dictionary of values, whose numbers in it become {@link EncodeScratch#codes}; null if it
   * would not make them smaller.
   *
   * @param width bytes of a value
   * @param min of the values
   * @param max of the values
   */
  static @Nullable NumberDictionary of(
      long[] values, int count, int width, long min, long max, EncodeScratch scratch) {
    NumberDictionary dictionary = new NumberDictionary();
    boolean found =
        isDense(min, max)
            ? dictionary.dense(values, count, min, (int) (max - min), scratch)
            : dictionary.hashed(values, count, width, scratch);
    return found && dictionary.pays(count, width) ? dictionary : null;
  }

  /** Whether values between these bounds are looked up without a hash table. */
  static boolean isDense(long min, long max) {
    long range = max - min; // negative: it has more than 63 bits
    return range >= 0 && range < DENSE;
  }

  private boolean pays(int count, int width) {
    return ChunkEncoder.dictionaryPays(size, (long) size * width, count, (long) count * width);
  }

  /** Bytes of the dictionary, and of so many indices. */
  long bytes(int count, int width) {
    return (long) size * width + (long) count * BitPacker.width(size) / Byte.SIZE;
  }

  private boolean dense(long[] from, int count, long min, int range, EncodeScratch scratch) {
    int[] slots = scratch.slots(range + 1);
    int[] codes = scratch.codes;
    for (int i = 0; i < count; i++) {
      int slot = (int) (from[i] - min);
      int code = slots[slot];
      if (code == 0) {
        code = add(from[i]);
        slots[slot] = code;
      }
      codes[i] = code - 1;
    }
    return true;
  }

  private boolean hashed(long[] from, int count, int width, EncodeScratch scratch) {
    int most = Math.min(ChunkEncoder.MOST_DICTIONARY_BYTES / width, count / 2 + 1);
    int bits = BitPacker.width(2 * most);
    int[] slots = scratch.slots(1 << bits);
    int[] codes = scratch.codes;
    int mask = (1 << bits) - 1;
    for (int i = 0; i < count; i++) {
      long value = from[i];
      int slot = (int) (value * MIX >>> (Long.SIZE - bits));
      int code = slots[slot];
      while (code != 0 && values[code - 1] != value) {
        slot = slot + 1 & mask;
        code = slots[slot];
      }
      if (code == 0) {
        if (size == most) {
          return false;
        }
        code = add(value);
        slots[slot] = code;
      }
      codes[i] = code - 1;
      if (i + 1 == ChunkEncoder.DICTIONARY_SAMPLE && !pays(i + 1, width)) {
        return false;
      }
    }
    return true;
  }

  /** Returns the number of a new value, counted from one. */
  private int add(long value) {
    if (size == values.length) {
      values = Arrays.copyOf(values, 2 * size);
    }
    values[size++] = value;
    return size;
  }

  int size() {
    return size;
  }

  /** By their numbers. */
  long[] values() {
    return values;
  }
}
