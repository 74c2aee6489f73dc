package io.aragonite.exec.expr;

/** Functions of whole numbers, which device code is translated from. */
public final class Integers {
  private Integers() {}

  /**
   * The greatest common divisor of two numbers, negated: that of the least number and zero has no
   * positive form. Of two zeros 0.
   */
  public static long negativeGcd(long a, long b) {
    long x = a < 0 ? a : -a;
    long y = b < 0 ? b : -b;
    while (y != 0) {
      // The least number by -1 is a remainder that the processor traps at.
      long rest = y == -1 ? 0 : x % y;
      x = y;
      y = rest;
    }
    return x;
  }

  /** {@code -|a|}, which all numbers have. */
  public static long negative(long a) {
    return a < 0 ? a : -a;
  }

  /** {@code -|a|} by the greatest common divisor of both; of two zeros 0. */
  public static long negativeShare(long a, long b) {
    long divisor = negativeGcd(a, b);
    long size = negative(a);
    // The least number has no positive form; it divides itself and zero only.
    return divisor == Long.MIN_VALUE ? (size == 0 ? 0 : -1) : divisor == 0 ? 0 : size / -divisor;
  }
}
