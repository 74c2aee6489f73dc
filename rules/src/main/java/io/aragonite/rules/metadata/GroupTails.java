package io.aragonite.rules.metadata;

import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.metadata.RelMetadataQuery;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlKind;
import org.jspecify.annotations.Nullable;

/**
 * The share of groups whose count or sum is beyond a bound: a group's rows are taken to be as many
 * as a Poisson variable says whose mean is that of all groups, and their values to be spread evenly
 * between the column's bounds. Then n rows of mean m and variance v have a sum of mean n m and
 * variance n (v + m^2), which is nearly normal.
 */
final class GroupTails {
  /** Deviations from the mean beyond which hardly a group is. */
  private static final double FAR = 6;

  private GroupTails() {}

  /**
   * The share.
   *
   * @param term over the output of the aggregate
   * @return a guess if it compares two of the columns; null if it is no comparison of a count or a
   *     sum with a number, or nothing is known of the column
   */
  static @Nullable Double share(Aggregate rel, RelMetadataQuery mq, RexNode term) {
    if (RelOptUtil.InputFinder.bits(term).cardinality() > 1) {
      // What compares two figures of a group looks for no exceptions.
      return SelectivityEstimator.RANGE;
    }
    boolean above = term.isA(SqlKind.GREATER_THAN) || term.isA(SqlKind.GREATER_THAN_OR_EQUAL);
    boolean below = term.isA(SqlKind.LESS_THAN) || term.isA(SqlKind.LESS_THAN_OR_EQUAL);
    if (!above && !below || rel.getGroupCount() == 0) {
      return null;
    }
    RexNode bound = ((RexCall) term).getOperands().get(1);
    int call =
        ((RexCall) term).getOperands().get(0) instanceof RexInputRef ref
            ? ref.getIndex() - rel.getGroupCount()
            : -1;
    Double value = SelectivityEstimator.number(bound, ((RexCall) term).getOperands().get(0));
    if (call < 0 || value == null) {
      return null;
    }
    double[] moments = moments(rel, mq, rel.getAggCallList().get(call));
    if (moments == null) {
      return null;
    }
    double beyond = tail((value - moments[0]) / Math.sqrt(Math.max(1e-9, moments[1])));
    return above ? beyond : 1 - beyond;
  }

  /**
   * How many different values counts of groups' rows have: those that are within some deviations of
   * the mean, and no more than there can be, since k different counts take k^2 / 2 rows.
   */
  static double counts(Aggregate rel, RelMetadataQuery mq) {
    double rows = JoinEstimates.rows(rel.getInput(), mq);
    double mean = rows / Math.max(1, JoinEstimates.rows(rel, mq));
    double beside = FAR * Math.sqrt(mean);
    return Math.min(1 + Math.min(mean, beside) + beside, 1 + Math.sqrt(2 * rows));
  }

  /** Mean and variance of what a group has; null if they are not known. */
  private static double @Nullable [] moments(
      Aggregate rel, RelMetadataQuery mq, AggregateCall call) {
    double rows = JoinEstimates.rows(rel.getInput(), mq) / Math.max(1, JoinEstimates.rows(rel, mq));
    SqlKind kind = call.getAggregation().getKind();
    if (call.isDistinct() || call.filterArg >= 0) {
      return null;
    }
    if (kind == SqlKind.COUNT) {
      return new double[] {rows, rows};
    }
    if (kind != SqlKind.SUM && kind != SqlKind.SUM0 || call.getArgList().size() != 1) {
      return null;
    }
    ColumnStatistics column =
        ColumnStatisticsFinder.find(rel.getInput(), mq, call.getArgList().getFirst());
    Double min = column.min();
    Double max = column.max();
    if (min == null || max == null) {
      return null;
    }
    double mean = (min + max) / 2;
    double variance = (max - min) * (max - min) / 12;
    return new double[] {rows * mean, rows * (variance + mean * mean)};
  }

  /** What of a normal variable is above so many standard deviations, within 7.5e-8. */
  private static double tail(double z) {
    // Zelen and Severo (1964), Abramowitz and Stegun 26.2.17.
    double t = 1 / (1 + 0.2316419 * Math.abs(z));
    double density = Math.exp(-z * z / 2) / Math.sqrt(2 * Math.PI);
    double sum =
        t
            * (0.319381530
                + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
    double above = density * sum;
    return z >= 0 ? above : 1 - above;
  }
}
