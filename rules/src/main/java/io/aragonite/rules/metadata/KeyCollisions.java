package io.aragonite.rules.metadata;

import java.util.Map;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.metadata.RelMetadataQuery;
import org.apache.calcite.util.ImmutableBitSet;

/** How often values of two columns meet, frequent values seen apart from the others. */
public final class KeyCollisions {
  private KeyCollisions() {}

  /** The share of pairs of rows with equal values, as if all values were equally frequent. */
  public static double uniform(
      RelNode left, int leftColumn, RelNode right, int rightColumn, RelMetadataQuery mq) {
    return 1
        / Math.max(
            JoinEstimates.distinct(left, mq, ImmutableBitSet.of(leftColumn)),
            JoinEstimates.distinct(right, mq, ImmutableBitSet.of(rightColumn)));
  }

  /** The share of pairs of rows with equal values, as far as frequent values are known. */
  public static double share(
      RelNode left, int leftColumn, RelNode right, int rightColumn, RelMetadataQuery mq) {
    double uniform = uniform(left, leftColumn, right, rightColumn, mq);
    Histogram ofLeft = ColumnStatisticsFinder.find(left, mq, leftColumn).histogram();
    Histogram ofRight = ColumnStatisticsFinder.find(right, mq, rightColumn).histogram();
    double restLeft = 1 - ofLeft.frequentShare();
    double restRight = 1 - ofRight.frequentShare();
    double both = 0;
    for (Map.Entry<Object, Double> frequent : ofLeft.frequent().entrySet()) {
      Double other = ofRight.share(frequent.getKey());
      both += frequent.getValue() * (other != null ? other : restRight * uniform);
    }
    for (Map.Entry<Object, Double> frequent : ofRight.frequent().entrySet()) {
      if (ofLeft.share(frequent.getKey()) == null) {
        both += frequent.getValue() * restLeft * uniform;
      }
    }
    return Math.max(uniform, both + restLeft * restRight * uniform);
  }
}
