package io.aragonite.rules.metadata;

import java.util.List;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.metadata.RelMetadataQuery;
import org.jspecify.annotations.Nullable;

/** What statistics of columns say of the keys of a join, its build and its probe side. */
public final class KeyStatistics {
  private final @Nullable Double shared;
  private final double buildValues;
  private final double topShare;
  private final String guessed;

  private KeyStatistics(
      @Nullable Double shared, double buildValues, double topShare, String guessed) {
    this.shared = shared;
    this.buildValues = buildValues;
    this.topShare = topShare;
    this.guessed = guessed;
  }

  /** Of the columns that are equal; both lists are of the same length. */
  public static KeyStatistics of(
      RelNode build,
      List<Integer> buildKeys,
      RelNode probe,
      List<Integer> probeKeys,
      RelMetadataQuery mq) {
    if (buildKeys.size() != 1) {
      return new KeyStatistics(null, 0, 0, "match ratio and skew of several keys");
    }
    KeySketch left = ColumnStatisticsFinder.sketch(build, mq, buildKeys.get(0));
    KeySketch right = ColumnStatisticsFinder.sketch(probe, mq, probeKeys.get(0));
    double top = right == null ? 0 : right.topShare();
    if (left == null || right == null) {
      String what = right == null ? "match ratio and skew" : "match ratio";
      return new KeyStatistics(null, 0, top, what);
    }
    Double shared = right.sharedWith(left);
    return new KeyStatistics(shared, left.distinct(), top, shared == null ? "match ratio" : "");
  }

  /**
   * The share of probe rows with a partner. Sketches say which values of the probe side's column
   * are in the build side's at all; of these, filters of the build side leave as large a part as of
   * all of its values. Without sketches, the fewer values are taken to be among the others.
   *
   * @param buildDistinct distinct keys of the build side as it comes to the join
   * @param probeDistinct the same of the probe side
   */
  public double matchRatio(double buildDistinct, double probeDistinct) {
    return shared == null
        ? Math.min(1, buildDistinct / Math.max(1, probeDistinct))
        : shared * Math.min(1, buildDistinct / Math.max(1, buildValues));
  }

  /** The share of probe rows that have the most frequent key; 0 if none is known. */
  public double topShare() {
    return topShare;
  }

  /** What had to be guessed; empty if nothing had. */
  public String guessed() {
    return guessed;
  }

  /** Largest less smallest key plus one, over all key columns; infinite if that is not known. */
  public static double range(RelNode rel, List<Integer> keys, RelMetadataQuery mq) {
    double range = 1;
    for (int key : keys) {
      ColumnStatistics column = ColumnStatisticsFinder.find(rel, mq, key);
      Double min = column.min();
      Double max = column.max();
      range *= min == null || max == null ? Double.POSITIVE_INFINITY : max - min + 1;
    }
    return range;
  }
}
