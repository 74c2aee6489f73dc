package io.aragonite.bench.outofcore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.bench.outofcore.OutOfCoreBench.Case;
import io.aragonite.bench.outofcore.OutOfCoreBench.OutOfCoreResult;
import io.aragonite.bench.outofcore.OutOfCoreBench.Sizes;
import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.DiscreteDevice;
import io.aragonite.exec.testing.device.TestDevices;
import io.aragonite.exec.device.cpu.CpuDevice;
import io.aragonite.exec.device.cpu.CpuExpressionCompiler;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.plan.JoinAlgorithm;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Test;

/** Every case of the benchmark, small, on the CPU and on a device with memory of its own. */
class OutOfCoreBenchTest {
  private static CpuDevice cpu(long bytes) {
    return new CpuDevice(
        1, new MemoryBudget("memory", bytes), new CpuExpressionCompiler(), 4096, 4096);
  }

  @Test
  void allCasesAreRight() {
    StringWriter text = new StringWriter();
    List<OutOfCoreResult> results =
        run(
            bytes -> TestDevices.create(1, new MemoryBudget("memory", bytes), 4096, 4096),
            Arrays.asList(Case.values()),
            text);
    assertEquals(12, results.size(), text::toString);
    assertTrue(OutOfCoreBench.largestStep(results) > 0);
    assertEquals(13, OutOfCoreBench.csv(results).lines().count());
    assertEquals(9, OutOfCoreBench.svg(results, "a test").split("<circle").length - 1);
  }

  @Test
  void whatADeviceDoesNotHoldStreams() {
    StringWriter text = new StringWriter();
    List<OutOfCoreResult> results =
        run(
            bytes -> new DiscreteDevice(new MemoryBudget("memory", bytes), cpu(64 << 20)),
            List.of(Case.PROBE, Case.OUTPUT, Case.JOIN),
            text);
    for (OutOfCoreResult result : results) {
      assertTrue(result.notes().contains("streamed"), text::toString);
    }
  }

  /** Parts whose sides are both there are joined by partitions. */
  @Test
  void partsAreJoinedByPartitions() {
    System.setProperty("aragonite.spill.parts", "partitioned");
    try {
      StringWriter text = new StringWriter();
      List<OutOfCoreResult> results =
          run(
              bytes -> new DiscreteDevice(new MemoryBudget("memory", bytes), cpu(64 << 20)),
              List.of(Case.JOIN),
              text);
      String notes = results.getFirst().notes();
      assertTrue(notes.contains("parts joined by partitions"), text::toString);
    } finally {
      System.clearProperty("aragonite.spill.parts");
    }
  }

  /** The device's rows lie with packed keys beside them. */
  @Test
  void keysArePacked() {
    System.setProperty("aragonite.spill.packedRows", "64");
    try {
      StringWriter text = new StringWriter();
      List<OutOfCoreResult> results =
          run(
              bytes -> new DiscreteDevice(new MemoryBudget("memory", bytes), cpu(64 << 20)),
              List.of(Case.JOIN),
              text);
      String notes = results.getFirst().notes();
      assertTrue(notes.contains("partitions with packed keys"), text::toString);
    } finally {
      System.clearProperty("aragonite.spill.packedRows");
    }
  }

  /** Sides that do not fit are sorted and merged by pieces where that is asked for. */
  @Test
  void sidesAreSortedInHostMemory() {
    StringWriter text = new StringWriter();
    List<OutOfCoreResult> results =
        run(
            bytes -> new DiscreteDevice(new MemoryBudget("memory", bytes), cpu(64 << 20)),
            JoinAlgorithm.HOST_SORT_MERGE,
            List.of(Case.JOIN),
            text);
    assertTrue(results.getFirst().notes().contains("in host memory: left side in"), text::toString);
  }

  private static List<OutOfCoreResult> run(
      LongFunction<Device> devices, List<Case> cases, StringWriter text) {
    return run(devices, JoinAlgorithm.NON_PARTITIONED_HASH, cases, text);
  }

  private static List<OutOfCoreResult> run(
      LongFunction<Device> devices,
      JoinAlgorithm algorithm,
      List<Case> cases,
      StringWriter text) {
    OutOfCoreBench bench = new OutOfCoreBench(devices, algorithm, 1, new PrintWriter(text));
    List<OutOfCoreResult> results = bench.run(cases, new Sizes(6 << 20, 5000, 2 << 20, 2 << 20));
    System.out.print(text);
    for (OutOfCoreResult result : results) {
      assertNull(result.error(), text::toString);
    }
    return results;
  }
}
