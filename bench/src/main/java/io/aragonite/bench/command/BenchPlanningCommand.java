package io.aragonite.bench.command;

import io.aragonite.bench.plan.PlanningBench;
import io.aragonite.bench.plan.PlanningQueries;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code aragonite bench planning}: how long planning takes. */
@Command(
    name = "planning",
    description =
        "Plans each query once in this process, and then several times again, and prints the first"
            + " and the quickest time, the rules that fired, and the time of each phase.",
    mixinStandardHelpOptions = true)
final class BenchPlanningCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--directory",
      paramLabel = "<folder>",
      description = "Tables (default: TPC-H of scale 0.01).")
  private @Nullable Path directory;

  @Option(
      names = "--queries",
      paramLabel = "<folder>",
      description = "Queries, each a file that ends in .sql (default: those of TPC-H).")
  private @Nullable Path queries;

  @Option(
      names = "--repeat",
      paramLabel = "<n>",
      description = "How often each query is planned again (default: ${DEFAULT-VALUE}).")
  private int repeat = 10;

  @Option(
      names = "--options",
      paramLabel = "<options>",
      description = "More properties of the connection: ;device=cuda.")
  private String options = "";

  @Override
  public Integer call() throws Exception {
    if (repeat < 1) {
      throw new ParameterException(spec.commandLine(), "--repeat is 1 at least");
    }
    PrintWriter out = spec.commandLine().getOut();
    List<PlanningQueries.NamedQuery> all =
        queries == null ? PlanningQueries.tpch() : PlanningQueries.of(queries);
    String tables = directory == null ? "tpch=0.01" : "directory=" + directory;
    try (Connection connection =
        DriverManager.getConnection("jdbc:aragonite:device=cpu;" + tables + options)) {
      new PlanningBench(connection, out).run(all, repeat);
    }
    return 0;
  }
}
