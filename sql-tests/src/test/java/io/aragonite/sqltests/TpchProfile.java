package io.aragonite.sqltests;

import io.aragonite.sqltests.bench.Machine;
import io.aragonite.sqltests.bench.Queries;
import io.aragonite.tpch.TpchQuery;
import io.aragonite.tpch.TpchScale;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Where the time of each TPC-H query goes: the query as a whole, what of it a GPU worked, and the
 * least that it could take, which is the bytes of the columns that its scans read over the rate of
 * memory. EXPLAIN ANALYZE of each query, after runs that warm up, goes to a file.
 */
@Command(
    name = "tpch-profile",
    description = "Runs EXPLAIN ANALYZE of TPC-H queries, hot, and tells the device's part.",
    mixinStandardHelpOptions = true,
    showDefaultValues = true)
public final class TpchProfile implements Callable<Integer> {
  private static final Pattern DEVICE = Pattern.compile("(?m)^Device: (.*)$");
  private static final Pattern COLUMN_BYTES = Pattern.compile("\"column bytes\"\\s*:\\s*(\\d+)");
  private static final Pattern DEVICE_TIME =
      Pattern.compile("([0-9.,]+ (?:s|ms|us|ns)) of its time");

  @Option(names = "--scale", description = "scale factor")
  private double scale = 1;

  @Option(names = "--warmups", description = "runs before the one that is shown")
  private int warmups = 3;

  @Option(names = "--queries", split = ",", description = "their numbers; all if none is named")
  private Set<Integer> queries = Set.of();

  @Option(
      names = "--bandwidth",
      description = "GB/s at which memory is read: 4,157 is what a copy reaches on an H200")
  private double bandwidth = 4157;

  @Option(names = "--options", description = "more connection properties, such as ;device=cuda")
  private String options = "";

  @Option(
      names = "--directory",
      description = "folder with files of the tables; they are generated if none is named")
  private @Nullable Path directory;

  @Option(
      names = "--cold",
      description =
          "also each query's first run on a connection of its own, to which all tables are new"
              + " (their files are in the page cache), and the one after it")
  private boolean cold;

  @Option(names = "--out", description = "file for the plans")
  private Path out = Path.of("sql-tests", "target", "tpch-profile.txt");

  /** Exits with 0 if all queries ran. */
  public static void main(String[] arguments) {
    System.exit(new CommandLine(new TpchProfile()).execute(arguments));
  }

  @Override
  public Integer call() throws Exception {
    StringBuilder plans = new StringBuilder();
    System.out.println(Machine.describe());
    System.out.printf(
        "%-6s %10s %10s %8s %10s %12s  %s%n",
        "query", "best ms", "columns MB", "floor ms", "over floor", "on device", "device");
    double total = 0;
    double totalFloor = 0;
    String tables =
        directory == null
            ? "tpch=" + new TpchScale(scale)
            : "directory=" + directory.toAbsolutePath();
    String url = "jdbc:aragonite:" + tables + ";fallback=off" + options;
    try (Connection connection = DriverManager.getConnection(url)) {
      for (TpchQuery query : TpchQuery.all()) {
        if (!queries.isEmpty() && !queries.contains(query.number())) {
          continue;
        }
        double best = Double.POSITIVE_INFINITY;
        String sql = query.sql(scale);
        for (int i = 0; i < warmups; i++) {
          best = Math.min(best, Queries.millis(connection, sql));
        }
        String plan = Queries.explain(connection, sql);
        plans.append("== Q").append(query.number()).append('\n').append(plan).append('\n');
        String device = first(DEVICE, plan);
        double bytes = columnBytes(Queries.explain(connection, "as json " + sql));
        double floor = bytes / bandwidth / 1e6;
        total += best;
        totalFloor += floor;
        System.out.printf(
            Locale.ROOT,
            "Q%-5d %10.2f %10.1f %8.3f %10.1f %12s  %s%n",
            query.number(),
            best,
            bytes / 1e6,
            floor,
            best / floor,
            first(DEVICE_TIME, device),
            device);
      }
    }
    System.out.printf(
        Locale.ROOT,
        "%-6s %10.2f %10s %8.3f %10.1f%n",
        "total",
        total,
        "",
        totalFloor,
        total / totalFloor);
    if (cold) {
      runCold(url);
    }
    if (out.toAbsolutePath().getParent() != null) {
      Files.createDirectories(out.toAbsolutePath().getParent());
    }
    Files.writeString(out, plans);
    return 0;
  }

  private void runCold(String url) throws SQLException {
    System.out.printf("%-6s %10s %10s%n", "query", "cold ms", "again ms");
    double all = 0;
    double allAgain = 0;
    for (TpchQuery query : TpchQuery.all()) {
      try (Connection connection = DriverManager.getConnection(url)) {
        double first = Queries.millis(connection, query.sql(scale));
        double again = Queries.millis(connection, query.sql(scale));
        all += first;
        allAgain += again;
        System.out.printf(Locale.ROOT, "Q%-5d %10.1f %10.2f%n", query.number(), first, again);
      }
    }
    System.out.printf(Locale.ROOT, "%-6s %10.1f %10.2f%n", "total", all, allAgain);
  }

  private static String first(Pattern pattern, String text) {
    Matcher matcher = pattern.matcher(text);
    return matcher.find() ? matcher.group(1) : "";
  }

  private static double columnBytes(String json) {
    double bytes = 0;
    for (Matcher found = COLUMN_BYTES.matcher(json); found.find(); ) {
      bytes += Double.parseDouble(found.group(1));
    }
    return bytes;
  }
}
