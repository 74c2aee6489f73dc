package io.aragonite.exec.cost;

import io.aragonite.exec.plan.JoinAlgorithm;
import java.util.List;

/**
 * What a way to join should take.
 *
 * @param algorithm how pairs are found
 * @param payload which rows payload is fetched from
 * @param phases what it consists of, in order
 * @param bytes memory it needs at its peak, inputs aside
 */
public record JoinPrice(
    JoinAlgorithm algorithm, Payload payload, List<Phase> phases, double bytes) {
  /** Where payload columns are gathered from, in the words of Wu, Koutsoukos and Alonso. */
  public enum Payload {
    /** From untransformed relations. */
    GFUR,
    /** From transformed relations. */
    GFTR
  }

  /** A part of the time. */
  public record Phase(String name, double nanos) {}

  /** All phases together. */
  public double nanos() {
    // Planning asks for it a hundred thousand times: no streams.
    double sum = 0;
    for (Phase phase : phases) {
      sum += phase.nanos;
    }
    return sum;
  }

  /** The time of the phases of a name. */
  public double nanos(String phase) {
    return phases.stream().filter(p -> p.name.equals(phase)).mapToDouble(Phase::nanos).sum();
  }
}
