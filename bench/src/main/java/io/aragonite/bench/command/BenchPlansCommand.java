package io.aragonite.bench.command;

import io.aragonite.bench.plan.PlanBench;

import io.aragonite.tpch.TpchQuery;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code aragonite bench plans}: what estimates cost in time. */
@Command(
    name = "plans",
    description =
        "Runs the queries of TPC-H by the plans that they get, and by those that they would get if"
            + " the planner knew the rows of every filter, join and grouping, which are counted"
            + " first; prints both times and the first over the second.",
    mixinStandardHelpOptions = true)
final class BenchPlansCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--scale",
      paramLabel = "<n>",
      description = "The scale factor (default: ${DEFAULT-VALUE}).")
  private double scale = 1;

  @Option(
      names = "--queries",
      paramLabel = "<n>",
      split = ",",
      description = "Some queries only: 3,5,9.")
  private List<Integer> queries = List.of();

  @Option(
      names = "--repeat",
      paramLabel = "<n>",
      description =
          "Timed runs of each plan, by turns, the quickest of which counts (default:"
              + " ${DEFAULT-VALUE}).")
  private int repeat = 5;

  @Option(
      names = "--options",
      paramLabel = "<options>",
      description = "More properties of the connection: ;threads=2.")
  private String options = "";

  @Override
  public Integer call() throws Exception {
    PrintWriter out = spec.commandLine().getOut();
    double worst = 0;
    double usual = 0;
    double known = 0;
    try (Connection connection =
        DriverManager.getConnection("jdbc:aragonite:device=cpu;tpch=" + scale + options)) {
      PlanBench bench = new PlanBench(connection);
      for (TpchQuery query : TpchQuery.all()) {
        if (!queries.isEmpty() && !queries.contains(query.number())) {
          continue;
        }
        PlanBench.PlanResult result =
            bench.compare("Q" + query.number(), query.sql(), Math.max(1, repeat));
        out.println(result);
        out.flush();
        worst = Math.max(worst, result.ratio());
        usual += result.millis();
        known += result.perfectMillis();
      }
    }
    out.printf(
        Locale.ROOT,
        "together %.1f ms, with known rows %.1f ms; worst %.2f (target 1.2)%n",
        usual,
        known,
        worst);
    return 0;
  }
}
