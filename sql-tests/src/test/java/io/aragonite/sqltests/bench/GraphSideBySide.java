package io.aragonite.sqltests.bench;

import io.aragonite.bench.graph.GraphData;
import io.aragonite.bench.graph.GraphQuery;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Patterns of a graph in the same SQL on Aragonite and DuckDB, in turn in one process, with as many
 * threads: {@code java ... GraphSideBySide RMAT 1000000 2 5 TRIANGLES}, which are kind, edges,
 * threads, timed runs and queries. Tables are in memory, tries are built by the first run.
 */
public final class GraphSideBySide {
  private GraphSideBySide() {}

  private record Engine(String name, Statement statement, List<Double> millis) {}

  /** See above. */
  public static void main(String[] args) throws Exception {
    GraphData.GraphKind kind = GraphData.GraphKind.valueOf(args[0]);
    int edges = Integer.parseInt(args[1]);
    int threads = Integer.parseInt(args[2]);
    int runs = Integer.parseInt(args[3]);
    GraphData graph = GraphData.make(kind, edges, 1);
    Path directory = Files.createTempDirectory("graph");
    graph.writeArrow(directory.resolve("e.arrow"));
    Path csv = Files.createTempFile("e", ".csv");
    graph.writeCsv(csv);
    System.out.printf(
        "%s, %,d edges, %,d rows, %,d nodes, %d threads, %d runs; load %.1f%n",
        kind,
        graph.edges().length,
        graph.rows(),
        graph.nodes(),
        threads,
        runs,
        ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
    try (Connection duck = DriverManager.getConnection("jdbc:duckdb:");
        Connection multiway = ours(directory, threads, System.getProperty("multiway", "auto"));
        Connection binary = ours(directory, threads, "off")) {
      Statement duckStatement = duck.createStatement();
      duckStatement.execute("set threads = " + threads);
      duckStatement.execute(
          "create table e as select src::integer as src, dst::integer as dst from read_csv('%s')"
              .formatted(csv));
      for (String name : Arrays.copyOfRange(args, 4, args.length)) {
        GraphQuery query = GraphQuery.valueOf(name);
        List<Engine> engines =
            List.of(
                new Engine("aragonite", multiway.createStatement(), new ArrayList<>()),
                new Engine("aragonite multiway=off", binary.createStatement(), new ArrayList<>()),
                new Engine("duckdb", duckStatement, new ArrayList<>()));
        run(query, engines, runs);
      }
    } finally {
      Files.delete(csv);
      Files.delete(directory.resolve("e.arrow"));
      Files.delete(directory);
    }
  }

  private static Connection ours(Path directory, int threads, String mode) throws SQLException {
    return DriverManager.getConnection(
        "jdbc:aragonite:directory=%s;device=cpu;threads=%d;multiway=%s"
            .formatted(directory, threads, mode));
  }

  /** In turn, so that what else the machine does meets all. */
  private static void run(GraphQuery query, List<Engine> engines, int runs) throws SQLException {
    long expected = -1;
    for (int i = 0; i <= runs; i++) {
      for (Engine engine : engines) {
        long start = System.nanoTime();
        long count;
        try (ResultSet rows = engine.statement.executeQuery(query.sql())) {
          rows.next();
          count = rows.getLong(1);
        }
        if (i > 0) {
          engine.millis.add((System.nanoTime() - start) / 1e6);
        }
        if (expected >= 0 && expected != count) {
          throw new IllegalStateException(engine.name + " finds " + count + ", not " + expected);
        }
        expected = count;
      }
    }
    double duck = median(engines.getLast().millis);
    for (Engine engine : engines) {
      double median = median(engine.millis);
      System.out.printf(
          Locale.ROOT,
          "%-10s %-24s %10.1f ms, %5.1f times DuckDB's speed, %,d found%n",
          query,
          engine.name,
          median,
          duck / median,
          expected);
    }
  }

  private static double median(List<Double> values) {
    return values.stream().sorted().skip(values.size() / 2).findFirst().orElse(Double.NaN);
  }
}
