package io.aragonite.rules.function;

import io.aragonite.exec.plan.WindowFrame;
import org.jspecify.annotations.Nullable;

/**
 * Distances of frames that are columns, for Calcite's code, which fails over nulls and takes any
 * number. A distance is a number that is not negative.
 */
public final class FrameDistances {
  /** Rows beyond all that a partition has; a place and so many fit an INTEGER. */
  private static final long MOST_ROWS = 1 << 30;

  private FrameDistances() {}

  /** Of ROWS: no more than are there, so that a place and a distance have a sum. */
  public static long rows(@Nullable Long distance) {
    return Math.min(whole(distance), MOST_ROWS);
  }

  /** Whole numbers, and intervals as their milliseconds. */
  public static long whole(@Nullable Long distance) {
    if (distance == null || distance < 0) {
      throw WindowFrame.FrameBound.invalid(distance);
    }
    return distance;
  }

  /** Of floating-point orders: finite, since an infinity less an infinity is no number. */
  public static double real(@Nullable Double distance) {
    if (distance == null || !(distance >= 0) || distance.isInfinite()) {
      throw WindowFrame.FrameBound.invalid(distance);
    }
    return distance;
  }
}
