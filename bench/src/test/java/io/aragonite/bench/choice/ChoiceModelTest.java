package io.aragonite.bench.choice;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.cost.JoinModel;
import io.aragonite.exec.profile.MachineProfile;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;

/** The cost model of joins against times that {@code bench choice} measured. */
final class ChoiceModelTest {
  private static final JoinModel H200 = new JoinModel(MachineProfile.H200);

  /**
   * Points of {@code bench choice --device cuda --seed 5}, which the profile was not fitted to:
   * joins as queries run them.
   */
  private static List<ChoiceResult> measured() throws IOException {
    return measured("choice-h200.csv.gz");
  }

  private static List<ChoiceResult> measured(String file) throws IOException {
    try (InputStream in =
            new GZIPInputStream(
                Objects.requireNonNull(ChoiceModelTest.class.getResourceAsStream(file)));
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
      return ChoiceResult.parse(lines.lines().toList());
    }
  }

  @Test
  void regretAndErrorsOnTheGridThatWasMeasured() throws IOException {
    ChoiceReport report = new ChoiceReport(measured(), MachineProfile.H200);
    report.print(new PrintWriter(System.out, true, StandardCharsets.UTF_8));
    assertTrue(report.meanRegret() <= 1.02, "mean regret");
    assertTrue(report.regret(0.95) <= 1.1, "regret of 95 %");
    assertTrue(report.regret(1) <= 1.45, "worst regret");
    assertTrue(report.within(1.5) >= 0.92, "predicted over measured time");
  }

  /**
   * Points of {@code bench choice --clock processor --threads 1 --seed 43}, which prices were not
   * fitted to; how much those of sort-merge joins are doubted was.
   */
  @Test
  void regretAndErrorsOnTheGridOfACore() throws IOException {
    ChoiceReport report = new ChoiceReport(measured("choice-cpu.csv.gz"), MachineProfile.CORE);
    report.print(new PrintWriter(System.out, true, StandardCharsets.UTF_8));
    assertTrue(report.meanRegret() <= 1.03, "mean regret");
    assertTrue(report.regret(0.95) <= 1.15, "regret of 95 %");
    assertTrue(report.regret(0.99) <= 1.5, "regret of 99 %");
    assertTrue(report.within(1.5) >= 0.9, "predicted over measured time");
  }

  @Test
  void pricesOfAllCandidatesRankAsTheirTimesDo() throws IOException {
    List<double[]> pairs = new ArrayList<>();
    for (ChoiceResult result : measured()) {
      for (ChoiceResult.Candidate candidate : result.candidates()) {
        pairs.add(new double[] {result.predicted(H200, candidate), candidate.millis()});
      }
    }
    double correlation = rankCorrelation(pairs);
    System.out.printf(
        Locale.ROOT, "%d candidates, rank correlation %.3f%n", pairs.size(), correlation);
    assertTrue(correlation > 0.98, "rank correlation " + correlation);
  }

  private static double rankCorrelation(List<double[]> pairs) {
    double[] a = ranks(pairs.stream().mapToDouble(pair -> pair[0]).toArray());
    double[] b = ranks(pairs.stream().mapToDouble(pair -> pair[1]).toArray());
    double squares = 0;
    for (int i = 0; i < a.length; i++) {
      squares += (a[i] - b[i]) * (a[i] - b[i]);
    }
    double n = a.length;
    return 1 - 6 * squares / (n * (n * n - 1));
  }

  private static double[] ranks(double[] values) {
    double[] ordered = values.clone();
    Arrays.sort(ordered);
    return Arrays.stream(values).map(v -> Arrays.binarySearch(ordered, v)).toArray();
  }
}
