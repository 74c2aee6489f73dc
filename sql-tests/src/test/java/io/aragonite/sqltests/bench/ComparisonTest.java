package io.aragonite.sqltests.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.bench.cold.ColdQuery;
import io.aragonite.bench.cold.ColdWorkload;
import io.aragonite.bench.duckdb.DuckDbTables;
import io.aragonite.bench.timing.ProcessorClock;
import io.aragonite.dataset.ProgressListener;
import io.aragonite.tpch.TpchData;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.xml.sax.InputSource;

/** The benchmark itself, with DuckDB on both sides. */
class ComparisonTest {
  private static final double SCALE = 0.01;
  private static final List<ColdQuery> QUERIES =
      ColdWorkload.TPCH.queries(SCALE).stream()
          .filter(query -> Set.of(1, 22).contains(query.number()))
          .toList();

  @Test
  void timesAndCompares(@TempDir Path cache) throws Exception {
    Path data = TpchData.ensure(SCALE, cache, 2, ProgressListener.NONE);
    try (Connection left = DuckDbTables.open(data, 1);
        Connection right = DuckDbTables.open(data, 1)) {
      List<Contender> pair = List.of(new Contender("left", left), new Contender("right", right));
      List<List<Timing>> heard = new ArrayList<>();
      Comparison comparison = new Comparison(pair, 3, ProcessorClock::nanos);
      comparison.warmUp(QUERIES, 1);
      assertEquals(List.of(), heard);
      List<List<Timing>> all = comparison.run(QUERIES, heard::add);
      assertEquals(heard, all);
      for (List<Timing> row : all) {
        for (Timing timing : row) {
          assertNull(timing.complaint());
          assertEquals(3, timing.millis().length);
          assertTrue(timing.best() > 0 && timing.best() <= timing.median());
          assertTrue(timing.median() <= timing.worst());
        }
      }
      reports(all);
      complains(pair, left);
    }
  }

  private static void reports(List<List<Timing>> all) throws Exception {
    ComparisonTable table = new ComparisonTable(List.of("left", "right"));
    assertTrue(table.header().contains("left"));
    assertTrue(table.line(all.get(0)).startsWith("Q1 "), table.line(all.get(0)));
    assertTrue(table.total(all).endsWith("2 of 2 queries"), table.total(all));
    assertTrue(ComparisonTable.largestRatio(all) >= ComparisonTable.totalRatio(all));
    assertTrue(ComparisonTable.largestRatio(all) >= ComparisonTable.meanRatio(all));
    List<List<Timing>> known =
        List.of(row("Q1", 1, 4), row("Q2", 8, 2), row("Q3", 2, 1), row("Q4", 3, 3));
    assertEquals(
        "geometric mean of the ratios: 1.19x; above 1.3x: 2: Q2 4.0x, Q3 2.0x",
        ComparisonTable.ratios(known, 1.3));
    assertEquals(1 + 4, ComparisonTable.csv(all).lines().count());
    String svg = BarChart.svg("a < b & c", List.of("left", "right"), all);
    var document =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(new InputSource(new StringReader(svg)));
    assertEquals(1 + 2 + 4, document.getElementsByTagName("rect").getLength());
  }

  private static List<Timing> row(String query, double left, double right) {
    return List.of(
        new Timing(query, "left", new double[] {left}, 1, null),
        new Timing(query, "right", new double[] {right}, 1, null));
  }

  private static void complains(List<Contender> pair, Connection left)
      throws SQLException, IOException {
    try (Statement statement = left.createStatement()) {
      statement.execute("delete from lineitem where l_orderkey = 1");
      statement.execute("drop table customer");
    }
    List<List<Timing>> all = new Comparison(pair, 1, System::nanoTime).run(QUERIES, timings -> {});
    Timing wrong = all.get(0).get(0);
    assertTrue(wrong.ran());
    assertNotNull(wrong.complaint());
    assertTrue(wrong.complaint().startsWith("DIFFERS: row 3, column sum_qty"), wrong.complaint());
    Timing failed = all.get(1).get(0);
    assertTrue(!failed.ran() && Double.isNaN(failed.best()));
    assertNotNull(failed.complaint());
    assertTrue(failed.complaint().startsWith("FAILED: "), failed.complaint());
    assertTrue(new ComparisonTable(List.of("left", "right")).total(all).endsWith("1 of 2 queries"));
  }
}
