package io.aragonite.exec.codegen;

/**
 * Sums that each lane of a warp has for itself in a block's shared memory, so that nobody waits for
 * anybody. Lanes' words of one sum lie side by side. This is Java to be translated: no JVM has such
 * memory.
 */
public final class LaneSums {
  /** Lanes of a warp. */
  public static final int LANES = 32;

  /** Bytes from a lane's sum to its next one. */
  public static final int STRIDE = LANES * Long.BYTES;

  private LaneSums() {}

  /**
   * Adds to a sum.
   *
   * @param place its address in shared memory
   */
  static void add(int place, long value) {
    throw new UnsupportedOperationException(value + " was to be added at " + place);
  }
}
