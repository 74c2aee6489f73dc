package io.aragonite.bench.command;

import io.aragonite.dataset.DatasetCache;
import io.aragonite.adapter.cli.Main;
import io.aragonite.bench.cold.ColdBench;
import io.aragonite.bench.cold.ColdBench.ColdOptions;
import io.aragonite.bench.cold.ColdEngine;
import io.aragonite.bench.cold.ColdFiles;
import io.aragonite.bench.cold.ColdFormat;
import io.aragonite.bench.cold.ColdReport;
import io.aragonite.bench.cold.ColdWorkload;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code aragonite bench cold}: the first answers over files. */
@Command(
    name = "cold",
    description = {
      "Starts a fresh process for each engine, Aragonite and DuckDB, which opens the tables"
          + " of TPC-H or TPC-DS as files and runs each query once; prints times, those of planning"
          + " and processor times side by side, and checks the answers. Files are made where they"
          + " are missing, Parquet as a folder of parts for each table, by all threads and without"
          + " having a table in memory.",
      "Exit status 0: all answers are right; 1: one is not."
    },
    mixinStandardHelpOptions = true)
final class BenchColdCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--workload",
      paramLabel = "tpch|tpcds",
      description = "Which tables and queries (default: ${DEFAULT-VALUE}).")
  private ColdWorkload workload = ColdWorkload.TPCH;

  @Option(
      names = "--scale",
      paramLabel = "<n>",
      description = "The scale factor (default: ${DEFAULT-VALUE}).")
  private double scale = 1;

  @Option(
      names = "--format",
      paramLabel = "parquet|csv|arrow",
      description =
          "The files; DuckDB has no reader of Arrow files and loads them when it opens (default:"
              + " ${DEFAULT-VALUE}).")
  private ColdFormat format = ColdFormat.PARQUET;

  @Option(
      names = "--codec",
      paramLabel = "snappy|zstd",
      description = "What Parquet pages are compressed by (default: ${DEFAULT-VALUE}).")
  private String codec = "snappy";

  @Option(
      names = "--data",
      paramLabel = "<folder>",
      description = "Where files are made and looked for (default: the user's cache folder).")
  private @Nullable Path data;

  @Option(
      names = "--device",
      split = ",",
      paramLabel = "cpu|cuda|auto",
      description = "Where our queries run; each is an engine (default: ${DEFAULT-VALUE}).")
  private List<String> devices = List.of("cpu");

  @Option(
      names = "--options",
      paramLabel = "<options>",
      description = "More properties of our connection: memory=60GB;join=phj.")
  private String options = "";

  @Option(names = "--threads", paramLabel = "<n>", description = "Threads of each engine.")
  private int threads = Runtime.getRuntime().availableProcessors();

  @Option(
      names = "--queries",
      paramLabel = "<n>",
      split = ",",
      description = "Some queries only: 3,5,9.")
  private List<Integer> queries = List.of();

  @Option(
      names = "--rounds",
      paramLabel = "<n>",
      description = "How often a process runs all queries (default: ${DEFAULT-VALUE}).")
  private int rounds = 1;

  @Option(
      names = "--second-process",
      description = "Runs each engine in a second process, which finds what the first one kept.")
  private boolean secondProcess;

  @Option(
      names = "--per-query",
      description = "A process for each query, timed from its start to its end.")
  private boolean perQuery;

  @Option(
      names = "--as",
      paramLabel = "sql|shell|serve|tpch",
      description =
          "The command whose JVM options the processes run with (default: ${DEFAULT-VALUE}).")
  private String command = "sql";

  @Option(
      names = "--limit-seconds",
      paramLabel = "<n>",
      description =
          "Ends a process after so long; what it has answered counts, the rest is missing (default:"
              + " no limit).")
  private int limitSeconds;

  @Option(names = "--csv", paramLabel = "<file>", description = "Writes the figures there as well.")
  private @Nullable Path csv;

  @Override
  public Integer call() throws Exception {
    check();
    ColdFiles files = new ColdFiles(workload, scale, format, codec);
    ColdOptions measured =
        new ColdOptions(
            files, threads, queries, rounds, secondProcess, perQuery, command, limitSeconds);
    PrintWriter out = spec.commandLine().getOut();
    boolean duckDb = ColdEngine.hasDuckDb();
    Path cache = data == null ? DatasetCache.defaultRoot() : data;
    require(
        duckDb || !files.needsDuckDb(cache),
        "DuckDB makes these files, and its driver is not on the class path; --format arrow needs"
            + " none");
    ColdBench bench = new ColdBench(measured, cache, out);
    for (String device : devices) {
      String all = "device=" + device + (options.isEmpty() ? "" : ";" + options);
      bench.run(new ColdEngine(device, all));
    }
    if (duckDb) {
      bench.run(ColdEngine.DUCKDB);
    } else {
      out.println("DuckDB's driver is not on the class path: no engine to compare with.");
    }
    ColdReport report = bench.report("./aragonite bench cold" + arguments());
    out.print(report.text());
    out.flush();
    if (csv != null) {
      String machine = System.getProperty("os.arch") + ", " + threads + " threads";
      Files.writeString(csv, report.csv(machine, LocalDate.now(ZoneId.systemDefault()).toString()));
    }
    return bench.complaints().isEmpty() ? 0 : Main.FAILED;
  }

  private void check() {
    require(threads >= 1 && rounds >= 1, "--threads and --rounds are 1 at least");
    require(limitSeconds >= 0, "--limit-seconds is 0, for none, at least");
    require(!perQuery || rounds == 1, "--per-query goes with one round");
    require(
        queries.stream().allMatch(query -> query >= 1 && query <= workload.count()),
        "--queries are 1 to " + workload.count());
    require(ColdFiles.CODECS.contains(codec), "--codec is snappy or zstd");
    require(
        List.of("sql", "shell", "serve", "tpch").contains(command),
        "--as is sql, shell, serve or tpch");
    try {
      workload.dataset(scale);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), "--scale: " + e.getMessage(), e);
    }
  }

  /** What was given, without where figures go. */
  private String arguments() {
    StringBuilder text = new StringBuilder();
    for (var option : spec.commandLine().getParseResult().matchedOptions()) {
      if (!List.of("--csv", "--data").contains(option.longestName())) {
        text.append(' ').append(option.longestName());
        if (option.arity().max() > 0) {
          text.append(' ').append(String.join(",", option.stringValues()));
        }
      }
    }
    return text.toString();
  }

  private void require(boolean holds, String message) {
    if (!holds) {
      throw new ParameterException(spec.commandLine(), message);
    }
  }
}
