package io.aragonite.adapter.cli;

import io.aragonite.tpch.TpchQuery;
import io.aragonite.tpch.TpchRunner;
import java.io.PrintStream;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code aragonite tpch}: runs the 22 queries of TPC-H. */
@Command(
    name = "tpch",
    description = {
      "Runs TPC-H queries over generated data and prints time and rows of each.",
      "Exit status 0: all ran (and are right, with --check); 1: a query failed or is wrong; 2:"
          + " there is no answer to check against."
    },
    mixinStandardHelpOptions = true,
    addMethodSubcommands = false)
final class TpchCommand implements Callable<Integer> {
  private static final double DEFAULT_SCALE = 0.01;

  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private ConnectionArguments connection = new ConnectionArguments();

  @Option(
      names = "--scale",
      paramLabel = "<factor>",
      description =
          "Scale factor (default: that of the connection's TPC-H schema, else 0.01); data is"
              + " generated once and kept.")
  private @Nullable Double scale;

  @Option(names = "--check", description = "Compares the answers with an independent engine's.")
  private boolean check;

  @Option(
      names = "--queries",
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

  @Option(
      names = "--streams",
      paramLabel = "<n>",
      description =
          "Runs as many query streams of the throughput test, each through a connection of its own"
              + " and in an order of its own: one after the other, then all at once, after a run"
              + " that is not measured.")
  private @Nullable Integer streams;

  @Override
  public Integer call() throws Exception {
    double factor = factor();
    TpchRunner.Options options;
    try {
      List<TpchQuery> chosen =
          queries == null ? TpchQuery.all() : queries.stream().map(TpchQuery::of).toList();
      options = new TpchRunner.Options(factor, chosen, check, repeat);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
    PrintStream out = RunnerCommand.stream(spec.commandLine().getOut());
    if (streams != null) {
      return runStreams(streams, options, out);
    }
    try (Connection open = connection.open()) {
      return RunnerCommand.run(TpchRunner.of(open, options, out));
    }
  }

  private int runStreams(int count, TpchRunner.Options options, PrintStream out)
      throws SQLException {
    if (count < 1 || count > TpchQuery.STREAMS) {
      throw new ParameterException(
          spec.commandLine(),
          "--streams must be 1 to %d, but is %d".formatted(TpchQuery.STREAMS, count));
    }
    List<Connection> open = new ArrayList<>();
    try {
      for (int i = 0; i < count; i++) {
        open.add(connection.open());
      }
      return RunnerCommand.run(TpchRunner.streams(open, options, out));
    } finally {
      for (Connection each : open) {
        each.close();
      }
    }
  }

  /** The scale of the tables, which answers are compared for. */
  private double factor() {
    double wanted = scale == null ? DEFAULT_SCALE : scale;
    String connected = connection.tpchScale(RunnerCommand.text(wanted));
    // null: other tables, of which the user knows the scale
    return connected == null ? wanted : RunnerCommand.scale(spec, "TPC-H", scale, connected);
  }
}
