package io.aragonite.bench.cold;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.bench.cold.ColdBench.ColdOptions;
import io.aragonite.bench.cold.ColdProcess.ColdRunning;
import io.aragonite.dataset.ProgressListener;
import io.aragonite.exec.testing.TestSample;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Fresh processes of both engines over files, and what is said of them. */
class ColdBenchTest {
  private static final TestSample SAMPLE = new TestSample(ColdBenchTest.class);

  @TempDir private static Path cache;

  private static ColdOptions options(
      double scale, ColdFormat format, List<Integer> queries, boolean perQuery) {
    return options(new ColdFiles(ColdWorkload.TPCH, scale, format, "snappy"), queries, perQuery);
  }

  private static ColdOptions options(ColdFiles files, List<Integer> queries, boolean perQuery) {
    return new ColdOptions(files, 2, queries, 1, false, perQuery, "sql", 0);
  }

  @Test
  void bothEnginesSideBySide() throws Exception {
    StringWriter out = new StringWriter();
    ColdBench bench =
        new ColdBench(
            options(0.01, ColdFormat.PARQUET, List.of(6, 14), false), cache, new PrintWriter(out));
    bench.run(new ColdEngine("cpu", "device=cpu"));
    bench.run(ColdEngine.DUCKDB);
    assertEquals(List.of(), bench.complaints(), out.toString());
    ColdReport report = bench.report("./aragonite bench cold");
    String text = report.text();
    for (String part : List.of("start", "Q6", "Q14", "total", "cpu", "duckdb", "ratio")) {
      assertTrue(text.contains(part), text);
    }
    String csv = report.csv("here", "2026-01-01");
    assertTrue(
        csv.contains("\nquery,cpu_ms,cpu_plan,cpu_cpu,cpu_ratio,duckdb_ms,duckdb_plan,duckdb_cpu\nstart,"), csv);
    assertEquals(5, csv.lines().filter(line -> !line.startsWith("#")).count(), csv);
    assertFalse(csv.contains("NaN"), csv);
  }

  @Test
  void columnsDecodedByHostAndDevice() throws Exception {
    StringWriter out = new StringWriter();
    String device = System.getProperty("aragonite.test.device", "cpu");
    boolean cuda = device.equals("cuda");
    PageBench bench =
        new PageBench(
            new ColdEngine(device, cuda ? "device=cuda" : "device=cpu"),
            2,
            1,
            new PrintWriter(out));
    String csv =
        bench.run(0.01, List.of("l_orderkey", "l_shipdate", "l_mixed"), List.of("snappy"), cache);
    assertEquals(List.of(), bench.complaints(), out.toString());
    List<String> lines = csv.lines().toList();
    assertEquals(7, lines.size(), csv);
    // The CPU has no pages to decode but as the host; a GPU has those of dates.
    String start = "snappy,l_shipdate,date,dictionary,%s,240700,";
    assertTrue(lines.get(3).startsWith(start.formatted("host")), csv);
    assertTrue(lines.get(4).startsWith(start.formatted(cuda ? "device" : "host")), csv);
    assertTrue(lines.get(5).startsWith("snappy,l_mixed,varchar,plain,host,"), csv);
  }

  @Test
  void aProcessForEachQueryAndWhatFailsIsSaid() throws Exception {
    SAMPLE.assume(0.4);
    StringWriter out = new StringWriter();
    // a scale without stored answers: engines are held against each other
    ColdBench bench =
        new ColdBench(
            options(0.001, ColdFormat.CSV, List.of(14), true), cache, new PrintWriter(out));
    bench.run(ColdEngine.DUCKDB);
    bench.run(new ColdEngine("cpu", "device=cpu"));
    assertEquals(List.of(), bench.complaints(), out.toString());
    bench.run(new ColdEngine("broken", "device=abacus"));
    assertEquals(1, bench.complaints().size(), bench.complaints().toString());
    String text = bench.report("").text();
    assertFalse(text.contains("\nstart"), text); // it is part of each process's time
  }

  /** Q3 and Q98 have a LIMIT or rows that are equal in their order, Q39 two statements. */
  @Test
  void statementsOfTpcds() throws Exception {
    SAMPLE.assume(0.4);
    StringWriter out = new StringWriter();
    ColdFiles files = new ColdFiles(ColdWorkload.TPCDS, 0.01, ColdFormat.PARQUET, "zstd");
    ColdBench bench =
        new ColdBench(options(files, List.of(3, 39, 98), false), cache, new PrintWriter(out));
    bench.run(new ColdEngine("cpu", "device=cpu"));
    bench.run(ColdEngine.DUCKDB);
    assertEquals(List.of(), bench.complaints(), out.toString());
    String csv = bench.report("").csv("here", "2026-01-01");
    List<String> names =
        csv.lines()
            .filter(line -> !line.startsWith("#"))
            .map(line -> line.substring(0, line.indexOf(',')))
            .toList();
    assertEquals(List.of("query", "start", "Q3", "Q39a", "Q39b", "Q98", "total"), names, csv);
    csv.lines()
        .filter(line -> line.startsWith("Q"))
        .forEach(line -> assertFalse(line.contains(",,"), line)); // all times are there
  }

  @Test
  void aProcessThatTakesTooLongIsEnded() throws Exception {
    ColdFiles files = new ColdFiles(ColdWorkload.TPCH, 0.001, ColdFormat.PARQUET, "snappy");
    Path directory = files.ensure(cache, 2, ProgressListener.NONE);
    long start = System.nanoTime();
    ColdRunning running =
        new ColdRunning("sql", 1, new ColdProgress());
    ColdProcess process =
        ColdProcess.run(
            new ColdTask(
                ColdEngine.DUCKDB,
                directory,
                files,
                2,
                List.of("Q6"),
                false,
                1_000_000,
                cache),
            running);
    assertTrue(System.nanoTime() - start < 30e9);
    assertEquals(
        "the process was ended after 1 s", process.failures().get(ColdProcess.ITSELF));
  }
}
