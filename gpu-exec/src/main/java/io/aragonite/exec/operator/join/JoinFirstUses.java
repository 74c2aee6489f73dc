package io.aragonite.exec.operator.join;

import io.aragonite.exec.plan.JoinAlgorithm;
import java.util.Arrays;
import java.util.concurrent.atomic.DoubleAdder;

/**
 * What the first use of a join's algorithm costs a process on processors: its loops are interpreted
 * and then compiled, which takes longer than most joins. A join leaves its plan for an algorithm
 * that has not run yet only when what that would have saved so far is as much, so that no more than
 * that is lost either way (ski rental). Safe for several threads.
 */
final class JoinFirstUses {
  /**
   * Processor time that the first join takes longer that is partitioned: TPC-H's Q9 at scale 1 in a
   * fresh process, 760 against 510 ms.
   */
  static final double NANOS = 250e6;

  /** What each algorithm would have saved; no end of it once it has run. */
  private final DoubleAdder[] saved = new DoubleAdder[JoinAlgorithm.values().length];

  JoinFirstUses() {
    Arrays.setAll(saved, i -> new DoubleAdder());
    // Most queries have one: its loops are compiled early in any case.
    ran(JoinAlgorithm.NON_PARTITIONED_HASH);
  }

  /** An algorithm runs, by its plan or for any other reason. */
  void ran(JoinAlgorithm algorithm) {
    saved[algorithm.ordinal()].add(Double.POSITIVE_INFINITY);
  }

  /**
   * Whether a join had better take an algorithm than the planned one.
   *
   * @param nanos what it saves, by the model
   */
  boolean pays(JoinAlgorithm algorithm, double nanos) {
    DoubleAdder sum = saved[algorithm.ordinal()];
    sum.add(nanos);
    return sum.sum() >= NANOS;
  }
}
