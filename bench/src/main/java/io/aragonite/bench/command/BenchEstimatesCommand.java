package io.aragonite.bench.command;

import io.aragonite.bench.plan.EstimateBench;

import io.aragonite.bench.plan.EstimateBench.EstimateCheck;
import io.aragonite.bench.plan.EstimateBench.Pair;
import io.aragonite.tpch.TpchQuery;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code aragonite bench estimates}: the planner's estimates beside the truth. */
@Command(
    name = "estimates",
    description =
        "Compares what the planner expects on TPC-H with what is there: match ratios of its joins,"
            + " table by table, and the rows of all joins of its queries, which are run for it.",
    mixinStandardHelpOptions = true)
final class BenchEstimatesCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--scale",
      paramLabel = "<n>",
      description = "The scale factor (default: ${DEFAULT-VALUE}).")
  private double scale = 1;

  @Override
  public Integer call() throws Exception {
    PrintWriter out = spec.commandLine().getOut();
    try (Connection connection = DriverManager.getConnection("jdbc:aragonite:tpch=" + scale)) {
      EstimateBench bench = new EstimateBench(connection);
      List<EstimateCheck> ratios = new ArrayList<>();
      for (Pair pair : EstimateBench.TPCH) {
        ratios.add(bench.matchRatio(pair));
      }
      EstimateBench.print("match ratios", ratios, out);
      List<EstimateCheck> rows = new ArrayList<>();
      for (TpchQuery query : TpchQuery.all()) {
        rows.addAll(bench.joinRows("Q" + query.number(), query.sql()));
      }
      EstimateBench.print("rows of joins", rows, out);
    }
    return 0;
  }
}
