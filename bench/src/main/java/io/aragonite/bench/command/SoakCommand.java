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

/** {@code aragonite soak}: many clients of one engine in little memory, with cancels, clients that vanish, and faults. */
@Command(
    name = "soak",
    description = {
      "Many clients ask one engine in little memory, in this process or through servers: random statements, prepared ones, TPC-H, rows by keys,"
          + " own tables that change and are copied to files. Some statements are cancelled, read slowly or left, some clients vanish, blocks of"
          + " memory are refused, the disk is full, a device of several breaks. Each answer is compared with the one that it had alone, which of random statements is DuckDB's too."
          + " At pauses memory, threads and files are counted: they may not grow, and in the end none may be left.",
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

  @Option(names = "--connections", paramLabel = "<n>", description = "How many clients, with a connection each (default: ${DEFAULT-VALUE}).")
  private int connections = 16;

  @Option(names = "--server", description = "Clients come through Avatica and Arrow Flight by turns, to servers that are started.")
  private boolean served;

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
    if (configuration.needsTests() && !FuzzConfiguration.hasTests()) {
      screen.println("Without the tests of gpu-exec on the class path the devices and settings of " + name + " are left out.");
    }
    Soak soak = new Soak(new SoakOptions(seed, (long) (minutes * MINUTE), connections, statements, configuration, served));
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
