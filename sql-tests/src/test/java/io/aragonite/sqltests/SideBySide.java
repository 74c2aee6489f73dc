package io.aragonite.sqltests;

import io.aragonite.bench.cold.ColdQuery;
import io.aragonite.bench.cold.ColdWorkload;
import io.aragonite.bench.duckdb.DuckDbTables;
import io.aragonite.bench.duckdb.DuckDbTpcds;
import io.aragonite.bench.timing.ProcessorClock;
import io.aragonite.dataset.Dataset;
import io.aragonite.dataset.DatasetCache;
import io.aragonite.dataset.TerminalProgress;
import io.aragonite.sqltests.bench.BarChart;
import io.aragonite.sqltests.bench.Comparison;
import io.aragonite.sqltests.bench.ComparisonTable;
import io.aragonite.sqltests.bench.Contender;
import io.aragonite.sqltests.bench.EnumerableTpch;
import io.aragonite.sqltests.bench.Machine;
import io.aragonite.sqltests.bench.Timing;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.UnaryOperator;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * Times the queries of TPC-H or TPC-DS on Aragonite and on DuckDB: same data in memory, same number
 * of threads, same JVM, by turns. {@code sql-tests/side-by-side} starts it.
 */
@Command(
    name = "side-by-side",
    description =
        "Times queries of TPC-H or TPC-DS on Aragonite and on DuckDB and compares their results.",
    mixinStandardHelpOptions = true,
    showDefaultValues = true)
public final class SideBySide implements Callable<Integer> {
  private static final String DUCKDB = "duckdb";

  @Spec private CommandSpec spec = CommandSpec.create();

  /** What times are of. */
  enum Clock {
    WALL,
    PROCESSOR
  }

  /** A ratio that is too large for a query of TPC-DS. */
  private static final double SLOW = 1.3;

  @Option(names = "--workload", description = "TPCH or TPCDS")
  private ColdWorkload workload = ColdWorkload.TPCH;

  @Option(
      names = "--clock",
      description = "WALL, or PROCESSOR: what the process works, whatever else the machine does")
  private Clock clock = Clock.WALL;

  @Option(names = "--scale", description = "scale factor")
  private double scale = 1;

  @Option(names = "--threads", description = "threads of each engine")
  private int threads = Runtime.getRuntime().availableProcessors();

  @Option(names = "--repeats", description = "timed runs of each query; the best counts")
  private int repeats = 5;

  @Option(names = "--warmups", description = "untimed rounds over all queries before the first")
  private int warmups;

  @Option(names = "--queries", split = ",", description = "numbers, such as 1,6 (default: all)")
  private List<Integer> queries = new ArrayList<>();

  @Option(names = "--options", description = "more connection properties, such as ;device=cuda")
  private String options = "";

  @Option(
      names = "--engine",
      description = "another engine, as name=URL; replaces aragonite if so named")
  private Map<String, String> engines = new LinkedHashMap<>();

  @Option(
      names = "--reference",
      description =
          "the engine that others are compared with: duckdb, or one of --engine (no DuckDB then)")
  private String reference = DUCKDB;

  @Option(
      names = "--enumerable",
      description =
          "TPC-H only: Calcite's own engine as well, each query once (slow: take scale 0.1 or"
              + " less)")
  private boolean enumerable;

  @Option(names = "--timeout", description = "seconds after which --enumerable gives a query up")
  private int timeout = 120;

  @Option(names = "--out", description = "folder for side-by-side.csv and side-by-side.svg")
  private Path out = Path.of("sql-tests", "target", "side-by-side");

  @Option(names = "--max-total", description = "fail if the total is more times DuckDB's than this")
  private double maxTotal = Double.POSITIVE_INFINITY;

  @Option(names = "--max-query", description = "fail if a query is more times DuckDB's than this")
  private double maxQuery = Double.POSITIVE_INFINITY;

  /**
   * Exits with 0 if all queries ran and all results agree, 1 if not, 3 if slower than asked for.
   */
  public static void main(String[] arguments) {
    System.exit(new CommandLine(new SideBySide()).execute(arguments));
  }

  @Override
  public Integer call() throws Exception {
    if (enumerable && workload != ColdWorkload.TPCH) {
      throw new CommandLine.ParameterException(spec.commandLine(), "--enumerable runs TPC-H only");
    }
    Dataset dataset = workload.dataset(scale);
    Path data =
        DatasetCache.ensure(dataset, DatasetCache.defaultRoot(), threads, new TerminalProgress());
    Map<String, String> urls = new LinkedHashMap<>();
    urls.put(
        "aragonite",
        "jdbc:aragonite:"
            + dataset.folder()
            + "="
            + dataset.scale()
            + ";threads="
            + threads
            + ";fallback=off"
            + options);
    urls.putAll(engines);
    if (!reference.equals(DUCKDB)) {
      String url = urls.remove(reference);
      if (url == null) {
        throw new CommandLine.ParameterException(
            spec.commandLine(),
            "--reference=" + reference + " is no engine; add --engine " + reference + "=URL");
      }
      urls.put(reference, url); // the last one
    }
    List<Contender> contenders = new ArrayList<>();
    try {
      for (Map.Entry<String, String> engine : urls.entrySet()) {
        contenders.add(
            new Contender(engine.getKey(), DriverManager.getConnection(engine.getValue())));
      }
      if (enumerable) {
        contenders.add(
            new Contender(
                "enumerable", EnumerableTpch.open(data), true, timeout, UnaryOperator.identity()));
      }
      if (reference.equals(DUCKDB)) {
        contenders.add(duckDb(data));
      }
      return compare(contenders);
    } finally {
      for (Contender contender : contenders) {
        contender.connection().close();
      }
    }
  }

  private Contender duckDb(Path data) throws SQLException, IOException {
    Connection connection = DuckDbTables.open(data, threads);
    if (workload == ColdWorkload.TPCH) {
      return new Contender(DUCKDB, connection);
    }
    try (Statement statement = connection.createStatement()) {
      DuckDbTpcds.set(statement);
    }
    return new Contender(DUCKDB, connection, false, 0, DuckDbTpcds::text);
  }

  private int compare(List<Contender> contenders) throws Exception {
    String machine = Machine.describe();
    System.out.println(machine);
    for (Contender contender : contenders) {
      System.out.println(contender.name() + ": " + product(contender.connection()));
    }
    String what =
        workload.dataset(scale).title()
            + " scale "
            + workload.dataset(scale).scale()
            + ", "
            + threads
            + " threads, hot, "
            + (clock == Clock.WALL ? "" : "processor time, ")
            + "best of "
            + repeats;
    System.out.println(what);
    List<ColdQuery> chosen =
        workload.queries(scale).stream()
            .filter(query -> queries.isEmpty() || queries.contains(query.number()))
            .toList();
    List<String> names = contenders.stream().map(Contender::name).toList();
    ComparisonTable table = new ComparisonTable(names);
    System.out.println(table.header());
    Comparison comparison =
        new Comparison(
            contenders, repeats, clock == Clock.WALL ? System::nanoTime : ProcessorClock::nanos);
    comparison.warmUp(chosen, warmups);
    List<List<Timing>> all =
        comparison.run(chosen, timings -> System.out.println(table.line(timings)));
    System.out.println(table.total(all));
    System.out.println(ComparisonTable.ratios(all, SLOW));
    System.out.println("peak memory of the process, all engines: " + Machine.peakMemory());
    Files.createDirectories(out);
    Files.writeString(out.resolve("side-by-side.csv"), ComparisonTable.csv(all));
    Files.writeString(
        out.resolve("side-by-side.svg"), BarChart.svg(what + " (" + machine + ")", names, all));
    System.out.println("wrote side-by-side.csv and side-by-side.svg in " + out);
    return status(all);
  }

  private int status(List<List<Timing>> all) {
    if (all.stream()
        .flatMap(List::stream)
        .filter(timing -> !timing.engine().equals("enumerable"))
        .anyMatch(timing -> timing.complaint() != null)) {
      return 1;
    }
    boolean fastEnough =
        ComparisonTable.totalRatio(all) <= maxTotal
            && ComparisonTable.largestRatio(all) <= maxQuery;
    return fastEnough ? 0 : 3;
  }

  private static String product(Connection connection) throws SQLException {
    var metadata = connection.getMetaData();
    return metadata.getDatabaseProductName() + " " + metadata.getDatabaseProductVersion();
  }
}
