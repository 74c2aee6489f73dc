package io.aragonite.bench.graph;

import io.aragonite.bench.data.CsvColumns;
import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.io.PrintWriter;
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
import java.util.Map;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Counts patterns of generated graphs in SQL, as one join and by joins of two, and compares. */
public final class GraphBench {
  /**
   * What was measured.
   *
   * @param mode of the property {@code multiway}
   * @param one whether the joins ran as one over tries
   * @param firstMillis the first run: tables are loaded and tries built
   * @param trieMillis of that, the building of tries
   * @param millis the median of the others; NaN if it failed
   * @param cpuMillis time of the process's threads, the least of the others: what a machine that
   *     does other work as well tells of a query on the CPU
   * @param steps of the join over tries, for each the bindings that it began with and the values
   *     that it tried: {@code 1/8181 6187/80822}; empty if there was none
   * @param pricedMillis what the planner expected of it, tries aside; NaN if it did not say
   * @param pricedBinaryMillis what it expected of joins of two
   * @param error why; empty if it did not
   */
  public record GraphResult(
      GraphData.GraphKind kind,
      int edges,
      GraphQuery query,
      String mode,
      boolean one,
      double firstMillis,
      double trieMillis,
      double millis,
      double cpuMillis,
      double spread,
      long count,
      String steps,
      double pricedMillis,
      double pricedBinaryMillis,
      String error) {
    /** Edges of the graph, each once, in a second. */
    public double edgesPerSecond() {
      return edges / millis * 1000;
    }
  }

  private static final Pattern TRIES = Pattern.compile("trie build us ([0-9,]+)");
  private static final Pattern STEP =
      Pattern.compile("step \\d+: (bindings|values tried) ([0-9,]+)");
  private static final Pattern PRICE =
      Pattern.compile("candidate: multi-predicate.* join ([0-9.,]+ [a-z]+)[,;].*");
  private static final Pattern BINARY =
      Pattern.compile("candidate: two relations at a time, ([0-9.,]+ [a-z]+).*");

  private final Map<String, String> connection;
  private final int runs;
  private final boolean analyze;
  private final PrintWriter out;

  /**
   * @param connection properties of the connections
   * @param runs timed runs after the first, one at least
   * @param analyze whether to print what EXPLAIN ANALYZE says after these
   */
  public GraphBench(Map<String, String> connection, int runs, boolean analyze, PrintWriter out) {
    this.connection = connection;
    this.runs = runs;
    this.analyze = analyze;
    this.out = out;
  }

  /**
   * Runs queries over a graph, a line each.
   *
   * @param modes of the property {@code multiway}; what the first one counts is the answer
   * @param directory where the table is put, an empty folder
   */
  public List<GraphResult> run(
      GraphData.GraphKind kind, int edges, List<GraphQuery> queries, List<String> modes, Path directory)
      throws IOException, SQLException {
    GraphData graph = GraphData.make(kind, edges, 1);
    Files.createDirectories(directory);
    Path file = directory.resolve("e.arrow");
    graph.writeArrow(file);
    out.printf(
        "%s, %,d edges (%,d rows, each edge in both directions), %,d nodes%n",
        kind, graph.edges().length, graph.rows(), graph.nodes());
    out.flush();
    int edgeCount = graph.edges().length;
    List<GraphResult> results = new ArrayList<>();
    for (GraphQuery query : queries) {
      for (String mode : modes) {
        GraphResult result = run(kind, edgeCount, query, mode, directory);
        results.add(result);
        print(result, results);
      }
    }
    Files.delete(file);
    return results;
  }

  private void print(GraphResult result, List<GraphResult> all) {
    long known =
        all.stream()
            .filter(r -> r.query == result.query && r.error.isEmpty())
            .mapToLong(GraphResult::count)
            .findFirst()
            .orElse(result.count);
    if (!result.error.isEmpty()) {
      out.printf("  %-10s multiway=%-4s failed: %s%n", result.query, result.mode, result.error);
    } else {
      out.printf(
          Locale.ROOT,
          "  %-10s multiway=%-4s %-6s %10.2f ms (cpu %.1f ms, slowest %.2f times), first %.1f ms,"
              + " tries %.1f ms, %.1f M edges/s, %,d found%s%n",
          result.query,
          result.mode,
          result.one ? "one" : "binary",
          result.millis,
          result.cpuMillis,
          result.spread,
          result.firstMillis,
          result.trieMillis,
          result.edgesPerSecond() / 1e6,
          result.count,
          result.count == known ? "" : " WRONG: others find " + known);
    }
    out.flush();
  }

  private static long cpuNanos() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean process
        ? process.getProcessCpuTime()
        : 0;
  }

  /** Whether all that ran found the same. */
  public static boolean agree(List<GraphResult> results) {
    return results.stream()
        .allMatch(a ->
            results.stream()
                .filter(b -> b.query == a.query && b.kind == a.kind && b.edges == a.edges)
                .filter(b -> a.error.isEmpty() && b.error.isEmpty())
                .allMatch(b -> a.count == b.count));
  }

  private GraphResult run(GraphData.GraphKind kind, int edges, GraphQuery query, String mode, Path directory)
      throws SQLException {
    Properties properties = new Properties();
    connection.forEach(properties::setProperty);
    properties.setProperty("directory", directory.toString());
    properties.setProperty("multiway", mode);
    try (Connection opened = DriverManager.getConnection("jdbc:aragonite:", properties);
        Statement statement = opened.createStatement()) {
      double[] millis = new double[Math.max(1, runs)];
      long begin = System.nanoTime();
      List<String> plan = explain(statement, query, false);
      double first = (System.nanoTime() - begin) / 1e6;
      double tries = figure(plan, TRIES) / 1e3;
      // What ran, not what was planned: the node may have gone on with joins of two.
      boolean one =
          plan.stream().anyMatch(line -> line.contains("MultiwayJoin ["))
              && plan.stream().noneMatch(line -> line.contains("two relations at a time:"));
      long count = 0;
      double cpu = Double.POSITIVE_INFINITY;
      for (int i = 0; i < millis.length; i++) {
        long cpuStart = cpuNanos();
        long start = System.nanoTime();
        try (ResultSet rows = statement.executeQuery(query.sql())) {
          rows.next();
          count = rows.getLong(1);
        }
        millis[i] = (System.nanoTime() - start) / 1e6;
        cpu = Math.min(cpu, (cpuNanos() - cpuStart) / 1e6);
      }
      if (analyze) {
        explain(statement, query, true);
      }
      Arrays.sort(millis);
      double median = millis[millis.length / 2];
      return new GraphResult(
          kind,
          edges,
          query,
          mode,
          one,
          first,
          tries,
          median,
          cpu,
          millis[millis.length - 1] / millis[0],
          count,
          steps(plan),
          millis(plan, PRICE),
          millis(plan, BINARY),
          "");
    } catch (SQLException e) {
      String message = String.valueOf(e.getMessage());
      double no = Double.NaN;
      return new GraphResult(
          kind, edges, query, mode, false, no, no, no, no, no, 0, "", no, no, message);
    }
  }

  /** Runs a query with EXPLAIN ANALYZE; its lines. */
  private List<String> explain(Statement statement, GraphQuery query, boolean print)
      throws SQLException {
    List<String> lines = new ArrayList<>();
    try (ResultSet rows = statement.executeQuery("explain analyze verbose " + query.sql())) {
      while (rows.next()) {
        lines.add(rows.getString(1));
      }
    }
    if (print) {
      lines.stream()
          .filter(line -> !line.contains("candidate:"))
          .forEach(line -> out.println("    " + line));
    }
    return lines;
  }

  private static double figure(List<String> plan, Pattern pattern) {
    for (String line : plan) {
      Matcher matcher = pattern.matcher(line);
      if (matcher.find()) {
        return Double.parseDouble(matcher.group(1).replace(",", ""));
      }
    }
    return 0;
  }

  /** What the steps of the first join over tries had to do. */
  private static String steps(List<String> plan) {
    for (String line : plan) {
      Matcher matcher = STEP.matcher(line);
      List<String> steps = new ArrayList<>();
      while (matcher.find()) {
        String number = matcher.group(2).replace(",", "");
        if (matcher.group(1).equals("bindings")) {
          steps.add(number);
        } else {
          steps.set(steps.size() - 1, steps.getLast() + "/" + number);
        }
      }
      if (!steps.isEmpty()) {
        return String.join(" ", steps);
      }
    }
    return "";
  }

  private static double millis(List<String> plan, Pattern pattern) {
    for (String line : plan) {
      Matcher matcher = pattern.matcher(line);
      if (matcher.find()) {
        String[] parts = matcher.group(1).split(" ", 2);
        double unit =
            switch (parts[1]) {
              case "ns" -> 1e-6;
              case "us" -> 1e-3;
              case "ms" -> 1;
              default -> 1e3;
            };
        return Double.parseDouble(parts[0].replace(",", "")) * unit;
      }
    }
    return Double.NaN;
  }

  private static final CsvColumns<GraphResult> COLUMNS =
      new CsvColumns<GraphResult>()
          .add("graph", GraphResult::kind)
          .add("edges", GraphResult::edges)
          .add("query", GraphResult::query)
          .add("multiway", GraphResult::mode)
          .add("one_join", GraphResult::one)
          .add("first_ms", "%.3f", GraphResult::firstMillis)
          .add("trie_ms", "%.3f", GraphResult::trieMillis)
          .add("median_ms", "%.3f", GraphResult::millis)
          .add("cpu_ms", "%.3f", GraphResult::cpuMillis)
          .add("spread", "%.3f", GraphResult::spread)
          .add("edges_per_s", "%.0f", GraphResult::edgesPerSecond)
          .add("count", GraphResult::count)
          .add("steps", GraphResult::steps)
          .add("priced_ms", "%.3f", GraphResult::pricedMillis)
          .add("priced_binary_ms", "%.3f", GraphResult::pricedBinaryMillis);

  /** The results as CSV, with a line of names. */
  public static String csv(List<GraphResult> results) {
    return COLUMNS.text(results);
  }

  /** The results as a picture: a bar a result, on a logarithmic scale. */
  public static String svg(List<GraphResult> results) {
    int line = 18;
    int left = 330;
    int width = 420;
    double least = results.stream().mapToDouble(GraphResult::millis).filter(m -> m > 0).min().orElse(1);
    double most = results.stream().mapToDouble(GraphResult::millis).filter(m -> m > 0).max().orElse(1);
    double low = Math.log10(least) - 0.2;
    double span = Math.max(0.3, Math.log10(most) - low);
    StringBuilder svg = new StringBuilder();
    svg.append(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" font-size=\"11\">%n"
            .formatted(left + width + 110, results.size() * line + 40));
    svg.append("<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n");
    svg.append("<text x=\"10\" y=\"18\" font-size=\"13\">Milliseconds, logarithmic</text>\n");
    for (int i = 0; i < results.size(); i++) {
      GraphResult r = results.get(i);
      int y = 30 + i * line;
      double bar = r.millis > 0 ? width * (Math.log10(r.millis) - low) / span : 0;
      svg.append(
          String.format(
              Locale.ROOT,
              "<text x=\"10\" y=\"%d\">%s %,d %s multiway=%s</text>%n<rect x=\"%d\" y=\"%d\""
                  + " width=\"%.1f\" height=\"%d\" fill=\"%s\"/>%n<text x=\"%.1f\""
                  + " y=\"%d\">%s</text>%n",
              y + 12,
              r.kind,
              r.edges,
              r.query,
              r.mode,
              left,
              y + 2,
              bar,
              line - 5,
              r.mode.equals("off") ? "#e0a030" : "#0b6e99",
              left + bar + 4,
              y + 12,
              r.error.isEmpty() ? String.format(Locale.ROOT, "%.2f", r.millis) : "failed"));
    }
    return svg.append("</svg>\n").toString();
  }
}
