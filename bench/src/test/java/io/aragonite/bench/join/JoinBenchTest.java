package io.aragonite.bench.join;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.runtime.QueryMetrics;
import io.aragonite.exec.runtime.QueryOptions;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.device.Device;
import io.aragonite.exec.testing.device.TestDevices;
import io.aragonite.bench.data.JoinQuery;
import io.aragonite.bench.timing.BenchClock;
import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.exec.memory.MemoryLeaks;
import io.aragonite.exec.execution.QueryExecution;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Every algorithm on every configuration of the benchmark, small; and that the check can fail. */
class JoinBenchTest {
  @Test
  void allAlgorithmsAreRight() {
    String property = "aragonite.join.parts";
    try {
      for (String parts : List.of("on", "off")) {
        System.setProperty(property, parts);
        allAreRight(parts.equals("on") ? new int[] {9, 14} : new int[] {9});
      }
    } finally {
      System.clearProperty(property);
    }
  }

  private static void allAreRight(int... sizes) {
    for (int log2 : sizes) {
      StringWriter text = new StringWriter();
      try (Device device = TestDevices.create();
          JoinBench bench = new JoinBench(device, 1, new PrintWriter(text))) {
        List<JoinCase> cases = JoinCase.all(log2);
        List<JoinAlgorithm> algorithms = List.copyOf(JoinBench.ALGORITHMS.values());
        List<JoinBench.JoinResult> results = bench.run(cases, algorithms);
        assertEquals(cases.size() * algorithms.size(), results.size(), text.toString());
        for (JoinBench.JoinResult result : results) {
          assertNull(result.error(), () -> result.config() + " by " + result.algorithm());
          assertTrue(result.millis() > 0);
        }
        assertEquals(1 + results.size(), JoinBench.csv(results).lines().count());
        Map<String, String> figures = JoinFigures.of(results, "a test");
        assertEquals(8, figures.size());
        String sequences = figures.getOrDefault("joins-sequences.svg", "");
        assertTrue(sequences.contains(">sequence-8<"), sequences);
        assertEquals(8 * algorithms.size(), sequences.split("<title>").length - 1);
        MemoryLeaks.assertReleased(device.memory());
      }
    }
  }

  @Test
  void peersAreOfFullSizeOnly() {
    JoinCase wide = JoinCase.all(JoinCase.FULL).get(1);
    assertEquals(1 << 27, wide.buildRows());
    assertEquals(List.of(25.8, 17.1, 24.8, 29.7, 25.1), wide.peers());
    // 12 bytes a row of each side, 20 a row of the output.
    assertEquals((12 + 12 + 20.0) * (1 << 27), wide.floorBytes());
    assertTrue(JoinCase.all(20).stream().allMatch(c -> c.peers().isEmpty()));
  }

  @Test
  void theCheckSeesColumnsThatDoNotBelongTogether() {
    JoinCase config = JoinCase.all(8).get(1);
    try (Device device = TestDevices.create();
        QueryExecution query =
            new QueryExecution(device, Runnable::run, QueryOptions.DEFAULT, new QueryMetrics())) {
      JoinData data = query.work(context -> new JoinData(config, context));
      BenchCheck check = data.newCheck();
      JoinQuery.run(
          query,
          data.plan(JoinAlgorithm.NON_PARTITIONED_HASH),
          BenchClock.WALL,
          batch ->
              query.work(context -> {
                check.add(context, swapped(batch));
                return batch;
              }));
      assertNotNull(check.error());
    }
  }

  private static ColumnBatch swapped(ColumnBatch batch) {
    return new ColumnBatch(
        List.of(
            batch.column(0), batch.column(2), batch.column(1), batch.column(3), batch.column(4)),
        batch.rows());
  }
}
