package io.aragonite.bench.cold;

/**
 * A time.
 *
 * @param round from 1
 * @param query the statement's name
 * @param millis of the clock
 * @param planMillis of them, until the statement was planned; not a number where nobody knows
 * @param cpuMillis of all processors
 */
record ColdTime(int round, String query, double millis, double planMillis, double cpuMillis) {
  /** Of what has no planning, or none that is known. */
  static ColdTime unplanned(double millis, double cpuMillis) {
    return new ColdTime(0, "", millis, Double.NaN, cpuMillis);
  }
}
