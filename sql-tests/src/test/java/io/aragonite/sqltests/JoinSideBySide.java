package io.aragonite.sqltests;

import com.sun.management.OperatingSystemMXBean;
import io.aragonite.sqltests.bench.Machine;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * One join beside DuckDB's: R and S with a dense key in random order and two 4-byte columns each,
 * every row of S with one partner, the same tables in memory, the same number of threads, by turns.
 * The join's output is summed up, column by column, which is also what the answers are compared by.
 */
@Command(
    name = "join-side-by-side",
    description = "Runs a join of R and S on Aragonite, by each algorithm, and on DuckDB.",
    mixinStandardHelpOptions = true)
public final class JoinSideBySide implements Callable<Integer> {
  private static final OperatingSystemMXBean PROCESS =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

  private static final String JOIN =
      "select count(*), sum(cast(r1 as bigint)), sum(cast(r2 as bigint)),"
          + " sum(cast(s1 as bigint)), sum(cast(s2 as bigint)) from r join s on r.k = s.k";

  @Option(names = "--rows", description = "2 to this power are the rows of S")
  private int log2 = 22;

  @Option(names = "--build-rows", description = "the same of R; as many as of S if not given")
  private int buildLog2 = -1;

  @Option(names = "--threads")
  private int threads = 2;

  @Option(names = "--repeat", description = "timed runs, of which the best counts")
  private int repeat = 5;

  @Option(names = "--options", description = "more of Aragonite's properties, as ;key=value")
  private String options = "";

  /** Exits with 0 if all answers agree, 1 if not. */
  public static void main(String[] arguments) {
    System.exit(new CommandLine(new JoinSideBySide()).execute(arguments));
  }

  @Override
  public Integer call() throws Exception {
    Path folder = Files.createTempDirectory("aragonite-join");
    Map<String, Connection> engines = new LinkedHashMap<>();
    try (Connection duck = DriverManager.getConnection("jdbc:duckdb:")) {
      execute(duck, "set threads = " + threads);
      make(duck, folder, "r", buildLog2 < 0 ? log2 : buildLog2, "i");
      long mask = (1L << (buildLog2 < 0 ? log2 : buildLog2)) - 1;
      make(duck, folder, "s", log2, "(hash(i) & " + mask + ")");
      for (String join : List.of("auto", "nphj", "phj", "smj")) {
        engines.put(
            join,
            DriverManager.getConnection(
                "jdbc:aragonite:directory=%s;threads=%d;fallback=off;join=%s%s"
                    .formatted(folder, threads, join, options)));
      }
      engines.put("duckdb", duck);
      return compare(engines);
    } finally {
      for (Connection connection : engines.values()) {
        connection.close();
      }
      try (Stream<Path> files = Files.list(folder)) {
        for (Path file : files.toList()) {
          Files.delete(file);
        }
      }
      Files.delete(folder);
    }
  }

  /** A table in DuckDB's memory, in no order of its keys, and the same rows as a file. */
  private static void make(Connection duck, Path folder, String name, int log2, String key)
      throws SQLException {
    execute(
        duck,
        "create table %1$s as select %4$s::integer as k, (i * 7 %% 1000003)::integer as %1$s1, (i * 13 %% 999983)::integer as %1$s2 from (select range as i from range(%2$d)) order by hash(i + %3$d)"
            .formatted(name, 1L << log2, name.hashCode(), key));
    execute(
        duck,
        "copy %s to '%s' (format parquet, compression uncompressed)"
            .formatted(name, folder.resolve(name + ".parquet")));
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private int compare(Map<String, Connection> engines) throws SQLException {
    System.out.printf(
        Locale.ROOT,
        "%s%nR of 2^%d rows with S of 2^%d, 2+2 columns of 4 bytes, %d threads, best of %d%n",
        Machine.describe(),
        buildLog2 < 0 ? log2 : buildLog2,
        log2,
        threads,
        repeat);
    Map<String, List<Double>> times = new LinkedHashMap<>();
    Map<String, List<Double>> cpus = new LinkedHashMap<>();
    Map<String, String> answers = new LinkedHashMap<>();
    engines.keySet().forEach(name -> times.put(name, new ArrayList<>()));
    List<Map.Entry<String, Connection>> turns = new ArrayList<>(engines.entrySet());
    for (int run = 0; run <= repeat + 1; run++) {
      // Not always the same one comes after DuckDB, whose threads and memory are still warm then.
      Collections.shuffle(turns, new Random(run));
      for (Map.Entry<String, Connection> engine : turns) {
        long cpuBegin = PROCESS.getProcessCpuTime();
        long begin = System.nanoTime();
        String answer = answer(engine.getValue());
        double millis = (System.nanoTime() - begin) / 1e6;
        double cpu = (PROCESS.getProcessCpuTime() - cpuBegin) / 1e6;
        answers.put(engine.getKey(), answer);
        if (run > 1) { // the first ones load and compile
          times.computeIfAbsent(engine.getKey(), key -> new ArrayList<>()).add(millis);
          cpus.computeIfAbsent(engine.getKey(), key -> new ArrayList<>()).add(cpu);
        }
      }
    }
    String expected = answers.getOrDefault("duckdb", "");
    double reference = best(times.getOrDefault("duckdb", List.of()));
    boolean right = true;
    for (Map.Entry<String, List<Double>> engine : times.entrySet()) {
      boolean same = expected.equals(answers.get(engine.getKey()));
      right &= same;
      System.out.printf(
          Locale.ROOT,
          "%-8s %9.1f ms, %9.1f ms of processors   %.2f of DuckDB's time%s%n",
          engine.getKey(),
          best(engine.getValue()),
          best(cpus.getOrDefault(engine.getKey(), List.of())),
          best(engine.getValue()) / reference,
          same ? "" : "   WRONG: " + answers.get(engine.getKey()) + " and not " + expected);
    }
    return right ? 0 : 1;
  }

  private static double best(List<Double> millis) {
    return millis.stream().mapToDouble(Double::doubleValue).min().orElse(Double.NaN);
  }

  private static String answer(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(JOIN)) {
      StringBuilder text = new StringBuilder();
      while (rows.next()) {
        for (int c = 1; c <= 5; c++) {
          text.append(rows.getBigDecimal(c).toBigInteger()).append(' ');
        }
      }
      return text.toString();
    }
  }
}
