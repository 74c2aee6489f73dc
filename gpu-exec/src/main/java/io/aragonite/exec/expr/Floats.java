package io.aragonite.exec.expr;

/** Functions of floats that Java's library leaves to its implementation. */
public final class Floats {
  private Floats() {}

  /** Java's power; to one half it is the square root, which is exact to the last bit. */
  public static double power(double x, double y) {
    return y == 0.5 ? squareRoot(x) : Math.pow(x, y);
  }

  /** {@code Math.pow(x, 0.5)}, correctly rounded. */
  public static double squareRoot(double x) {
    if (x >= 0) {
      // No power is -0.
      return Math.sqrt(x) + 0.0;
    }
    return x == Double.NEGATIVE_INFINITY ? Double.POSITIVE_INFINITY : Double.NaN;
  }
}
