package io.aragonite.exec.cost;

/**
 * The hash table that a GPU makes of a build side: an array by word where words are dense, else
 * slots that are searched one by one, of which half are free at least. Where words repeat, each is
 * in the table once, with the number of its list of rows. Many rows with repeated words are sorted,
 * so that the table has room for the different words only.
 */
final class DeviceTable {
  /** Entries of an array that a row may have, and that an array may always have. */
  private static final double DENSE_FACTOR = 4;

  private static final double DENSE_SMALL = 1 << 16;

  /** Rows with repeated words are sorted from so many on. */
  private static final double SORTED_ROWS = 1 << 21;

  private static final int ENTRY = 4;

  /** A slot of a word within its range and a number in 63 bits, and one of any word. */
  private static final int PACKED_SLOT = 8;

  private static final int PACKED_BITS = 63;

  private static final int WIDE_SLOT = 16;

  /** Bits of words that are sorted as keys of four bytes. */
  private static final int NARROW_BITS = 32;

  private final boolean dense;
  private final double slotBytes;
  private final double slots;
  private final double filled;
  private final double load;
  private final double bits;

  DeviceTable(JoinShape s) {
    double rows = Math.max(1, s.build().rows());
    double distinct = Math.clamp(s.distinct(), 1, rows);
    double range = Math.max(1, s.keyRange());
    dense = range <= Math.max(DENSE_SMALL, DENSE_FACTOR * rows);
    boolean packed = log2(range) + log2(rows) <= PACKED_BITS;
    slotBytes = dense ? ENTRY : packed ? PACKED_SLOT : WIDE_SLOT;
    boolean sorted = s.repeats() && rows >= SORTED_ROWS;
    slots = dense ? range : slots(sorted ? distinct : rows);
    load = distinct / slots;
    // Before it is known that words repeat, there is a table for all rows.
    filled = bytes() + (sorted && !dense ? slotBytes * slots(rows) : 0);
    bits = dense || packed ? log2(range) : Long.SIZE;
  }

  private static double slots(double words) {
    // A logarithm may lie a hair above the whole number that it is.
    return Math.pow(2, Math.ceil(log2(2 * words) - 1e-9));
  }

  private static double log2(double value) {
    return Math.log(Math.max(2, value)) / Math.log(2);
  }

  boolean dense() {
    return dense;
  }

  double bytes() {
    return slots * slotBytes;
  }

  /** Bytes that are set to be free, in this table and in one that it replaces. */
  double filled() {
    return filled;
  }

  /**
   * Slots that a search looks at for a word that is not there, with linear probing (Knuth, The Art
   * of Computer Programming, 6.4).
   */
  double missLength() {
    double free = 1 - load;
    return (1 + 1 / (free * free)) / 2;
  }

  /** Passes of a sort of its words by 8 bits. */
  double sortPasses() {
    return Math.ceil(bits / Byte.SIZE);
  }

  /** Whether its words are sorted as keys of eight bytes. */
  boolean wide() {
    return bits > NARROW_BITS;
  }
}
