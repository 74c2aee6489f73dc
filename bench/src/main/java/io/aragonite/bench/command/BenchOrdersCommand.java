package io.aragonite.bench.command;

import io.aragonite.bench.cold.ColdQuery;
import io.aragonite.bench.cold.ColdWorkload;
import io.aragonite.bench.plan.OrderBench;
import io.aragonite.bench.plan.OrderBench.OrderResult;
import io.aragonite.bench.timing.ProcessorClock;
import java.io.PrintWriter;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.ToDoubleFunction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code aragonite bench orders}: what the order of joins costs in time. */
@Command(
    name = "orders",
    description =
        "Runs the queries of TPC-H or TPC-DS that have three or more joins by the order of joins"
            + " that they get, and by others drawn at random, checks that answers are the same, and"
            + " prints as CSV the slowest order and the chosen one over the best. An order that"
            + " takes 20 times as long as the best is stopped and counts as 20. The chosen order, the"
            + " quickest and the slowest one are timed again at the end, beside each other.",
    mixinStandardHelpOptions = true)
final class BenchOrdersCommand implements Callable<Integer> {
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
  private BigDecimal scale = BigDecimal.ONE;

  @Option(
      names = "--queries",
      paramLabel = "<n>",
      split = ",",
      description = "Some queries only: 3,5,9.")
  private List<Integer> queries = List.of();

  @Option(
      names = "--orders",
      paramLabel = "<n>",
      description = "Orders that are drawn for each query (default: ${DEFAULT-VALUE}).")
  private int orders = 20;

  @Option(
      names = "--seed",
      paramLabel = "<n>",
      description = "Of the first order (default: ${DEFAULT-VALUE}).")
  private long seed = 1;

  @Option(
      names = "--warmups",
      paramLabel = "<n>",
      description = "Runs of each order before those that count (default: ${DEFAULT-VALUE}).")
  private int warmups = 1;

  @Option(
      names = "--repeat",
      paramLabel = "<n>",
      description =
          "Timed runs of each order, the quickest of which counts (default: ${DEFAULT-VALUE}).")
  private int repeat = 3;

  @Option(
      names = "--processor",
      description =
          "Times are what the processors work, the JVM's compilers left out, not what passes: for"
              + " a machine that does other things too.")
  private boolean processor;

  @Option(
      names = "--options",
      paramLabel = "<options>",
      description = "More properties of the connection: ;device=cuda.")
  private String options = "";

  @Override
  public Integer call() throws Exception {
    check();
    PrintWriter out = spec.commandLine().getOut();
    String tables = workload == ColdWorkload.TPCH ? "tpch=" : "tpcds=";
    String url = "jdbc:aragonite:" + tables + scale.toPlainString() + ";device=cpu" + options;
    List<OrderResult> results = new ArrayList<>();
    try (Connection chosen = DriverManager.getConnection(url);
        Connection random = DriverManager.getConnection(url + ";multiway=off")) {
      OrderBench bench =
          new OrderBench(
              chosen,
              random,
              orders,
              warmups,
              repeat,
              processor ? ProcessorClock::withoutCompilers : System::nanoTime);
      out.println(OrderBench.HEADING);
      for (ColdQuery query : workload.queries(scale.doubleValue())) {
        if (!queries.isEmpty() && !queries.contains(query.number())) {
          continue;
        }
        Optional<OrderResult> result = bench.compare(query, seed);
        result.ifPresent(found -> out.println(found.line()));
        result.ifPresent(results::add);
        out.flush();
      }
    }
    summary("worst/best", results, OrderResult::worstOverBest, 1.6, out);
    summary("chosen/best", results, OrderResult::chosenOverBest, 1.1, out);
    return 0;
  }

  private void check() {
    WorkloadChecks checks = new WorkloadChecks(spec, workload);
    checks.atLeast(1, "--warmups", warmups);
    checks.atLeast(1, "--repeat", repeat);
    checks.atLeast(2, "--orders", orders);
    checks.queries(queries);
    checks.scale("--scale", scale);
  }

  private static void summary(
      String what,
      List<OrderResult> results,
      ToDoubleFunction<OrderResult> ratio,
      double target,
      PrintWriter out) {
    out.printf(
        Locale.ROOT,
        "# %s of %d queries: mean %.2f (target %.1f), worst %.2f%n",
        what,
        results.size(),
        results.stream().mapToDouble(ratio).average().orElse(1),
        target,
        results.stream().mapToDouble(ratio).max().orElse(1));
  }
}
