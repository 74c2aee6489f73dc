package io.aragonite.exec.cost;

import io.aragonite.exec.profile.Skew;

/**
 * What a price of a join is made of. All figures may be estimates.
 *
 * @param build the side that a table is made of
 * @param probe the side that is looked up
 * @param wordBytes of a key as it is joined: 4 or 8
 * @param distinct different keys of the build side
 * @param keyRange largest less smallest key of the build side, plus one; infinite if keys are not
 *     numbers or nothing is known
 * @param matchRatio share of probe rows with a partner
 * @param within share of probe rows whose key lies within the bounds of the build side's: what a
 *     table by direct address is visited by, whether there is a partner or not
 * @param outRows pairs that come out
 * @param skew how probe rows spread over the build side's keys
 * @param streamed whether sides come through pipelines, so that whoever wants all of one at once
 *     must collect it; else they are all there, as the columns of tables are that a device keeps,
 *     and their keys are words as they are
 */
public record JoinShape(
    JoinSideShape build,
    JoinSideShape probe,
    int wordBytes,
    double distinct,
    double keyRange,
    double matchRatio,
    double within,
    double outRows,
    Skew skew,
    boolean streamed) {

  /** Where nothing is known of the probe side's bounds, they are taken to be the build side's. */
  public JoinShape(
      JoinSideShape build,
      JoinSideShape probe,
      int wordBytes,
      double distinct,
      double keyRange,
      double matchRatio,
      double outRows,
      Skew skew,
      boolean streamed) {
    this(build, probe, wordBytes, distinct, keyRange, matchRatio, 1, outRows, skew, streamed);
  }

  /**
   * A side.
   *
   * @param rows of it
   * @param columns that are wanted afterwards
   * @param bytes of these columns in a row
   * @param gathered of these columns those that cannot be moved with their key (texts, wide values,
   *     nulls) and are fetched from where they were
   * @param sorted whether its keys ascend already
   */
  public record JoinSideShape(
      double rows, int columns, double bytes, int gathered, boolean sorted) {
    /** A side whose columns all move. */
    public static JoinSideShape of(double rows, int columns, double bytes) {
      return new JoinSideShape(rows, columns, bytes, 0, false);
    }

    double columnBytes() {
      return columns == 0 ? 0 : bytes / columns;
    }
  }

  /** The share of evenly spread probe keys that lie within the bounds of the build side's. */
  public static double within(double min, double max, double probeMin, double probeMax) {
    double span = probeMax - probeMin + 1;
    double shared = Math.min(max, probeMax) - Math.max(min, probeMin) + 1;
    return span > 0 ? Math.clamp(shared / span, 0, 1) : 1;
  }

  /** Rows with the same key are in the build side. */
  boolean repeats() {
    return distinct < 0.99 * build.rows;
  }
}
