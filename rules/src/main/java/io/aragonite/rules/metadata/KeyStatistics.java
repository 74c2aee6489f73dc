package io.aragonite.rules.metadata;

import java.util.List;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.metadata.RelMetadataQuery;
import org.jspecify.annotations.Nullable;

/** What statistics of columns say of the keys of a join, its build and its probe side. */
public final class KeyStatistics {
  private final @Nullable Double sketched;
  private final double topShare;
  private final String guessed;

  private KeyStatistics(@Nullable Double sketched, double topShare, String guessed) {
    this.sketched = sketched;
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
      return new KeyStatistics(null, 0, "match ratio and skew of several keys");
    }
    ColumnStatistics left = ColumnStatisticsFinder.find(build, mq, buildKeys.get(0));
    ColumnStatistics right = ColumnStatisticsFinder.find(probe, mq, probeKeys.get(0));
    String guessed =
        left.distinct() < 0 || right.distinct() < 0 ? "distinct keys, match ratio and skew" : "";
    return new KeyStatistics(null, 0, guessed);
  }

  /**
   * The share of probe rows with a partner.
   *
   * @param buildDistinct distinct keys of the build side as it comes to the join
   * @param probeDistinct the same of the probe side
   */
  public double matchRatio(double buildDistinct, double probeDistinct) {
    double contained = Math.min(1, buildDistinct / Math.max(1, probeDistinct));
    return sketched == null ? contained : Math.min(sketched, contained);
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
