package io.aragonite.bench.command;

import io.aragonite.bench.cold.ColdQuery;
import io.aragonite.bench.cold.ColdWorkload;
import io.aragonite.bench.growth.GrowthBench;
import io.aragonite.bench.growth.GrowthBench.Growth;
import io.aragonite.bench.timing.ProcessorClock;
import java.io.PrintWriter;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code aragonite bench growth}: whether twice the rows take twice the time. */
@Command(
    name = "growth",
    description =
        "Runs queries over tables of several scales in memory, by turns, and prints as CSV their"
            + " times and how they grow: 1 is in the proportion of the scales, more is worse.",
    mixinStandardHelpOptions = true)
final class BenchGrowthCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--workload",
      paramLabel = "tpch|tpcds",
      description = "Which tables and queries (default: ${DEFAULT-VALUE}).")
  private ColdWorkload workload = ColdWorkload.TPCH;

  @Option(
      names = "--scales",
      paramLabel = "<n>",
      split = ",",
      defaultValue = "0.5,1,2,4",
      description = "Scale factors, ascending (default: ${DEFAULT-VALUE}).")
  private List<BigDecimal> scales = List.of();

  @Option(
      names = "--queries",
      paramLabel = "<n>",
      split = ",",
      description = "Some queries only: 3,5,9.")
  private List<Integer> queries = List.of();

  @Option(
      names = "--warmups",
      paramLabel = "<n>",
      description = "Runs before those that count (default: ${DEFAULT-VALUE}).")
  private int warmups = 3;

  @Option(
      names = "--repeat",
      paramLabel = "<n>",
      description = "Timed runs, the quickest of which counts (default: ${DEFAULT-VALUE}).")
  private int repeat = 5;

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
    List<Double> numbers = scales.stream().map(BigDecimal::doubleValue).toList();
    check(numbers);
    String tables = workload == ColdWorkload.TPCH ? "tpch=" : "tpcds=";
    List<Connection> connections = new ArrayList<>();
    try {
      for (BigDecimal scale : scales) {
        String url = "jdbc:aragonite:" + tables + scale.toPlainString() + ";device=cpu" + options;
        connections.add(DriverManager.getConnection(url));
      }
      print(connections, numbers);
    } finally {
      for (Connection connection : connections) {
        connection.close();
      }
    }
    return 0;
  }

  private void check(List<Double> numbers) {
    WorkloadChecks checks = new WorkloadChecks(spec, workload);
    checks.atLeast(0, "--warmups", warmups);
    checks.atLeast(1, "--repeat", repeat);
    checks.queries(queries);
    scales.forEach(scale -> checks.scale("--scales", scale));
    checks.require(
        numbers.size() >= 2 && numbers.stream().distinct().sorted().toList().equals(numbers),
        "--scales are two or more, ascending");
  }

  private void print(List<Connection> connections, List<Double> numbers) throws SQLException {
    PrintWriter out = spec.commandLine().getOut();
    GrowthBench bench =
        new GrowthBench(
            connections,
            numbers,
            warmups,
            repeat,
            processor ? ProcessorClock::withoutCompilers : System::nanoTime);
    List<List<ColdQuery>> all = numbers.stream().map(scale -> workload.queries(scale)).toList();
    List<Growth> results = new ArrayList<>();
    out.println(Growth.heading(numbers));
    for (int i = 0; i < all.getFirst().size(); i++) {
      int number = i;
      ColdQuery query = all.getFirst().get(i);
      if (queries.isEmpty() || queries.contains(query.number())) {
        List<String> sql = all.stream().map(each -> each.get(number).sql()).toList();
        results.add(bench.run(query.name(), sql));
        out.println(results.getLast().line());
        out.flush();
      }
    }
    if (!results.isEmpty()) {
      out.println(Growth.total(results).line());
    }
    out.flush();
  }
}
