package io.aragonite.exec.cost;

import io.aragonite.exec.cost.JoinPrice.Payload;
import io.aragonite.exec.cost.JoinPrice.Phase;
import io.aragonite.exec.cost.JoinShape.JoinSideShape;
import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.exec.profile.MachineProfile;
import java.util.ArrayList;
import java.util.List;

/** What a kind of device takes for each way to join. */
abstract sealed class JoinCosts permits DeviceJoinCosts, HostJoinCosts {
  static final int WORD = 8;
  static final int ID = 4;

  /**
   * Bytes that a join finds in what was freed before; what it takes beyond comes from the system.
   */
  private static final double FREED = 3e6;

  /** What collections take that grow by doubling, over memory that is new once. */
  private static final double GROWN = 11.8;

  final MachineProfile device;

  JoinCosts(MachineProfile device) {
    this.device = device;
  }

  static JoinCosts of(MachineProfile device) {
    return device.host() ? new HostJoinCosts(device) : new DeviceJoinCosts(device);
  }

  /** Nanoseconds that starting and ending a join takes, however few its rows are. */
  abstract double start();

  /** One table over the build side. */
  abstract JoinPrice nonPartitioned(JoinShape s);

  /** Both sides partitioned by the places of their keys in the table. */
  abstract JoinPrice partitioned(JoinShape s, Payload how);

  /**
   * Both sides sorted, if they are not: with their payload, which is gathered into that order, or
   * their keys alone, and payload is gathered from where it is.
   */
  abstract JoinPrice sortMerge(JoinShape s, Payload how);

  /**
   * What the steps of each piece of an output take, beside its bytes.
   *
   * @param columns that are made
   */
  abstract double pieces(JoinShape s, int columns);

  /** Columns that come through a pipeline are read and written, and the probe side's read again. */
  final double collected(JoinSideShape side, int times) {
    return device.sequential(times * side.bytes() * side.rows())
        + GROWN * fresh(side.bytes() * side.rows())
        + device.steps(side.columns(), 0);
  }

  /** What new memory takes that is not taken from what was freed. */
  final double fresh(double bytes) {
    return Math.max(0, bytes - FREED) * device.freshByteNanos();
  }

  /**
   * What memory takes that a join's output is collected in, in nanoseconds: the columns of both
   * sides, which are made there.
   */
  final double collectedOutput(JoinShape s) {
    return GROWN * fresh(s.outRows() * (s.build().bytes() + s.probe().bytes()));
  }

  static JoinPrice price(
      JoinAlgorithm algorithm,
      Payload payload,
      double collect,
      double transform,
      double match,
      double materialize,
      double bytes) {
    List<Phase> phases = new ArrayList<>();
    if (collect > 0) {
      phases.add(new Phase(JoinModel.COLLECT, collect));
    }
    phases.add(new Phase(JoinModel.TRANSFORM, transform));
    phases.add(new Phase(JoinModel.MATCH, match));
    phases.add(new Phase(JoinModel.MATERIALIZE, materialize));
    return new JoinPrice(algorithm, payload, List.copyOf(phases), bytes);
  }
}
