package io.aragonite.sqltests.duckdb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.bench.duckdb.DuckDbTables;
import io.aragonite.dataset.BenchmarkRun;
import io.aragonite.dataset.ProgressListener;
import io.aragonite.dataset.QueryResult;
import io.aragonite.dataset.QueryResult.Status;
import io.aragonite.dataset.RunReport;
import io.aragonite.tpch.TpchData;
import io.aragonite.tpch.TpchQuery;
import io.aragonite.tpch.TpchRunner;
import io.aragonite.tpch.TpchRunner.Options;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The runner and the stored answers, on the engine that made these. */
class TpchRunnerTest {
  private static final double SCALE = 0.01;

  @TempDir private static Path cache;
  private static Path data = Path.of("");

  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);

  @BeforeAll
  static void generate() throws IOException, InterruptedException {
    data = TpchData.ensure(SCALE, cache, 2, ProgressListener.NONE);
  }

  private RunReport run(Connection connection, Options options) {
    return TpchRunner.of(connection, options, out).run();
  }

  @Test
  void allAnswersAreRight() throws SQLException, IOException {
    try (Connection connection = DuckDbTables.open(data, 2)) {
      RunReport report = run(connection, Options.standard(SCALE));
      assertEquals(22, report.count(Status.OK), bytes.toString(StandardCharsets.UTF_8));
      assertEquals(0, report.exitStatus());
      assertTrue(report.totalMillis() > 0);
    }
    assertTrue(bytes.toString(StandardCharsets.UTF_8).contains("22 of 22 right"));
  }

  @Test
  void aMissingRowIsAWrongAnswerAndAMissingTableAFailure() throws SQLException, IOException {
    try (Connection connection = DuckDbTables.open(data, 2);
        Statement statement = connection.createStatement()) {
      statement.execute("delete from lineitem where l_orderkey = 1");
      statement.execute("drop table customer");
      List<TpchQuery> queries = List.of(TpchQuery.of(1), TpchQuery.of(22), TpchQuery.of(16));
      RunReport report = run(connection, new Options(SCALE, queries, true, 2));
      assertEquals(
          List.of(Status.WRONG, Status.FAILED, Status.OK),
          report.results().stream().map(QueryResult::status).toList());
      assertEquals(1, report.exitStatus());
      String wrong = report.results().get(0).verdict();
      assertTrue(wrong.startsWith("WRONG: row 3, column sum_qty: expected "), wrong);
      assertTrue(report.results().get(1).verdict().contains("customer"));
    }
  }

  @Test
  void aScaleWithoutAnswersIsSaidSo() throws SQLException, IOException {
    try (Connection connection = DuckDbTables.open(data, 2)) {
      List<TpchQuery> queries = List.of(TpchQuery.of(6));
      RunReport report = run(connection, new Options(0.02, queries, true, 1));
      assertEquals(Status.NO_ANSWER, report.results().get(0).status());
      assertEquals(2, report.exitStatus());
      assertEquals(0, run(connection, new Options(0.02, queries, false, 1)).exitStatus());
    }
  }

  @Test
  void streamsAreCheckedInEachRun() throws SQLException, IOException {
    List<TpchQuery> queries = Stream.of(1, 6, 14).map(TpchQuery::of).toList();
    Options options = new Options(SCALE, queries, true, 2);
    try (Connection one = DuckDbTables.open(data, 1);
        Connection two = DuckDbTables.open(data, 1);
        Statement statement = two.createStatement()) {
      RunReport right = TpchRunner.streams(List.of(one, two), options, out).run();
      assertEquals(2 * 3 * 5, right.count(Status.OK), text());
      assertTrue(text().contains("one after the other"), text());
      assertTrue(text().contains("2 streams, 30 queries run, 30 right"), text());
      bytes.reset();
      statement.execute("delete from lineitem where l_orderkey = 1");
      RunReport wrong = TpchRunner.streams(List.of(one, two), options, out).run();
      assertEquals(1, wrong.exitStatus());
      assertEquals(5, wrong.count(Status.WRONG), text());
      assertTrue(text().contains("stream 2, Q1 WRONG: row 3"), text());
      assertFalse(text().contains("queries an hour"), text());
    }
  }

  private String text() {
    return bytes.toString(StandardCharsets.UTF_8);
  }

  @Test
  void cancelEndsTheRun() throws Exception {
    try (Connection connection = DuckDbTables.open(data, 2);
        Statement statement = connection.createStatement()) {
      statement.execute("alter table region rename to stored_region");
      statement.execute( // a query over it does not end by itself within this test's patience
          "create view region as select r.* from stored_region r,"
              + " (select count(*) c from range(100000000) a, range(100000000) b) n"
              + " where n.c > 0");
      Options endless = new Options(SCALE, List.of(TpchQuery.of(5)), true, 1);
      cancelled(TpchRunner.of(connection, endless, out));
      cancelled(TpchRunner.streams(List.of(connection), endless, out));
    }
  }

  private static void cancelled(BenchmarkRun run) throws InterruptedException {
    Thread canceller =
        Thread.ofPlatform()
            .start(() -> {
              try {
                Thread.sleep(500);
              } catch (InterruptedException e) {
                return;
              }
              run.cancel();
            });
    RunReport report = run.run();
    canceller.join();
    assertTrue(report.interrupted());
    assertEquals(RunReport.INTERRUPTED, report.exitStatus());
  }
}
