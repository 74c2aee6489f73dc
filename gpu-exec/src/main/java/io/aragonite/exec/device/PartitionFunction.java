package io.aragonite.exec.device;

/**
 * The order in which a device's hash table over certain words has its entries: by the words
 * themselves where they are dense, else by a mix of their bits that is the device's own. Rows that
 * are partitioned in this order find all of a partition's words in one part of the table.
 *
 * @param mixed whether entries are in the order of the mixed words
 * @param base what is subtracted from a word first
 * @param range the largest distance from {@code base} among the words, unsigned
 * @param ascending whether it is known of the words, as they lie, that no distance is less than the
 *     one before
 */
public record PartitionFunction(boolean mixed, long base, long range, boolean ascending) {
  /** Of words in any order. */
  public PartitionFunction(boolean mixed, long base, long range) {
    this(mixed, base, range, false);
  }

  /** The same for these words in another order. */
  public PartitionFunction anyOrder() {
    return new PartitionFunction(mixed, base, range);
  }

  /**
   * Of the 64-bit distance from {@link #base}, or of its mix, how far the {@code bits} that number
   * the partitions are shifted up.
   */
  public int shift(int bits) {
    return mixed
        ? Long.SIZE - bits
        : Math.max(0, Long.SIZE - Long.numberOfLeadingZeros(range) - bits);
  }
}
