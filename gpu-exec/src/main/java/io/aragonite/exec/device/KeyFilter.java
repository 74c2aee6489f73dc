package io.aragonite.exec.device;

import io.aragonite.exec.memory.Buffer;

/**
 * Says of words whether they may be among those that it was made of. Exact where a bit for every
 * word of their range is little memory; else a Bloom filter whose four bits for a word lie in one
 * block of 64 (Putze, Sanders and Singler, "Cache-, hash- and space-efficient Bloom filters",
 * 2007), of 16 to 32 bits a word: one word in a hundred or fewer passes that should not.
 */
public interface KeyFilter extends AutoCloseable {
  long bytes();

  /** Whether no word passes that should not. */
  boolean exact();

  /** How many different words an exact filter lets through; -1 if that is not known. */
  default long distinct() {
    return -1;
  }

  /**
   * Positions of the words that may be among the filter's, ascending.
   *
   * @param words 64-bit
   * @return how many
   */
  int select(ExecContext context, Buffer words, int count, Buffer out);

  /**
   * The same of words that are the values of a column less {@code zero}.
   *
   * @param bytes of a value, 4 or 8
   * @return -1 if the words have to be made
   */
  default int select(
      ExecContext context, Buffer values, int bytes, long zero, int count, Buffer out) {
    return -1;
  }

  @Override
  void close();

  /** Whether a range of words is worth a bit each: no more memory than a Bloom filter, or 1 MiB. */
  static boolean exact(long range, int count) {
    return Long.compareUnsigned(range, Math.max(32L * count, 1 << 23)) < 0;
  }

  /** Blocks of a Bloom filter for {@code count} words. */
  static long blocks(int count) {
    return Long.highestOneBit(Math.max(1, count / 4L)) << 1;
  }

  /** Mixes a word; block and bits come from the result. */
  static long mix(long word) {
    long w = (word ^ word >>> 32) * 0x9E37_79B9_7F4A_7C15L;
    return (w ^ w >>> 29) * 0xBF58_476D_1CE4_E5B9L;
  }

  /** The bits of a mixed word in its block, which the upper half of it numbers. */
  static long bits(long mixed) {
    return 1L << (mixed >>> 2) | 1L << (mixed >>> 8) | 1L << (mixed >>> 14) | 1L << (mixed >>> 20);
  }
}
