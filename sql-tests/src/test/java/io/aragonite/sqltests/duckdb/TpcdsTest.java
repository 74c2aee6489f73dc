package io.aragonite.sqltests.duckdb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.bench.duckdb.DuckDbTables;
import io.aragonite.bench.duckdb.DuckDbTpcds;
import io.aragonite.dataset.DatasetColumn;
import io.aragonite.dataset.DatasetForeignKey;
import io.aragonite.dataset.ProgressListener;
import io.aragonite.dataset.QueryRunner;
import io.aragonite.dataset.RunReport;
import io.aragonite.exec.testing.TestSample;
import io.aragonite.tpcds.TpcdsData;
import io.aragonite.tpcds.TpcdsQuery;
import io.aragonite.tpcds.TpcdsTable;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The 99 queries of TPC-DS on the CPU with DuckDB's answers, half of them a build, and the keys
 * that the data claim.
 */
class TpcdsTest {
  private static final double SCALE = 0.01;
  private static final int STATEMENTS = 103; // four queries have two

  @TempDir private static Path cache;
  private static Path data = Path.of("");

  @BeforeAll
  static void generate() throws IOException, InterruptedException {
    data = TpcdsData.ensure(SCALE, cache, 2, ProgressListener.NONE);
  }

  @Test
  void allAnswersAreRight() throws SQLException, IOException {
    List<TpcdsQuery> queries = new TestSample(TpcdsTest.class).some(TpcdsQuery.all(), 0.35);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
    try (DuckDbTpcds duckDb = new DuckDbTpcds(data, 2);
        Connection connection =
            DriverManager.getConnection(
                "jdbc:aragonite:device=cpu;fallback=off;directory=" + data)) {
      QueryRunner.RunOptions options =
          new QueryRunner.RunOptions(queries.stream().map(duckDb::checked).toList(), true, 1);
      RunReport report = new QueryRunner(connection, options, out).run();
      assertEquals(0, report.exitStatus(), bytes.toString(StandardCharsets.UTF_8));
      assertEquals(queries.size(), report.results().size());
    }
    String text = bytes.toString(StandardCharsets.UTF_8);
    assertTrue(text.contains("%1$d of %1$d right".formatted(queries.size())), text);
  }

  /** The planner believes them. */
  @Test
  void keysHold() throws SQLException, IOException {
    List<String> wrong = new ArrayList<>();
    try (Connection connection = DuckDbTables.open(data, 2);
        Statement statement = connection.createStatement()) {
      for (TpcdsTable table : TpcdsTable.all()) {
        String key = String.join(", ", table.primaryKey());
        String name = table.tableName();
        String twice = "(select 1 from " + name + " group by " + key + " having count(*) > 1)";
        expectNone(statement, twice, name + "(" + key + ")", wrong);
        String nulls =
            table.columns().stream()
                .filter(column -> !column.nullable())
                .map(DatasetColumn::name)
                .collect(Collectors.joining(" is null or ", name + " where ", " is null"));
        expectNone(statement, nulls, name + " has nulls", wrong);
        for (DatasetForeignKey reference : table.foreignKeys()) {
          expectNone(statement, orphans(name, reference), name + ": " + reference, wrong);
        }
      }
    }
    assertEquals(List.of(), wrong);
  }

  private static String orphans(String table, DatasetForeignKey reference) {
    StringBuilder joined = new StringBuilder();
    StringBuilder present = new StringBuilder();
    for (int i = 0; i < reference.columns().size(); i++) {
      String column = reference.columns().get(i);
      present.append(" and x.").append(column).append(" is not null");
      joined.append(i == 0 ? "" : " and ").append("x.").append(column);
      joined.append(" = y.").append(reference.targetColumns().get(i));
    }
    return table
        + " x where not exists (select 1 from "
        + reference.target()
        + " y where "
        + joined
        + ")"
        + present;
  }

  private static void expectNone(
      Statement statement, String rows, String complaint, List<String> wrong) throws SQLException {
    try (ResultSet result = statement.executeQuery("select count(*) from " + rows)) {
      result.next();
      if (result.getLong(1) > 0) {
        wrong.add(complaint + ": " + result.getLong(1));
      }
    }
  }

  @Test
  void queriesHaveNoPlacesLeft() {
    List<TpcdsQuery> queries = TpcdsQuery.all();
    assertEquals(STATEMENTS, queries.size());
    for (TpcdsQuery query : queries) {
      assertTrue(!query.sql().contains("[") && !query.sql().contains(";"), query.sql());
    }
    assertEquals("Q14b", TpcdsQuery.of(14).getLast().name());
    assertTrue(TpcdsQuery.of(1).getFirst().sql().endsWith("limit 100"));
    assertEquals(List.of(0), TpcdsQuery.of(1).getFirst().sortedOn(List.of("c_customer_id")));
    assertThrows(IllegalArgumentException.class, () -> TpcdsQuery.of(100));
  }
}
