package io.aragonite.exec.cost;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.profile.MachineProfile;
import org.junit.jupiter.api.Test;

/**
 * Prices of groupings against what {@code GroupBench} measured on one H200, 2026-11-22, and of
 * direct addresses 2026-11-29.
 */
class GroupModelTest {
  private static final double ROWS = 1 << 27;

  /** Bits of groups, milliseconds by a table and by sorting: one key whose bounds are known. */
  private static final double[][] DENSE = {
    {10, 6.53, 13.8},
    {15, 9.17, 13.6},
    {20, 9.23, 15.4},
    {22, 9.67, 15.4},
    {24, 21.2, 15.7},
    {26, 30.2, 17.4}
  };

  /** The same of two keys that are hashed. */
  private static final double[][] HASHED = {
    {10, 5.29, 27.8},
    {15, 12.4, 28.4},
    {20, 16.6, 28.0},
    {22, 23.3, 29.0},
    {24, 39.0, 29.5},
    {26, 49.4, 31.8}
  };

  /** Bits of groups, and milliseconds by a table that the key addresses, where it was quicker. */
  private static final double[][] DIRECT = {{15, 5.35}, {20, 4.04}, {22, 6.60}};

  /** The same where sorting was quicker. */
  private static final double[][] SORTED = {{24, 15.6}, {26, 19.8}};

  @Test
  void takesWhatWasQuicker() {
    GroupModel model = new GroupModel(MachineProfile.H200);
    for (boolean exact : new boolean[] {true, false}) {
      for (double[] point : exact ? DENSE : HASHED) {
        double keys = Math.pow(2, point[0]);
        double groups = -keys * Math.expm1(-ROWS / keys);
        GroupModel.Shape shape =
            new GroupModel.Shape(
                ROWS, groups, exact ? 1 : 2, 2, 1, exact ? point[0] : Long.SIZE, exact);
        double table = model.table(shape) / 1e6;
        double sort = model.sort(shape) / 1e6;
        String what = "2^%.0f: table %.1f, sort %.1f".formatted(point[0], table, sort);
        assertEquals(point[2] < point[1], sort < table, what);
        assertTrue(table / point[1] < 2.2 && point[1] / table < 1.5, what);
        assertTrue(sort / point[2] < 1.3 && point[2] / sort < 1.3, what);
      }
    }
  }

  @Test
  void directAddressesArePricedByWhatTheCacheHolds() {
    GroupModel model = new GroupModel(MachineProfile.H200);
    double before = 0;
    for (double[] point : DIRECT) {
      double entries = Math.pow(2, point[0]);
      double direct = model.directAddress(ROWS, entries, 1) / 1e6;
      GroupModel.Shape shape = new GroupModel.Shape(ROWS, entries, 1, 2, 1, point[0], true);
      assertTrue(1.3 * direct < model.table(shape) / 1e6, point[0] + ": " + direct);
      assertTrue(direct < 1.3 * point[1] && direct >= before, point[0] + ": " + direct);
      before = direct;
    }
    for (double[] point : SORTED) {
      double entries = Math.pow(2, point[0]);
      double direct = model.directAddress(ROWS, entries, 1) / 1e6;
      GroupModel.Shape shape = new GroupModel.Shape(ROWS, entries, 1, 2, 1, point[0], true);
      assertTrue(1.3 * direct > model.sort(shape) / 1e6, point[0] + ": " + direct);
      assertTrue(direct < 1.3 * point[1] && point[1] < 1.5 * direct, point[0] + ": " + direct);
    }
  }
}
