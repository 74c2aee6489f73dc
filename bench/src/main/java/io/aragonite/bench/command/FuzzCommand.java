package io.aragonite.bench.command;

import io.aragonite.adapter.cli.Main;
import io.aragonite.bench.cold.ColdEngine;
import io.aragonite.bench.fuzz.FuzzConfiguration;
import io.aragonite.bench.fuzz.FuzzProcesses;
import io.aragonite.bench.fuzz.FuzzReport;
import io.aragonite.bench.fuzz.Fuzzer;
import io.aragonite.bench.fuzz.Fuzzer.FuzzOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code aragonite fuzz}: random statements over random tables, compared with DuckDB and with themselves. */
@Command(
    name = "fuzz",
    description = {
      "Runs random statements over random tables: joins, groups, windows, set operations, subqueries, nested values, changed tables, with each"
          + " join algorithm, in little memory, in small batches, on several devices. Answers are compared with DuckDB's; conditions are taken apart"
          + " and put together again, and must find a certain row. A statement that fails is made smaller, with its tables, and printed as a script.",
      "Exit status 0: none failed; 1: one did."
    },
    mixinStandardHelpOptions = true)
final class FuzzCommand implements Callable<Integer> {
  private static final String STATISTICS = "aragonite.statistics";
  private static final int REASONS = 12;
  private static final int ROUND = 100;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(names = "--device", paramLabel = "cpu|cuda|cuda:N", description = "Where statements run (default: ${DEFAULT-VALUE}).")
  private String device = "cpu";

  @Option(names = "--statements", paramLabel = "<n>", description = "How many statements are run (default: ${DEFAULT-VALUE}).")
  private int statements = 1000;

  @Option(
      names = "--processes",
      paramLabel = "<n>",
      description = "How many processes share the statements, one for each core is fastest (default: ${DEFAULT-VALUE}).")
  private int processes = 1;

  @Option(names = "--part", hidden = true)
  private @Nullable String part;

  @Option(names = "--seconds", paramLabel = "<n>", description = "After how many seconds none is begun (default: no limit).")
  private long seconds = 1_000_000;

  @Option(names = "--seed", paramLabel = "<n>", description = "What all that is random begins with (default: ${DEFAULT-VALUE}).")
  private long seed = 1;

  @Option(names = "--first", paramLabel = "<n>", description = "Number of the first statement, to run one again with --statements 1.")
  private int first;

  @Option(
      names = "--reduce-seconds",
      paramLabel = "<n>",
      description = "How long a statement that fails is made smaller, and then its tables (default: ${DEFAULT-VALUE}).")
  private long reduceSeconds = 30;

  @Option(
      names = "--configuration",
      split = ",",
      paramLabel = "<name>",
      description = "Ways to run that take turns (default: all; a wrong name prints them).")
  private @Nullable List<String> names;

  @Option(
      names = "--faults",
      description =
          "Each right statement is run again and again without some of its memory, of the host and of devices: right, or an error of memory,"
              + " and nothing is left behind.")
  private boolean faults;

  @Option(
      names = "--check",
      split = ",",
      paramLabel = "peer|prepared|literals|partition|pivot|changes",
      description = "Only statements that are checked so: beside DuckDB, prepared, again with other literals, with a condition taken apart, by a row, or that change a table.")
  private List<String> checks = List.of();

  @Option(names = "--out", paramLabel = "<folder>", description = "Where scripts of statements that fail are written too.")
  private @Nullable Path out;

  @Override
  public Integer call() throws Exception {
    require(statements >= 1 && first >= 0 && seconds >= 1 && reduceSeconds >= 0, "numbers of statements and seconds are 1 at least");
    require(ColdEngine.hasDuckDb(), "DuckDB's driver is not on the class path");
    require(processes >= 1, "--processes is 1 at least");
    require(Fuzzer.CHECKS.containsAll(checks), "--check takes " + String.join(", ", Fuzzer.CHECKS));
    if (System.getProperty(STATISTICS) == null) {
      System.setProperty(STATISTICS, "off"); // nobody asks for those of tables that are deleted again
    }
    PrintWriter screen = spec.commandLine().getOut();
    Consumer<String> print =
        text -> {
          screen.println(text);
          screen.flush();
        };
    List<FuzzConfiguration> configurations = configurations(print);
    long start = System.nanoTime();
    if (part != null) {
      FuzzReport report = here(configurations, print);
      FuzzProcesses.write(report, print);
      return report.findings().isEmpty() ? 0 : Main.FAILED;
    }
    FuzzReport report =
        processes == 1
            ? here(configurations, print)
            : new FuzzProcesses(ownArguments(), processes).run(print);
    write(report.findings());
    screen.print(report.table());
    screen.printf("not compared, by reason:%n%s", report.reasons(REASONS));
    if (report.lostPeers() > 0) {
      screen.printf("DuckDB was opened again %d times, after defects of its own%n", report.lostPeers());
    }
    screen.println(report.speed((System.nanoTime() - start) / 1e9));
    screen.printf(
        "%d statements, %d right, %d checks, %d findings%n", report.statements(), report.agreed(), report.checks(), report.findings().size());
    screen.flush();
    return report.findings().isEmpty() ? 0 : Main.FAILED;
  }

  /** What stands behind the command's name: picocli has the whole line where it is a subcommand. */
  private List<String> ownArguments() {
    List<String> all = spec.commandLine().getParseResult().originalArgs();
    return !all.isEmpty() && all.getFirst().equals(spec.name()) ? all.subList(1, all.size()) : all;
  }

  private FuzzReport here(List<FuzzConfiguration> configurations, Consumer<String> print) throws SQLException, IOException {
    String[] share = part == null ? new String[] {"0", "1"} : part.split("/");
    FuzzOptions options =
        new FuzzOptions(
            seed, first, statements, ROUND, Integer.parseInt(share[0]), Integer.parseInt(share[1]), seconds, reduceSeconds, faults, checks, configurations);
    Path directory = Files.createTempDirectory("aragonite-fuzz");
    try {
      return new Fuzzer(options).run(directory, print);
    } finally {
      Files.delete(directory);
    }
  }

  private List<FuzzConfiguration> configurations(Consumer<String> print) {
    List<FuzzConfiguration> all = FuzzConfiguration.all(device);
    if (!FuzzConfiguration.hasTests()) {
      print.accept("Without the tests of gpu-exec on the class path their devices and settings are left out.");
      all = all.stream().filter(one -> !one.needsTests()).map(FuzzConfiguration::withoutTests).toList();
    }
    List<String> wanted = names;
    if (wanted == null) {
      return all;
    }
    List<FuzzConfiguration> chosen = all.stream().filter(one -> wanted.contains(one.name())).toList();
    require(
        chosen.size() == wanted.size(),
        "--configuration takes " + String.join(", ", all.stream().map(FuzzConfiguration::name).toList()));
    return chosen;
  }

  private void require(boolean fulfilled, String message) {
    if (!fulfilled) {
      throw new ParameterException(spec.commandLine(), message);
    }
  }

  private void write(List<String> findings) throws IOException {
    if (out != null) {
      Files.createDirectories(out);
      for (int i = 0; i < findings.size(); i++) {
        Files.writeString(out.resolve("finding-%d-%d.sql".formatted(seed, i)), findings.get(i));
      }
    }
  }
}
