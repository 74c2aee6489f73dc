package io.aragonite.bench.command;

import io.aragonite.adapter.cli.ConnectionArguments;
import io.aragonite.adapter.cli.RunnerCommand;
import io.aragonite.bench.duckdb.DuckDbTpcds;
import io.aragonite.dataset.BenchmarkQuery;
import io.aragonite.dataset.DatasetCache;
import io.aragonite.dataset.QueryRunner;
import io.aragonite.tpcds.TpcdsData;
import io.aragonite.tpcds.TpcdsQuery;
import java.io.PrintStream;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * {@code aragonite tpcds}: runs the 99 queries of TPC-DS. It is no part of the product, because the
 * texts of the queries may not be, and because DuckDB, which knows the answers, is not.
 */
@Command(
    name = "tpcds",
    description = {
      "Runs TPC-DS queries over generated data and prints time and rows of each.",
      "Exit status 0: all ran (and are right, with --check); 1: a query failed or is wrong."
    },
    mixinStandardHelpOptions = true,
    addMethodSubcommands = false)
final class TpcdsCommand implements Callable<Integer> {
  private static final double DEFAULT_SCALE = 0.01;

  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private ConnectionArguments connection = new ConnectionArguments();

  @Option(
      names = "--scale",
      paramLabel = "<factor>",
      description =
          "Scale factor (default: that of the connection's TPC-DS schema, else 0.01); data is"
              + " generated once and kept.")
  private @Nullable Double scale;

  @Option(
      names = "--check",
      description = "Compares the answers with those of DuckDB over the same files.")
  private boolean check;

  @Option(
      names = {"--query", "--queries"},
      split = ",",
      paramLabel = "<n>",
      description = "Queries to run, for instance 1,6 (default: all).")
  private @Nullable List<Integer> queries;

  @Option(
      names = "--repeat",
      paramLabel = "<n>",
      description =
          "How often each query is run; the best time counts (default: ${DEFAULT-VALUE}).")
  private int repeat = 1;

  @Override
  public Integer call() throws Exception {
    double wanted = scale == null ? DEFAULT_SCALE : scale;
    String connected = connection.tpcdsScale(RunnerCommand.text(wanted));
    List<TpcdsQuery> chosen;
    try {
      chosen =
          queries == null
              ? TpcdsQuery.all()
              : queries.stream().flatMap(number -> TpcdsQuery.of(number).stream()).toList();
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
    if (repeat < 1 || check && connected == null) {
      throw new ParameterException(
          spec.commandLine(),
          repeat < 1
              ? "--repeat is 1 at least"
              : "--check compares answers over our own files: leave out what names other tables");
    }
    double factor =
        connected == null ? wanted : RunnerCommand.scale(spec, "TPC-DS", scale, connected);
    try (Connection open = connection.open()) { // makes the data
      if (!check) {
        return run(open, chosen, TpcdsQuery::unchecked);
      }
      Path data = DatasetCache.directory(new TpcdsData(factor), DatasetCache.defaultRoot());
      try (DuckDbTpcds duckDb =
          new DuckDbTpcds(data, Runtime.getRuntime().availableProcessors())) {
        return run(open, chosen, duckDb::checked);
      }
    }
  }

  private int run(
      Connection open, List<TpcdsQuery> chosen, Function<TpcdsQuery, BenchmarkQuery> source) {
    QueryRunner.RunOptions options =
        new QueryRunner.RunOptions(chosen.stream().map(source).toList(), check, repeat);
    PrintStream out = RunnerCommand.stream(spec.commandLine().getOut());
    return RunnerCommand.run(new QueryRunner(open, options, out));
  }
}
