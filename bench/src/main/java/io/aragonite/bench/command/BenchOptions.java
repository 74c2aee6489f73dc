package io.aragonite.bench.command;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What benchmarks of joins have in common: where they run, how often, and where figures go. */
final class BenchOptions {
  @Spec(Spec.Target.MIXEE)
  private CommandSpec command = CommandSpec.create();

  @Option(
      names = "--device",
      paramLabel = "cpu|cuda",
      description = "Where joins run (default: ${DEFAULT-VALUE}).")
  private String device;

  @Option(
      names = "--repeat",
      paramLabel = "<n>",
      description = "Timed runs after a first one (default: ${DEFAULT-VALUE}).")
  private int repeat;

  @Option(names = "--threads", paramLabel = "<n>", description = "Threads of the cpu.")
  private int threads = Runtime.getRuntime().availableProcessors();

  @Option(names = "--csv", paramLabel = "<file>", description = "Writes the figures there as well.")
  private @Nullable Path csv;

  BenchOptions(String device, int repeat) {
    this.device = device;
    this.repeat = repeat;
  }

  String device() {
    return device;
  }

  boolean cpu() {
    return device.equals("cpu");
  }

  int repeat() {
    return repeat;
  }

  int threads() {
    return threads;
  }

  PrintWriter out() {
    return command.commandLine().getOut();
  }

  /**
   * Checks what all commands want of their options.
   *
   * @throws ParameterException what is wrong
   */
  void check() {
    require(repeat >= 1 && threads >= 1, "--repeat and --threads are 1 at least");
  }

  /**
   * Holds a condition against the command's options.
   *
   * @throws ParameterException with this message
   */
  void require(boolean holds, String message) {
    if (!holds) {
      throw invalid(message);
    }
  }

  /** What a command throws at an option that is wrong. */
  ParameterException invalid(String message) {
    return new ParameterException(command.commandLine(), message);
  }

  /** Writes figures where {@code --csv} says. */
  void writeCsv(String text) throws IOException {
    if (csv != null) {
      Files.writeString(csv, text);
    }
  }
}
