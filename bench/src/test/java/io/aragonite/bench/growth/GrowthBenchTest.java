package io.aragonite.bench.growth;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.bench.growth.GrowthBench.Growth;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Times of a query over tables of several scales. */
class GrowthBenchTest {
  private static final List<Double> SCALES = List.of(0.001, 0.01);

  @Test
  void eachScaleIsTimedAsOften() throws Exception {
    String url = "jdbc:aragonite:device=cpu;threads=1;tpch=";
    long[] clock = {0};
    try (Connection small = DriverManager.getConnection(url + "0.001");
        Connection large = DriverManager.getConnection(url + "0.01")) {
      // Each run takes two milliseconds longer than the one before: 1, 3, 5, 7, 9, 11.
      GrowthBench bench =
          new GrowthBench(
              List.of(small, large), SCALES, 1, 2, () -> clock[0] * ++clock[0] / 2 * 1_000_000);
      String sql = "select count(*) from lineitem";
      Growth growth = bench.run("count", List.of(sql, sql));
      // The first two runs warm up; the larger one comes first then, and last in the third round.
      assertEquals(12, clock[0]);
      assertEquals(List.of(7.0, 5.0), growth.millis());
    }
  }

  @Test
  void growthIsInProportionToTheScales() {
    Growth linear = new Growth("Q1", List.of(1.0, 2.0, 4.0), List.of(10.0, 20.0, 40.0));
    assertEquals(1, linear.overLinear(0));
    Growth worse = new Growth("Q2", List.of(1.0, 2.0, 4.0), List.of(10.0, 30.0, 80.0));
    assertEquals(2, worse.overLinear(0));
    assertEquals(80.0 / 60, worse.overLinear(1), 1e-9);
    assertEquals("Q2,10.00,30.00,80.00,2.00,1.33", worse.line());
    assertEquals(
        "query,scale 1.0 ms,scale 2.0 ms,scale 4.0 ms,1.0 to 4.0,2.0 to 4.0",
        Growth.heading(worse.scales()));
    Growth total = Growth.total(List.of(linear, worse));
    assertEquals(List.of(20.0, 50.0, 120.0), total.millis());
    assertTrue(total.overLinear(0) > 1.4 && total.overLinear(0) < 1.6, total::line);
  }
}
