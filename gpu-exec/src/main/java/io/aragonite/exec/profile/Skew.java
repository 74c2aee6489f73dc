package io.aragonite.exec.profile;

/**
 * How often the values of a column occur, as the Zipf distribution that comes nearest.
 *
 * @param exponent 0: all equally often
 * @param values how many different ones there are
 */
public record Skew(double exponent, double values) {
  /** Gamma, for sums of 1/k. */
  private static final double EULER = 0.5772156649;

  /** All values equally often. */
  public static Skew none(double values) {
    return new Skew(0, Math.max(1, values));
  }

  /**
   * From the share of the most frequent value, as statistics have it.
   *
   * @param topShare of all rows
   */
  public static Skew of(double topShare, double values) {
    double count = Math.max(1, values);
    if (topShare * count <= 2 || count < 2) {
      return none(count);
    }
    double low = 0;
    double high = 8;
    for (int i = 0; i < 40; i++) {
      double middle = (low + high) / 2;
      if (1 / sum(count, middle) < topShare) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return new Skew((low + high) / 2, count);
  }

  /** The share of all rows that have one of the {@code top} most frequent values. */
  public double share(double top) {
    if (top >= values) {
      return 1;
    }
    if (top < 1) {
      return 0;
    }
    return exponent == 0 ? top / values : sum(top, exponent) / sum(values, exponent);
  }

  /** The sum of k^-exponent for k from 1 to n, by Euler and Maclaurin. */
  private static double sum(double n, double exponent) {
    if (exponent == 0) {
      return n;
    }
    if (Math.abs(exponent - 1) < 1e-9) {
      return n < 2 ? 1 : Math.log(n) + EULER + 1 / (2 * n);
    }
    double tail = Math.pow(n, -exponent);
    return (n * tail - 1) / (1 - exponent) + (1 + tail) / 2 + exponent / 12 * (1 - tail / n);
  }
}
