package io.aragonite.adapter;

import static io.aragonite.adapter.TestConnections.assertError;
import static io.aragonite.adapter.TestConnections.query;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.error.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What statistics say in EXPLAIN, and that poor ones never fail a query. */
class StatisticsTest {
  @TempDir Path folder;
  private Connection connection;

  @BeforeEach
  void open() throws IOException, SQLException {
    write(
        "fact", "k,v,same,nothing,d", 20_000, i -> "%d,%d,7,,%d.5".formatted(i % 1000, i, i % 50));
    write("dim", "k,v,same,nothing,d", 500, i -> "%d,%d,7,,%d.5".formatted(2 * i, i % 10, i));
    write("bare", "k,v", 0, i -> "");
    connection = TestConnections.open("directory=" + folder + ";threads=2");
  }

  @AfterEach
  void close() throws SQLException {
    connection.close();
  }

  private void write(String name, String head, int rows, IntFunction<String> row)
      throws IOException {
    StringBuilder text = new StringBuilder(head).append('\n');
    for (int i = 0; i < rows; i++) {
      text.append(row.apply(i)).append('\n');
    }
    Files.writeString(folder.resolve(name + ".csv"), text);
  }

  private String explain(String sql) throws SQLException {
    return String.join("\n", query(connection, "explain verbose " + sql));
  }

  private static final String JOIN = "select count(*) from fact f join dim d on f.k = d.k";

  @Test
  void matchRatiosComeFromSketchesAndFiltersFromSamples() throws SQLException {
    String plain = explain(JOIN);
    assertTrue(plain.contains("expected: 0.500 of the probe rows match"), plain);
    assertTrue(plain.contains("guesses: none; prices: "), plain);
    // Both filters together leave nothing, which neither says by itself.
    String apart = explain(JOIN + " where mod(f.k, 20) = 2 and mod(d.k, 20) = 4");
    double ratio = Double.parseDouble(apart.replaceAll("(?s).*expected: (\\S+) of the.*", "$1"));
    assertTrue(ratio < 0.02, apart);
    assertEquals(
        "0", query(connection, JOIN + " where mod(f.k, 20) = 2 and mod(d.k, 20) = 4").get(0));
  }

  /** Half of the keys have a partner, but one row in 16, and no filter asks for the rows. */
  @Test
  void matchRatiosAreThoseOfRowsAndNotOfKeys() throws Exception {
    write("rare", "k", 8000, i -> String.valueOf(i < 500 ? 2 * i : 2 * (i % 500) + 1));
    try (Connection other = TestConnections.open("directory=" + folder + ";threads=2")) {
      String plan =
          String.join(
              "\n",
              query(other, "explain verbose select count(*) from rare r join dim d on r.k = d.k"));
      double ratio = Double.parseDouble(plan.replaceAll("(?s).*expected: (\\S+) of the.*", "$1"));
      assertEquals(1.0 / 16, ratio, 0.01, plan);
    }
  }

  @Test
  void columnsOfOneValueOrOfNoneAndOthersWithoutSketches() throws SQLException {
    String same = "select count(*) from fact f join dim d on f.same = d.same where d.v = 3";
    assertTrue(explain(same).contains("expected: 1.00 of the probe rows match"), explain(same));
    assertEquals("1000000", query(connection, same).get(0));
    String nothing = "select count(*) from fact f join dim d on f.nothing = d.nothing";
    explain(nothing);
    assertEquals("0", query(connection, nothing).get(0));
    String computed = "select count(*) from fact f join dim d on f.k + 1 = d.k";
    assertTrue(explain(computed).contains("guesses: match ratio, skew;"), explain(computed));
    assertEquals("9980", query(connection, computed).get(0));
    // Rows that no table keeps have no statistics at all.
    String values = "select count(*) from fact f join (values (2), (4), (2)) as x (k) on f.k = x.k";
    assertTrue(explain(values).contains("guesses: match ratio, skew;"), explain(values));
    assertEquals("60", query(connection, values).get(0));
    String none = "select count(*) from fact f join bare e on f.k = e.k";
    explain(none);
    assertEquals("0", query(connection, none).get(0));
  }

  @Test
  void statisticsThatAreOlderThanTheirFileAreDoubted() throws Exception {
    assertFalse(explain(JOIN).contains("has changed"));
    Files.setLastModifiedTime(folder.resolve("dim.csv"), FileTime.fromMillis(1_000_000));
    Thread.sleep(600);
    String plan = explain(JOIN + " where f.v > 5");
    assertTrue(
        plan.contains("guesses: statistics of dim, whose file has changed since it was opened"),
        plan);
    assertEquals("10000", query(connection, JOIN).get(0));
  }

  @Test
  void analyzeMakesStatisticsAnew() throws SQLException {
    explain(JOIN);
    for (String statement :
        new String[] {"analyze table fact", "ANALYZE FACT", "analyze \"fact\";"}) {
      String answer = query(connection, statement).get(0);
      assertTrue(answer.startsWith("fact: statistics of 5 columns, 20,000 rows, in "), answer);
    }
    assertTrue(explain(JOIN).contains("expected: 0.500 of the probe rows match"));
    assertEquals("10000", query(connection, JOIN).get(0));
    query(connection, "analyze bare");
    assertError(ErrorCode.UNKNOWN_TABLE, () -> query(connection, "analyze nothing"), "nothing");
  }

  /** Estimates that have nothing to do with the rows: another plan, the same answer. */
  @Test
  void estimatesThatDisagreeWithRowsGiveTheSameAnswers() throws SQLException {
    String join =
        "select count(*), sum(f.v), min(d.v) from fact f join dim d on f.k = d.k join dim e on"
            + " f.same = e.same and e.k < 10 where f.v > 5 group by d.v order by 1, 2, 3";
    List<String> expected = query(connection, join);
    AragoniteConnection own = connection.unwrap(AragoniteConnection.class);
    for (double lie : new double[] {1, 7, 1e15}) {
      own.setCardinalities(new LyingCardinalities(lie));
      assertEquals(
          expected, query(connection, join), "every relation said to have %s rows".formatted(lie));
    }
  }

  @Test
  void cardinalitiesOfAConnectionReplaceEstimates() throws SQLException {
    String estimated = explain(JOIN);
    AragoniteConnection own = connection.unwrap(AragoniteConnection.class);
    own.setCardinalities(new LyingCardinalities(123_456));
    String told = explain(JOIN);
    assertTrue(told.contains("estimate: 123,456 rows"), told);
    assertTrue(told.contains("relation=[a lie about GpuJoin]"), told);
    own.setCardinalities(null);
    assertEquals(estimated, explain(JOIN));
  }
}
