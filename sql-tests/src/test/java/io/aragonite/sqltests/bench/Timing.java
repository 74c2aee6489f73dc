package io.aragonite.sqltests.bench;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The times of one query on one engine.
 *
 * @param query name of the query
 * @param engine name of the engine
 * @param millis times of the repeats in milliseconds, ascending; empty if it failed
 * @param rows rows of the result
 * @param complaint why it failed, or how its result differs from that of the reference; else null
 */
public record Timing(
    String query, String engine, double[] millis, long rows, @Nullable String complaint) {
  /** Sorts a copy of the times. */
  public Timing {
    millis = millis.clone();
    Arrays.sort(millis);
  }

  /** Whether there are times, right or not. */
  public boolean ran() {
    return millis.length > 0;
  }

  /** The shortest time in milliseconds; NaN if it failed. */
  public double best() {
    return ran() ? millis[0] : Double.NaN;
  }

  /** The median time in milliseconds; NaN if it failed. */
  public double median() {
    return ran() ? millis[millis.length / 2] : Double.NaN;
  }

  /** The longest time in milliseconds; NaN if it failed. */
  public double worst() {
    return ran() ? millis[millis.length - 1] : Double.NaN;
  }
}
