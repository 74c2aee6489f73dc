package io.aragonite.bench.multi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.bench.multi.MultiBench.MultiResult;
import io.aragonite.exec.device.Device;
import io.aragonite.exec.testing.device.TestDevices;
import io.aragonite.exec.device.cpu.CpuDevice;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.MemoryLeaks;
import io.aragonite.exec.plan.JoinAlgorithm;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The benchmark of several devices, small: all answers are right, and nothing is left. */
class MultiBenchTest {
  @Test
  void allAnswersAreRight() {
    List<Device> devices = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      MemoryBudget memory = new MemoryBudget("memory", 1L << 30);
      devices.add(TestDevices.create(i, 1, memory, CpuDevice.BATCH_ROWS, CpuDevice.MORSEL_ROWS));
    }
    StringWriter text = new StringWriter();
    List<JoinAlgorithm> algorithms =
        List.of(
            JoinAlgorithm.PARTITIONED_HASH,
            JoinAlgorithm.NON_PARTITIONED_HASH,
            JoinAlgorithm.SORT_MERGE);
    try (MultiBench bench = new MultiBench(devices, 1, new PrintWriter(text))) {
      bench.copies(1 << 16);
      // Above the size up to which a table is read whole by every device.
      for (double zipf : new double[] {0, 1, Double.POSITIVE_INFINITY}) {
        bench.joins(15, zipf, algorithms);
      }
      List<MultiResult> joins =
          bench.results().stream().filter(result -> result.name().contains("zipf")).toList();
      assertEquals(3 * 3 * algorithms.size(), joins.size());
      assertTrue(bench.results().stream().allMatch(MultiResult::right), text.toString());
      assertEquals(1 + bench.results().size(), MultiBench.csv(bench.results()).lines().count());
    }
    try (HostJoinBench bench = new HostJoinBench(devices, 1, new PrintWriter(text))) {
      List<JoinAlgorithm> hosts =
          List.of(JoinAlgorithm.HOST_SORT_MERGE, JoinAlgorithm.PARTITIONED_HASH);
      for (double zipf : new double[] {0, 1, Double.POSITIVE_INFINITY}) {
        bench.joins(14, zipf == 1 ? 8 : 4, zipf, false, List.of(1, 2, 4), hosts);
      }
      bench.joins(14, 4, 0, true, List.of(1, 2), hosts);
      assertEquals(3 * 3 * 2 + 2 * 2, bench.results().size());
      assertTrue(bench.results().stream().allMatch(MultiResult::right), text.toString());
      assertTrue(text.toString().contains("in host memory: left side sorted"), text.toString());
      assertTrue(text.toString().contains("chunksets"), text.toString());
    }
    for (Device device : devices) {
      MemoryLeaks.assertReleased(device.memory());
      MemoryLeaks.assertReleased(device.host().memory());
      device.close();
    }
  }
}
