package io.aragonite.sqltests.bench;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Joins of tables in host memory that the device does not hold, sorted and shuffled, by parts of a
 * hash join and by sort-merge join in host memory: {@code HostMergeBench DEVICE LOG2_OF_R LOG2_OF_S
 * [OPTIONS]}, where options are connection properties, {@code gpuMemory=1GB} say. Prints medians of
 * five runs after one, and what EXPLAIN ANALYZE says of the joins.
 */
public final class HostMergeBench {
  private static final int RUNS = 5;
  private static final int COLUMNS = 2;

  private HostMergeBench() {}

  /** Makes the tables, joins and times. */
  public static void main(String[] arguments) throws Exception {
    int ofR = Integer.parseInt(arguments[1]);
    int ofS = Integer.parseInt(arguments[2]);
    String options = arguments.length > 3 ? ";" + arguments[3] : "";
    Path folder = Files.createTempDirectory("aragonite-merge");
    long keys = 1L << ofR;
    long rows = 1L << ofS;
    long mask = keys - 1;
    List<String> tables = List.of("sorted_r", "sorted_s", "shuffled_r", "shuffled_s");
    ExplainExamples.write(folder, tables.get(0), keys, COLUMNS, i -> (int) i);
    ExplainExamples.write(folder, tables.get(1), rows, COLUMNS, i -> (int) (i >> ofS - ofR));
    ExplainExamples.write(
        folder, tables.get(2), keys, COLUMNS, i -> (int) (i * 0x2C1B3C6DL & mask));
    ExplainExamples.write(
        folder, tables.get(3), rows, COLUMNS, i -> (int) (ExplainExamples.mixed(i) & mask));
    String url = "jdbc:aragonite:device=%s;fallback=off;directory=%s%s";
    try (Connection connection =
        DriverManager.getConnection(url.formatted(arguments[0], folder, options))) {
      for (String order : List.of("sorted", "shuffled")) {
        for (String way : List.of("", "/*+ NPHJ */ ", "/*+ HSMJ */ ")) {
          String query =
              "select %scount(*), sum(cast(r.s1 as bigint)), sum(cast(s.s2 as bigint)) from %s_r r"
                      .formatted(way, order)
                  + " join %s_s s on r.k = s.k".formatted(order);
          time(connection, order + " " + (way.isEmpty() ? "as planned" : way), query);
        }
      }
    } finally {
      for (String table : tables) {
        Files.deleteIfExists(folder.resolve(table + ".arrow"));
      }
      Files.delete(folder);
    }
  }

  private static void time(Connection connection, String what, String query) throws SQLException {
    String answer = answer(connection, query);
    double[] millis = new double[RUNS];
    for (int run = 0; run < RUNS; run++) {
      millis[run] = Queries.millis(connection, query);
    }
    Arrays.sort(millis);
    System.out.printf(
        Locale.ROOT,
        "%-28s %9.2f ms (%.2f to %.2f)  %s%n",
        what,
        millis[RUNS / 2],
        millis[0],
        millis[RUNS - 1],
        answer);
    Queries.explain(connection, "verbose " + query)
        .lines()
        .dropWhile(line -> !line.contains("Join ["))
        .takeWhile(line -> !line.contains("TableScan ["))
        .filter(line -> !line.contains("candidate:") || line.contains("chosen"))
        .forEach(line -> System.out.println("    " + line.strip()));
  }

  private static String answer(Connection connection, String query) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      rows.next();
      return rows.getString(1) + " " + rows.getString(2) + " " + rows.getString(3);
    }
  }
}
