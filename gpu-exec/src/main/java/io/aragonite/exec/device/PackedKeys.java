package io.aragonite.exec.device;

/**
 * How 4-byte keys lie that were partitioned by their own bits: a part says the upper bits of its
 * keys' places, and so they need not be stored (quotients: Knuth, volume 3, section 6.4, exercise
 * 13; Cleary, 1984). A place is the key's number in another order of all 32-bit numbers, one to
 * one, so that parts are of one size whatever the keys are, but for equal ones.
 *
 * <p>Rows are in the order of their places' upper {@link #SAID_BITS} bits. A piece, the keys of a
 * part, is where each group of rows with the same upper bits begins, from the piece's first row, 4
 * bytes a group and 4 more; then, from the next multiple of {@link #LINE}, the lower bits of each
 * row's place, 2 bytes.
 */
public final class PackedKeys {
  /** Bits of a place that are not stored with a row. */
  public static final int SAID_BITS = 16;

  /** Pieces begin at multiples of so many bytes. */
  private static final int LINE = 16;

  private PackedKeys() {}

  /** A key's place (the finalizer of MurmurHash3). */
  public static int place(int key) {
    int x = key;
    x ^= x >>> 16;
    x *= 0x85EBCA6B;
    x ^= x >>> 13;
    x *= 0xC2B2AE35;
    return x ^ x >>> 16;
  }

  /** The key at a place. */
  public static int key(int place) {
    int x = place;
    x ^= x >>> 16;
    x *= 0x7ED1B41D;
    x ^= x >>> 13 ^ x >>> 26;
    x *= 0xA5CB9243;
    return x ^ x >>> 16;
  }

  /** Groups of a part, of 2^partBits. */
  public static int groups(int partBits) {
    return 1 << (SAID_BITS - partBits);
  }

  /** Bytes in front of the lower bits. */
  public static long head(int partBits) {
    return padded(4L * groups(partBits) + 4);
  }

  /** Bytes of the piece of a part that has so many rows. */
  public static long bytes(int partBits, int rows) {
    return padded(head(partBits) + 2L * rows);
  }

  /**
   * Where the piece of a part begins, among the pieces of all.
   *
   * @param first the part's first row
   */
  public static long offset(int partBits, int part, long first) {
    // Twice a line, since both what is before it and its own end may be rounded up.
    return part * (head(partBits) + 2 * LINE) + padded(2 * first);
  }

  private static long padded(long bytes) {
    return (bytes + LINE - 1) & -LINE;
  }
}
