package io.aragonite.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.aragonite.spark.ComparisonFigures.Side;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class GrowthFiguresTest {
  private static Side of(double millis, double run) {
    return new Side(
        millis, 0, 0, new TaskShares(0, run, 0, 10, 20, 5, 5, 4, 6, 0, 0, 0));
  }

  /** @param times of the warm run of each statement */
  private static ComparisonFigures figures(boolean compared, double... times) {
    ComparisonFigures figures = new ComparisonFigures();
    for (int i = 0; i < times.length; i++) {
      for (double millis : new double[] {1000, times[i]}) {
        figures.add("Q" + (i + 1), compared ? of(2 * millis, millis) : null, of(millis, 60), true, List.of(), "");
      }
    }
    return figures;
  }

  private static List<String> lines(Map<Integer, ComparisonFigures> figures) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    new GrowthFigures(4, figures).print(new PrintStream(bytes, true, StandardCharsets.UTF_8));
    return bytes.toString(StandardCharsets.UTF_8).lines().toList();
  }

  @Test
  void timesAreToldBesideThoseOfPerfectGrowth() {
    List<String> lines =
        lines(Map.of(3, figures(false, 40, 20), 1, figures(false, 90, 60), 2, figures(false, 45, 45)));
    assertEquals("query | ms on 1 | ms on 2 | ms on 3 | over perfect on 2 | over perfect on 3", lines.get(0));
    assertEquals("Q1 | 90 | 45 | 40 | 1.00 | 1.33", lines.get(1));
    assertEquals("Q2 | 60 | 45 | 20 | 1.50 | 1.00", lines.get(2));
    assertEquals("total of 2 | 150 | 90 | 60 | 1.20 | 1.20", lines.get(3));
    assertEquals("1, Aragonite | 150 | 1.00 | 600 | 120 | 80 | 20 | 20 | 480", lines.get(5));
    assertEquals("3, Aragonite | 60 | 1.20 | 720 | 120 | 80 | 20 | 20 | 600", lines.get(7));
    assertEquals(8, lines.size());
  }

  @Test
  void onlyStatementsThatRanOnAllCount() {
    List<String> lines = lines(Map.of(2, figures(true, 50), 4, figures(true, 50, 30)));
    assertEquals("total of 1 | 50 | 50 | 2.00", lines.get(2));
    assertEquals("2, Spark | 100 | 1.00 | 800 | 50 | 40 | 10 | 0 | 750", lines.get(5));
    assertEquals(8, lines.size());
  }
}
