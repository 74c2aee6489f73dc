package io.aragonite.rules.cost;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.profile.MachineProfile;
import org.apache.calcite.plan.Context;
import org.apache.calcite.plan.Contexts;
import org.apache.calcite.plan.volcano.VolcanoPlanner;
import org.junit.jupiter.api.Test;

/** Costs of operators are those of the device that the plan is for. */
class DeviceProfileTest {
  private static DeviceProfile profile(Context context) {
    return OperatorCosts.profile(new VolcanoPlanner(GpuCost.FACTORY, context));
  }

  @Test
  void profileIsOfTheDevice() {
    assertEquals(DeviceProfile.CPU, profile(Contexts.empty()));
    assertEquals(DeviceProfile.CPU, profile(Contexts.of(MachineProfile.CORE)));
    assertEquals(DeviceProfile.of(MachineProfile.H200), profile(Contexts.of(MachineProfile.H200)));
  }

  /** What TPC-H's operators took at scale 30 on one H200, 2026-11-22. */
  @Test
  void gpuCostsAreNearItsTimes() {
    DeviceProfile gpu = DeviceProfile.of(MachineProfile.H200);
    near(0.55, 179_998_372 * gpu.expressionNanos(), "Q20's filter of l_shipdate");
    double groups = 46_014_184;
    near(
        2.76,
        groups * (gpu.buildNanos() + gpu.expressionNanos())
            + gpu.random(groups, 16, 16 * 4_500_000),
        "Q13's groups");
    // A sort of 2^27 keys, eight passes of 0.01088 ns a row.
    double rows = 1 << 27;
    near(11.7, rows * 27 * gpu.compareNanos(), "a sort");
  }

  private static void near(double millis, double nanos, String what) {
    double estimate = nanos / 1e6;
    assertTrue(estimate < 2 * millis && millis < 2 * estimate, what + ": " + estimate + " ms");
  }
}
