package io.aragonite.bench.command;

import picocli.CommandLine.Mixin;
import io.aragonite.adapter.cli.Main;

import io.aragonite.bench.join.TpcdsJoins;
import io.aragonite.bench.join.TpchJoins;
import io.aragonite.exec.engine.Devices;
import io.aragonite.bench.join.JoinBench;
import io.aragonite.bench.join.JoinCase;
import io.aragonite.bench.join.JoinFigures;
import io.aragonite.exec.device.Device;
import io.aragonite.exec.plan.JoinAlgorithm;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code aragonite bench joins}: the join algorithms on the data of the papers. */
@Command(
    name = "joins",
    description = {
      "Joins generated R and S in the device's memory with each algorithm, checks every row that"
          + " comes out, and prints milliseconds by phase, peak memory and what other"
          + " implementations needed on one H200.",
      "Exit status 0: all answers are right; 1: one is not."
    },
    mixinStandardHelpOptions = true)
final class BenchJoinsCommand implements Callable<Integer> {
  private static final int CPU_ROWS = 20;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Mixin private BenchOptions options = new BenchOptions("cpu", 5);

  @Mixin private HostMemoryOption memory = new HostMemoryOption();

  @Option(
      names = "--rows",
      paramLabel = "<log2>",
      description =
          "2 to this power are the rows of a full-size side (default: 27; on the cpu 20).")
  private @Nullable Integer rows;

  @Option(
      names = "--cases",
      split = ",",
      paramLabel = "<name>",
      description =
          "Configurations to run; a name stands for all that begin with it (default: all).")
  private @Nullable List<String> cases;

  @Option(
      names = "--algorithms",
      split = ",",
      paramLabel = "<name>",
      description = "Algorithms to run: NPHJ, PHJ, PHJ_UM, SMJ, SMJ_UM (default: all).")
  private @Nullable List<String> algorithms;

  @Option(
      names = "--svg",
      paramLabel = "<folder>",
      description = "Draws the papers' figures of what was measured there.")
  private @Nullable Path svg;

  @Option(
      names = "--tpch",
      paramLabel = "<scale>",
      description =
          "J1 to J3 join TPC-H's tables of this scale, made if they are not there; 10 are the"
              + " sizes of the paper (default: generated rows of those sizes).")
  private @Nullable Double tpch;

  @Option(
      names = "--tpcds",
      paramLabel = "<scale>",
      description =
          "J4 and J5 join TPC-DS's tables of this scale, which are generated; 100 are the sizes of"
              + " the paper (default: generated rows of those sizes).")
  private @Nullable Double tpcds;

  @Override
  public Integer call() throws Exception {
    options.check();
    options.require(
        rows == null || (rows >= 10 && rows <= 30), "--rows is a number from 10 to 30");
    int log2 = rows != null ? rows : options.cpu() ? CPU_ROWS : JoinCase.FULL;
    List<JoinCase> chosen =
        JoinCase.all(log2).stream()
            .filter(c -> cases == null || cases.stream().anyMatch(n -> c.name().startsWith(n)))
            .toList();
    options.require(
        !chosen.isEmpty(),
        "No configuration has such a name; there are "
            + String.join(", ", JoinCase.all(log2).stream().map(JoinCase::name).toList()));
    List<JoinAlgorithm> all = algorithms();
    try (Device on = Devices.open(options.device(), options.threads(), memory.bytes());
        JoinBench bench = new JoinBench(on, options.repeat(), options.out());
        TpchJoins joins = tpch == null ? null : new TpchJoins(tpch, options.threads())) {
      if (joins != null) {
        chosen.stream()
            .map(JoinCase::name)
            .filter(TpchJoins::has)
            .forEach(name -> bench.tables(name, () -> joins.tables(name)));
      }
      if (tpcds != null) {
        TpcdsJoins sales = new TpcdsJoins(tpcds, options.threads());
        chosen.stream()
            .map(JoinCase::name)
            .filter(TpcdsJoins::has)
            .forEach(name -> bench.tables(name, () -> sales.tables(name)));
      }
      List<JoinBench.JoinResult> results = bench.run(chosen, all);
      options.writeCsv(JoinBench.csv(results));
      if (svg != null) {
        Files.createDirectories(svg);
        for (Map.Entry<String, String> figure :
            JoinFigures.of(results, "2^%d rows, %s".formatted(log2, on.model())).entrySet()) {
          Files.writeString(svg.resolve(figure.getKey()), figure.getValue());
        }
      }
      boolean right = results.stream().allMatch(r -> r.error() == null);
      return right && results.size() == chosen.size() * all.size() ? 0 : Main.FAILED;
    }
  }

  private List<JoinAlgorithm> algorithms() {
    List<JoinAlgorithm> wanted = new ArrayList<>();
    for (String name : algorithms == null ? JoinBench.ALGORITHMS.keySet() : algorithms) {
      JoinAlgorithm algorithm = JoinBench.ALGORITHMS.get(name.toUpperCase(Locale.ROOT));
      if (algorithm == null) {
        throw new ParameterException(
            spec.commandLine(),
            "--algorithms: no \"%s\"; there are %s"
                .formatted(name, String.join(", ", JoinBench.ALGORITHMS.keySet())));
      }
      wanted.add(algorithm);
    }
    return wanted;
  }
}
