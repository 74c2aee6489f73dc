package io.aragonite.sqltests;

import io.aragonite.sqltests.bench.Machine;
import io.aragonite.sqltests.bench.Queries;
import io.aragonite.tpch.TpchQuery;
import io.aragonite.tpch.TpchScale;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Whether {@code device=auto} sends queries where they are faster: each of some queries over tables
 * from 5 rows to the largest, and those of TPC-H, on the CPU, on the GPU (columns there, best of
 * several runs each) and under auto, with what auto estimates at the end. What auto lost is its
 * time over the better of both.
 */
@Command(
    name = "auto-bench",
    description = "Compares device=auto's choices with measured times.",
    mixinStandardHelpOptions = true,
    showDefaultValues = true)
public final class AutoBench implements Callable<Integer> {
  private static final Pattern ESTIMATE =
      Pattern.compile("estimated ([0-9.]+) ms on cpu, ([0-9.]+) ms on ([^,]+), ([0-9.]+) ms to");

  /** Short queries run until they have taken so long: what they are compiled to is warm then. */
  private static final double ENOUGH_MILLIS = 150;

  /** Tables, a key, a number and a column of few values of each. */
  private static final String[][] TABLES = {
    {"region", "r_regionkey", "r_regionkey", "r_name"},
    {"nation", "n_nationkey", "n_regionkey", "n_regionkey"},
    {"supplier", "s_suppkey", "s_acctbal", "s_nationkey"},
    {"customer", "c_custkey", "c_acctbal", "c_mktsegment"},
    {"part", "p_partkey", "p_retailprice", "p_brand"},
    {"partsupp", "ps_partkey", "ps_supplycost", "ps_availqty"},
    {"orders", "o_orderkey", "o_totalprice", "o_orderpriority"},
    {"lineitem", "l_orderkey", "l_extendedprice", "l_shipmode"},
  };

  @Option(names = "--scale", description = "scale factor")
  private double scale = 1;

  @Option(
      names = "--runs",
      description = "runs of a query on each device at least, of which the best counts")
  private int runs = 5;

  @Option(names = "--rounds", description = "runs of all queries under auto before it is asked")
  private int rounds = 4;

  @Option(names = "--gpu", description = "the device beside cpu and auto")
  private String gpu = "cuda:0";

  @Option(names = "--options", description = "more connection properties, such as ;memory=60GB")
  private String options = "";

  private record Row(
      String name,
      double cpu,
      double gpu,
      double auto,
      double expectedCpu,
      double expectedGpu,
      boolean there) {

    double lost() {
      return Math.max(1, auto / Math.min(cpu, gpu));
    }
  }

  /** Exits with 0 if all queries ran. */
  public static void main(String[] arguments) {
    System.exit(new CommandLine(new AutoBench()).execute(arguments));
  }

  private Map<String, String> queries() {
    Map<String, String> queries = new LinkedHashMap<>();
    for (String[] t : TABLES) {
      queries.put(t[0] + " sum", "select sum(%s), count(*) from %s".formatted(t[2], t[0]));
      queries.put(
          t[0] + " filter",
          "select sum(%1$s) from %2$s where mod(%3$s, 7) = 3".formatted(t[2], t[0], t[1]));
      queries.put(
          t[0] + " group", "select %1$s, count(*) from %2$s group by %1$s".formatted(t[3], t[0]));
      queries.put(
          t[0] + " top",
          "select %1$s as k, %2$s as v from %3$s order by 2 desc, 1 limit 10"
              .formatted(t[1], t[2], t[0]));
      queries.put(
          t[0] + " join",
          "select count(*) from %1$s a join %1$s b on a.%2$s = b.%2$s where b.%3$s > 1"
              .formatted(t[0], t[1], t[2]));
    }
    for (TpchQuery query : TpchQuery.all()) {
      queries.put("Q" + query.number(), query.sql(scale));
    }
    return queries;
  }

  private Connection connect(String device) throws SQLException {
    String url = "jdbc:aragonite:tpch=%s;fallback=off;device=%s%s";
    return DriverManager.getConnection(url.formatted(new TpchScale(scale), device, options));
  }

  @Override
  public Integer call() throws Exception {
    System.out.println(Machine.describe());
    Map<String, String> queries = queries();
    Map<String, Double> cpu = measure("cpu", queries);
    Map<String, Double> there = measure(gpu, queries);
    List<Row> rows = new ArrayList<>();
    try (Connection auto = connect("auto")) {
      for (int round = 0; round < rounds; round++) {
        for (String sql : queries.values()) {
          Queries.millis(auto, sql);
        }
      }
      for (Map.Entry<String, String> query : queries.entrySet()) {
        double time = best(auto, query.getValue());
        String plan = Queries.explain(auto, query.getValue());
        Matcher found = ESTIMATE.matcher(plan);
        boolean estimated = found.find();
        rows.add(
            new Row(
                query.getKey(),
                cpu.get(query.getKey()),
                there.get(query.getKey()),
                time,
                estimated ? Double.parseDouble(found.group(1)) : Double.NaN,
                estimated ? Double.parseDouble(found.group(2)) : Double.NaN,
                plan.contains("Device: cuda")));
      }
    }
    print(rows);
    return 0;
  }

  private static void print(List<Row> rows) {
    System.out.printf(
        "%-16s %9s %9s %9s %9s %9s %5s %6s%n",
        "query", "cpu ms", "gpu ms", "auto ms", "est. cpu", "est. gpu", "auto", "lost");
    int slower = 0;
    double best = 0;
    double chosen = 0;
    double worst = 1;
    for (Row row : rows) {
      System.out.printf(
          Locale.ROOT,
          "%-16s %9.2f %9.2f %9.2f %9.2f %9.2f %5s %6.2f%s%n",
          row.name,
          row.cpu,
          row.gpu,
          row.auto,
          row.expectedCpu,
          row.expectedGpu,
          row.there ? "gpu" : "cpu",
          row.lost(),
          row.lost() > 1.2 ? " *" : "");
      slower += row.lost() > 1.2 ? 1 : 0;
      best += Math.min(row.cpu, row.gpu);
      chosen += row.auto;
      worst = Math.max(worst, row.lost());
    }
    System.out.printf(
        Locale.ROOT,
        "%d of %d queries where they take more than 1.2 times as long (worst %.2f); all of them"
            + " %.1f ms under auto, %.1f at best, %.1f on the CPU, %.1f on the GPU%n",
        slower,
        rows.size(),
        worst,
        chosen,
        best,
        rows.stream().mapToDouble(Row::cpu).sum(),
        rows.stream().mapToDouble(Row::gpu).sum());
  }

  /** Milliseconds of each query's best run, after one that loads and compiles. */
  private Map<String, Double> measure(String device, Map<String, String> queries)
      throws SQLException {
    Map<String, Double> times = new LinkedHashMap<>();
    try (Connection connection = connect(device)) {
      for (Map.Entry<String, String> query : queries.entrySet()) {
        times.put(query.getKey(), best(connection, query.getValue()));
      }
    }
    return times;
  }

  private double best(Connection connection, String sql) throws SQLException {
    double best = Double.POSITIVE_INFINITY;
    double all = 0;
    for (int run = -1; run < runs || all < ENOUGH_MILLIS; run++) {
      double time = Queries.millis(connection, sql);
      best = run < 0 ? best : Math.min(best, time);
      all += run < 0 ? 0 : time;
    }
    return best;
  }
}
