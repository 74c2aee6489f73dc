package io.aragonite.adapter.explain;

import io.aragonite.rules.rel.JoinCandidate;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A node of a plan as EXPLAIN tells it.
 *
 * @param name the operator with its algorithm
 * @param device where it runs: a device's name, or {@code calcite}
 * @param variant what the name leaves open of how it works; empty if nothing
 * @param attributes what it does, in Calcite's terms, with column names
 * @param rows estimated rows
 * @param costNanos estimated time of the node itself
 * @param expected of a join with keys, what its prices are made of; null for any other node
 * @param candidates of a join, every way in which it could run
 * @param actual what was counted, null if the query was not run or the node has no figures
 * @param inputs the nodes below
 */
record ExplainNode(
    String name,
    String device,
    String variant,
    Map<String, String> attributes,
    double rows,
    double costNanos,
    @Nullable Expected expected,
    List<JoinCandidate> candidates,
    @Nullable Actual actual,
    List<ExplainNode> inputs) {

  /**
   * @param rows rows that came out
   * @param nanos time in the node itself, over all workers
   * @param stateBytes memory of its own state
   * @param figures what else it found out, by name
   * @param note what was decided at run time; empty if nothing was
   */
  record Actual(long rows, long nanos, long stateBytes, Map<String, Long> figures, String note) {}

  /**
   * What the prices of a join are made of.
   *
   * @param matchRatio share of probe rows with a partner
   * @param topShare share of the probe rows with the most frequent key
   * @param distinct keys of the build side
   * @param guessed which of these are guesses, and why figures may be wrong; empty if none is
   * @param profile where the figures of the device come from
   */
  record Expected(
      double matchRatio, double topShare, double distinct, String guessed, String profile) {}
}
