package io.aragonite.rules.cost;

/** Prices of joins. */
public final class JoinCost {
  private JoinCost() {}

  /**
   * A non-partitioned hash join: build a table over one side, look the rows of the other up in it,
   * fetch the payload of matches at random.
   */
  public static double hash(
      DeviceProfile device, double buildRows, double buildBytes, double probeRows, double outRows) {
    double table = buildRows * (16 + buildBytes);
    double build =
        buildRows * device.buildNanos() + device.random(buildRows, 16 + buildBytes, table);
    double probe = probeRows * device.probeNanos() + device.random(probeRows, 16, table);
    double payload = device.random(outRows, buildBytes, table);
    return device.startNanos() + build + probe + payload;
  }

  /** A nested-loop join: every pair is looked at. */
  public static double nestedLoop(
      DeviceProfile device, double leftRows, double rightRows, double outRows) {
    return device.startNanos()
        + leftRows * rightRows * device.expressionNanos()
        + outRows * device.expressionNanos();
  }
}
