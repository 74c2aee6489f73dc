package io.aragonite.exec.plan;

import java.io.Serializable;

/**
 * What the planner expected of a join, so that its choice can be looked at again when more is
 * known.
 *
 * @param buildRows rows of the build side
 * @param probeRows rows of the probe side
 * @param distinct different keys of the build side
 * @param matchRatio share of probe rows with a partner
 * @param outRows rows that come out
 * @param topShare share of the probe rows that have the most frequent key
 * @param guessed what of this is a guess, for people; empty if statistics were there
 * @param settled whether the algorithm is one that the statement names: it is not chosen again
 */
public record JoinEstimate(
    double buildRows,
    double probeRows,
    double distinct,
    double matchRatio,
    double outRows,
    double topShare,
    String guessed,
    boolean settled)
    implements Serializable {
  /** The same of an algorithm that the statement names. */
  public JoinEstimate settle() {
    return new JoinEstimate(
        buildRows, probeRows, distinct, matchRatio, outRows, topShare, guessed, true);
  }
}
