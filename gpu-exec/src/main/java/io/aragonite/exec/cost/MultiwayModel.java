package io.aragonite.exec.cost;

import io.aragonite.exec.profile.MachineProfile;

/**
 * What a multi-predicate join takes, from how many values it tries for how many bindings. Pure
 * functions of the device's profile.
 *
 * @param valueNanos trying a value in one list, level by level
 * @param bindingNanos opening the lists of a binding, and what it is written and read with
 * @param walkValueNanos trying a value depth first
 * @param walkBindingNanos opening the lists of a binding there
 * @param rowNanos a row of a trie that is built
 * @param stepNanos a step, or a trie, of any size
 * @param joinNanos what a join of two takes beside what {@link JoinModel} says: steps and waits
 *     that are the plan's, not the algorithm's
 */
public record MultiwayModel(
    double valueNanos,
    double bindingNanos,
    double walkValueNanos,
    double walkBindingNanos,
    double rowNanos,
    double stepNanos,
    double joinNanos) {

  /**
   * One NVIDIA H200, 2026-11-21: {@code bench graph}, random, Zipf and R-MAT graphs of 20,000 to 30
   * million edges, five patterns, with what each step had to do. The walk is reckoned at twice and
   * more, so that it is not planned where levels fit: that was the slower way there, by up to 3
   * times (docs/design/multiway.md).
   */
  static final MultiwayModel H200 =
      new MultiwayModel(0.0098, 0.08, 0.02, 0.3, 0.5, 200_000, 1_400_000);

  /** Two cores of a server: processor time of the same patterns over graphs of 300,000 edges. */
  static final MultiwayModel CPU = new MultiwayModel(2.4, 25, 1.6, 40, 20, 10_000, 50_000);

  /** For a device, whose figures go as those of its profile. */
  public static MultiwayModel of(MachineProfile profile) {
    boolean ownMemory = Double.isFinite(profile.hostBytesPerNano());
    MultiwayModel known = ownMemory ? H200 : CPU;
    double slower =
        profile.hitNanos() / (ownMemory ? MachineProfile.H200 : MachineProfile.CPU).hitNanos();
    return new MultiwayModel(
        known.valueNanos * slower,
        known.bindingNanos * slower,
        known.walkValueNanos * slower,
        known.walkBindingNanos * slower,
        known.rowNanos * slower,
        known.stepNanos,
        known.joinNanos);
  }

  /**
   * A step, level by level.
   *
   * @param bindings combinations of the variables before it
   * @param values tried for all of these
   * @param lists that have the step's variable
   */
  public double level(double bindings, double values, int lists) {
    return stepNanos + bindings * bindingNanos + values * lists * valueNanos;
  }

  /**
   * A step, depth first.
   *
   * @param old lists that do not change with the variable before this one: what two or more of them
   *     have in common is found once, for all its values
   */
  public double walk(double bindings, double values, int lists, int old) {
    if (Double.isInfinite(walkValueNanos)) {
      // However little there is to do, and not the number that is none.
      return walkValueNanos;
    }
    int sought = old < 2 ? lists : lists - old + 1;
    return stepNanos + bindings * walkBindingNanos + values * sought * walkValueNanos;
  }

  /** Building a trie of so many rows. */
  public double trie(double rows) {
    return 5 * stepNanos + rows * rowNanos;
  }
}
