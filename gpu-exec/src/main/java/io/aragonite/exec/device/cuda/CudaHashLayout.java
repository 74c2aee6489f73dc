package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.PartitionFunction;
import io.aragonite.exec.memory.Buffer;

/**
 * How the map of a {@link CudaHashTable} lies: an array by word where words are dense; else an
 * open-addressing table with linear probing, at most half full: with 8-byte slots if the range of
 * the words and the row ids together fit 63 bits, and with 16-byte slots if they do not. Slots are
 * chosen by mixed words; but where words are inserted in ascending order and lie evenly, those of 8
 * bytes are in the order of words: rows of the probe side that are near each other in that order,
 * as those of tables with one clustering are, then visit slots near each other.
 *
 * @param base the least word; what is kept of a word is its distance to that
 * @param range the greatest distance, unsigned
 * @param mask slots less one; 0 for an array
 * @param shift what is left of a mixed word are its bits from here on
 * @param idBits bits of an id in a packed slot
 * @param scale slots a word, times 2^64, in a packed table in the order of words; 0 if words are
 *     mixed
 */
record CudaHashLayout(
    SlotKind kind, long base, long range, long mask, int shift, int idBits, long scale) {
  /** What there is for a word. */
  enum SlotKind {
    /** An entry of four bytes of an array. */
    DIRECT,
    /** Eight bytes. */
    PACKED,
    /** Sixteen bytes. */
    WIDE
  }

  private static final long MOST_SLOTS = 1L << 31;

  /** Entries of four bytes that an array may have a row: a packed table takes 16 bytes a row. */
  private static final long DIRECT_FACTOR = 4;

  /** ... and that it may always have. */
  private static final long DIRECT_SMALL = 1 << 16;

  private static final int ARGUMENTS = 7;

  /**
   * The layout for words of an order.
   *
   * @param largestId of a row
   * @param words how many there will be at most
   */
  static CudaHashLayout of(PartitionFunction order, long largestId, int words) {
    int idBits = CudaWords.bits(largestId);
    if (!order.mixed()) {
      return new CudaHashLayout(SlotKind.DIRECT, order.base(), order.range(), 0, 0, idBits, 0);
    }
    int keyBits = CudaWords.bits(order.range());
    boolean packed = keyBits + idBits <= 63;
    if (keyBits < Integer.SIZE) {
      idBits = Integer.SIZE;
    }
    // Wide slots have whole words.
    CudaHashLayout layout =
        packed
            ? new CudaHashLayout(SlotKind.PACKED, order.base(), order.range(), 0, 0, idBits, 0)
            : new CudaHashLayout(SlotKind.WIDE, 0, -1, 0, 0, idBits, 0);
    return layout.withSlots(words, packed && order.ascending());
  }

  /**
   * The same with slots for so many words.
   *
   * @param ordered whether slots are to be in the order of words
   */
  CudaHashLayout withSlots(int words, boolean ordered) {
    if (kind == SlotKind.DIRECT) {
      return this;
    }
    long capacity = Math.min(MOST_SLOTS, CudaWords.powerOfTwo(2L * words));
    long newScale = ordered ? scale(capacity, range) : 0;
    return new CudaHashLayout(
        kind, base, range, capacity - 1, CudaWords.shift(capacity), idBits, newScale);
  }

  /** The slots for each of the words of a range, times 2^64; 0 if there are more slots. */
  private static long scale(long capacity, long range) {
    return range < capacity ? 0 : (long) Math.scalb((double) capacity / (range + 1), 63) << 1;
  }

  /** Whether slots are in the order of words. */
  boolean ordered() {
    return scale != 0;
  }

  /** Slots, or entries; wide ones have one more behind them, for the word that marks free slots. */
  long slots() {
    return switch (kind) {
      case DIRECT -> range + 1;
      case PACKED -> mask + 1;
      case WIDE -> mask + 2;
    };
  }

  /** Bytes of the map. */
  long bytes() {
    return switch (kind) {
      case DIRECT -> 4 * slots();
      case PACKED -> 8 * slots();
      case WIDE -> 16 * slots();
    };
  }

  /** The name of a kernel for this layout. */
  String name(String kernel) {
    return switch (kind) {
      case DIRECT -> kernel + "_direct";
      case PACKED -> kernel + "_packed";
      case WIDE -> kernel + "_wide";
    };
  }

  /**
   * Whether keys and ids are halves of slots, and words of 4 bytes can be looked up in 32 bits: the
   * distance of one from the least word is never mistaken for another's.
   */
  boolean hasHalves() {
    long greatest = base + range;
    return kind == SlotKind.PACKED
        && idBits == Integer.SIZE
        && base == (int) base
        && greatest == (int) greatest;
  }

  /** The name of a kernel for words of 4 bytes in slots that have halves. */
  String nameOfHalves(String kernel) {
    return kernel + (ordered() ? "_packed32_ordered" : "_packed32");
  }

  /** A kernel's arguments, of which those of the map come first. */
  Object[] arguments(Buffer map, Object... rest) {
    Object[] args = new Object[ARGUMENTS + rest.length];
    args[0] = map;
    args[1] = base;
    args[2] = range;
    args[3] = mask;
    args[4] = shift;
    args[5] = idBits;
    args[6] = scale;
    System.arraycopy(rest, 0, args, ARGUMENTS, rest.length);
    return args;
  }

  /**
   * How words of some bounds are ordered.
   *
   * @param bounds as the kernel tells them
   */
  static PartitionFunction order(long[] bounds, int count) {
    long base = bounds[0];
    long range = ~bounds[1] - bounds[0];
    boolean ascending = (bounds[5] & 1) != 0;
    long signedRange = ~bounds[3] - bounds[2];
    if (Long.compareUnsigned(signedRange, range) < 0) {
      base = bounds[2] ^ Long.MIN_VALUE;
      range = signedRange;
      ascending = (bounds[5] & 2) != 0;
    }
    long mostDirect = Math.min(MOST_SLOTS, Math.max(DIRECT_SMALL, DIRECT_FACTOR * count));
    if (Long.compareUnsigned(range, mostDirect) < 0) {
      return new PartitionFunction(false, base, range, ascending);
    }
    // Wide tables mix whole words.
    boolean packed = CudaWords.bits(range) + CudaWords.bits(count - 1) <= 63;
    return packed
        ? new PartitionFunction(true, base, range, ascending)
        : new PartitionFunction(true, 0, -1L);
  }
}
