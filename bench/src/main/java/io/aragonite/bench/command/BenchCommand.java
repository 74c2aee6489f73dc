package io.aragonite.bench.command;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code aragonite bench}: measures. */
@Command(
    name = "bench",
    description = "Measures, and checks the answers of what it measures.",
    mixinStandardHelpOptions = true,
    subcommands = {
      BenchJoinsCommand.class,
      BenchChoiceCommand.class,
      BenchEstimatesCommand.class,
      BenchPlansCommand.class,
      BenchOrdersCommand.class,
      BenchGrowthCommand.class,
      BenchPlanningCommand.class,
      BenchGraphCommand.class,
      BenchOutOfCoreCommand.class,
      BenchMultiCommand.class,
      BenchColdCommand.class,
      BenchPagesCommand.class,
      BenchCopyCommand.class,
      BenchServeCommand.class
    })
final class BenchCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() {
    throw new ParameterException(
        spec.commandLine(),
        "Say what to measure: bench joins, bench choice, bench estimates, bench plans, bench orders,"
            + " bench growth, bench planning, bench graph, bench outofcore, bench multi, bench cold, bench pages, bench copy,"
            + " bench serve");
  }
}
