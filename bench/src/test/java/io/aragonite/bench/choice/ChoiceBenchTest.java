package io.aragonite.bench.choice;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.bench.data.JoinQuery;
import io.aragonite.bench.timing.BenchClock;
import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.exec.runtime.QueryMetrics;
import io.aragonite.exec.runtime.QueryOptions;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.cost.JoinModel;
import io.aragonite.exec.cost.JoinShape;
import io.aragonite.exec.profile.MachineProfile;
import io.aragonite.exec.device.Device;
import io.aragonite.exec.testing.device.TestDevices;
import io.aragonite.exec.memory.MemoryLeaks;
import io.aragonite.exec.execution.QueryExecution;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The grid of choices, small: all candidates are right, and facts are those of the data. */
class ChoiceBenchTest {
  private static ChoicePoint point(double match, double zipf, boolean sparse, boolean sorted) {
    return new ChoicePoint(0, 12, 14, 4, 8, 2, 3, 0, 0, match, zipf, sparse, sorted, sorted);
  }

  @Test
  void everyCandidateOfDrawnPointsIsRight() {
    StringWriter text = new StringWriter();
    try (Device device = TestDevices.create();
        ChoiceBench bench = new ChoiceBench(device, 1, true, new PrintWriter(text))) {
      List<ChoicePoint> points = ChoicePoint.grid(7, 24, 3, 12, 1e9);
      List<ChoiceResult> results = bench.run(points, 1e9);
      assertEquals(List.of(), bench.errors());
      assertEquals(points.size(), results.size(), text.toString());
      List<String> lines = ChoiceResult.csv(results, MachineProfile.CPU).lines().toList();
      assertEquals(1 + 10 * points.size(), lines.size());
      List<ChoiceResult> read = ChoiceResult.parse(lines);
      JoinModel model = new JoinModel(MachineProfile.CPU);
      for (int i = 0; i < points.size(); i++) {
        assertEquals(results.get(i).regret(model), read.get(i).regret(model), 0.05);
      }
      ChoiceReport report = new ChoiceReport(results, MachineProfile.CPU);
      assertTrue(report.meanRegret() >= 1 && report.regret(1) >= report.regret(0.5));
      assertTrue(report.svg("<title>").contains("&lt;title"));
      MemoryLeaks.assertReleased(device.memory());
    }
  }

  @Test
  void pointsAreTheSameForASeedAndOthersForAnother() {
    List<ChoicePoint> points = ChoicePoint.grid(3, 50, 16, 28, 1e11);
    assertEquals(points, ChoicePoint.grid(3, 50, 16, 28, 1e11));
    assertNotEquals(points, ChoicePoint.grid(4, 50, 16, 28, 1e11));
    assertTrue(points.stream().anyMatch(p -> p.leftLog2() == 28));
    assertTrue(points.stream().anyMatch(p -> p.rightZipf() > 1));
  }

  @Test
  void factsAreThoseOfTheData() {
    try (Device device = TestDevices.create()) {
      JoinShape plain = shape(device, point(0.25, 0, false, false));
      assertEquals(4096, plain.distinct());
      assertEquals(4096, plain.keyRange());
      assertEquals(0.25, plain.matchRatio(), 0.02);
      assertEquals(0, plain.skew().exponent());
      JoinShape skewed = shape(device, point(1, 1.2, true, true));
      assertEquals(4096, skewed.distinct());
      assertTrue(skewed.keyRange() > 1e9);
      assertEquals(1, skewed.matchRatio());
      assertEquals(1.2, skewed.skew().exponent(), 0.01);
      assertTrue(skewed.probe().sorted());
    }
  }

  private static QueryExecution execution(Device device) {
    return new QueryExecution(device, Runnable::run, QueryOptions.DEFAULT, new QueryMetrics());
  }

  private static JoinShape shape(Device device, ChoicePoint point) {
    try (QueryExecution query = execution(device)) {
      return query.work(context -> new ChoiceData(point, context).shape(true, 1));
    }
  }

  @Test
  void theCheckSeesColumnsThatDoNotBelongTogether() {
    try (Device device = TestDevices.create();
        QueryExecution query = execution(device)) {
      ChoiceData data =
          query.work(context -> new ChoiceData(point(1, 0, false, false), context));
      long[] wrong = new long[1];
      JoinQuery.run(
          query,
          data.plan(JoinAlgorithm.NON_PARTITIONED_HASH, true),
          BenchClock.WALL,
          batch -> wrong[0] += query.work(context -> data.wrong(context, swapped(batch), true)));
      assertTrue(wrong[0] >= 1 << 14, "wrong values " + wrong[0]);
    }
  }

  @Test
  void ofTwoTimingsTheQuickerTimeOfEachWayCounts() {
    JoinShape shape;
    try (Device device = TestDevices.create()) {
      shape = shape(device, point(1, 0, false, false));
    }
    ChoiceResult.Built built = new ChoiceResult.Built(shape, shape);
    ChoiceResult first =
        new ChoiceResult(
            7,
            built,
            Double.POSITIVE_INFINITY,
            List.of(
                new ChoiceResult.Candidate(JoinAlgorithm.NON_PARTITIONED_HASH, true, 5),
                new ChoiceResult.Candidate(JoinAlgorithm.SORT_MERGE, true, 2)));
    ChoiceResult again =
        new ChoiceResult(
            7,
            built,
            Double.POSITIVE_INFINITY,
            List.of(
                new ChoiceResult.Candidate(JoinAlgorithm.NON_PARTITIONED_HASH, true, 1),
                new ChoiceResult.Candidate(JoinAlgorithm.SORT_MERGE, true, 3)));
    List<ChoiceResult.Candidate> quickest = first.quickest(again).candidates();
    assertEquals(1, quickest.get(0).millis());
    assertEquals(2, quickest.get(1).millis());
  }

  private static ColumnBatch swapped(ColumnBatch batch) {
    return new ColumnBatch(
        List.of(
            batch.column(0),
            batch.column(1),
            batch.column(3),
            batch.column(2),
            batch.column(4),
            batch.column(5)),
        batch.rows());
  }
}
