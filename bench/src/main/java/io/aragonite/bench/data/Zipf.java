package io.aragonite.bench.data;

/**
 * Ranks 1 to n by Zipf's law, by rejection-inversion (Hörmann and Derflinger, 1996): constant time
 * a number for any n and exponent.
 */
public final class Zipf {
  private final int n;
  private final double exponent;
  private final double first;
  private final double last;
  private final double accepted;

  /**
   * @param exponent more than 0
   */
  public Zipf(int n, double exponent) {
    this.n = n;
    this.exponent = exponent;
    first = integral(1.5) - 1;
    last = integral(n + 0.5);
    accepted = 2 - inverse(integral(2.5) - density(2));
  }

  /**
   * A rank made of random bits.
   *
   * @param seed of this number
   */
  public int rank(long seed) {
    for (long state = seed; ; state++) {
      double random = (BenchColumns.mix(state) >>> 11) * 0x1.0p-53;
      double u = last + random * (first - last);
      double x = inverse(u);
      int k = (int) Math.clamp((long) (x + 0.5), 1, n);
      if (k - x <= accepted || u >= integral(k + 0.5) - density(k)) {
        return k;
      }
    }
  }

  private double density(double x) {
    return Math.exp(-exponent * Math.log(x));
  }

  private double integral(double x) {
    double log = Math.log(x);
    double t = (1 - exponent) * log;
    return log * (Math.abs(t) > 1e-8 ? Math.expm1(t) / t : 1 + t / 2 * (1 + t / 3));
  }

  private double inverse(double x) {
    double t = Math.max(-1, x * (1 - exponent));
    return Math.exp(x * (Math.abs(t) > 1e-8 ? Math.log1p(t) / t : 1 - t * (0.5 - t / 3)));
  }
}
