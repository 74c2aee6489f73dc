package io.aragonite.exec.memory;

import java.math.BigInteger;

/** Integers of 128 bits, in two's complement, as decimals of more than 18 digits are stored. */
public final class Int128 {
  /** Bytes of one. */
  public static final int BYTES = 2 * Long.BYTES;

  private Int128() {}

  /** The integer of two halves. */
  public static BigInteger of(long high, long low) {
    if (high == low >> 63) {
      return BigInteger.valueOf(low);
    }
    BigInteger lower = BigInteger.valueOf(low & Long.MAX_VALUE);
    return BigInteger.valueOf(high)
        .shiftLeft(Long.SIZE)
        .add(low < 0 ? lower.setBit(Long.SIZE - 1) : lower);
  }

  /** The integer at an address, the lower half first. */
  public static BigInteger get(long address) {
    return of(Mem.getLong(address + Long.BYTES), Mem.getLong(address));
  }

  /** Puts an integer there. */
  public static void put(long address, BigInteger value) {
    Mem.putLong(address, value.longValue());
    Mem.putLong(address + Long.BYTES, value.shiftRight(Long.SIZE).longValue());
  }
}
