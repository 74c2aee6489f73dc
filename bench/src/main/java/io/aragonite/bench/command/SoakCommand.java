package io.aragonite.bench.command;

import io.aragonite.adapter.cli.Main;
import io.aragonite.bench.cold.ColdEngine;
import io.aragonite.bench.fuzz.FuzzConfiguration;
import io.aragonite.bench.fuzz.Soak;
import io.aragonite.bench.fuzz.Soak.SoakOptions;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code aragonite soak}: many connections to one engine in little memory, with cancels and refused memory. */
@Command(
    name = "soak",
    description = {
      "Many connections ask one engine in little memory: random statements, prepared ones, some cancelled, read slowly or left, while memory"
          + " is refused now and then. Each answer is compared with the one that DuckDB and we gave alone; in the end no memory, thread or file"
          + " may be left.",
      "Exit status 0: nothing was found; 1: something was."
    },
    mixinStandardHelpOptions = true)
final class SoakCommand implements Callable<Integer> {
  private static final long MINUTE = 60;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(names = "--device", paramLabel = "cpu|cuda|cuda:N", description = "Where statements run (default: ${DEFAULT-VALUE}).")
  private String device = "cpu";

  @Option(names = "--minutes", paramLabel = "<n>", description = "How long (default: ${DEFAULT-VALUE}).")
  private double minutes = 1;

  @Option(names = "--connections", paramLabel = "<n>", description = "How many connections (default: ${DEFAULT-VALUE}).")
  private int connections = 16;

  @Option(names = "--statements", paramLabel = "<n>", description = "How many different statements (default: ${DEFAULT-VALUE}).")
  private int statements = 200;

  @Option(names = "--seed", paramLabel = "<n>", description = "What all that is random begins with (default: ${DEFAULT-VALUE}).")
  private long seed = 1;

  @Option(
      names = "--configuration",
      paramLabel = "<name>",
      description = "The way to run, one of those of fuzz (default: ${DEFAULT-VALUE}).")
  private String name = "tight-memory";

  @Override
  public Integer call() throws Exception {
    require(minutes > 0 && connections >= 1 && statements >= 1, "numbers of minutes, connections and statements are positive");
    require(ColdEngine.hasDuckDb(), "DuckDB's driver is not on the class path");
    List<FuzzConfiguration> all = FuzzConfiguration.all(device);
    FuzzConfiguration configuration =
        all.stream()
            .filter(one -> one.name().equals(name))
            .findFirst()
            .orElseThrow(
                () ->
                    new ParameterException(
                        spec.commandLine(), "--configuration takes one of " + String.join(", ", all.stream().map(FuzzConfiguration::name).toList())));
    PrintWriter screen = spec.commandLine().getOut();
    Soak soak = new Soak(new SoakOptions(seed, (long) (minutes * MINUTE), connections, statements, configuration));
    Path directory = Files.createTempDirectory("aragonite-soak");
    List<String> findings;
    try {
      findings =
          soak.run(directory, text -> {
            screen.println(text);
            screen.flush();
          });
    } finally {
      Files.delete(directory);
    }
    findings.forEach(screen::println);
    screen.printf("%s, %d findings%n", soak.counts(), findings.size());
    screen.flush();
    return findings.isEmpty() ? 0 : Main.FAILED;
  }

  private void require(boolean fulfilled, String message) {
    if (!fulfilled) {
      throw new ParameterException(spec.commandLine(), message);
    }
  }
}
