package io.aragonite.bench.command;

import io.aragonite.adapter.cli.Main;
import io.aragonite.bench.serve.ServeBench;
import io.aragonite.bench.serve.ServeBench.ServeOptions;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code aragonite bench serve}: how fast servers answer. */
@Command(
    name = "serve",
    description = {
      "Starts servers of Avatica and Arrow Flight and asks them by JDBC from the same process, beside"
          + " connections without a server, ours and DuckDB's: many clients with small statements (times of the median"
          + " and of the slowest hundredth), and one client with a large result of three columns of"
          + " 8 bytes (GB/s of these). Flight is left out where its jars are not on the class path.",
      "Exit status 0: all answers are right; 1: one is not."
    },
    mixinStandardHelpOptions = true)
final class BenchServeCommand implements Callable<Integer> {
  @Mixin private BenchOptions options = new BenchOptions("cpu", 3);

  @Option(
      names = "--clients",
      paramLabel = "<n>",
      description = "Clients with a connection each (default: ${DEFAULT-VALUE}).")
  private int clients = 64;

  @Option(
      names = "--seconds",
      paramLabel = "<n>",
      description =
          "How long they ask each statement, after as long a time that is not counted (default:"
              + " ${DEFAULT-VALUE}).")
  private double seconds = 5;

  @Option(
      names = "--rows",
      paramLabel = "<n>",
      description = "Rows of the large result; 0: none is read (default: ${DEFAULT-VALUE}).")
  private long rows = 20_000_000;

  @Override
  public Integer call() throws Exception {
    options.check();
    options.require(
        clients >= 1 && seconds > 0 && rows >= 0,
        "--clients and --seconds are positive, and --rows is not negative");
    ServeBench bench =
        new ServeBench(
            new ServeOptions(
                options.device(), options.threads(), clients, seconds, rows, options.repeat()),
            options.out());
    options.writeCsv(bench.run());
    options.out().flush();
    return bench.complaints().isEmpty() ? 0 : Main.FAILED;
  }
}
