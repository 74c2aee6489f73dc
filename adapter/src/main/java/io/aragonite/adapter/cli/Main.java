package io.aragonite.adapter.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ServiceLoader;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/**
 * The {@code aragonite} command. Exit statuses: 0 done, 1 failed, 2 wrong usage, 130 interrupted.
 */
@Command(
    name = "aragonite",
    description = "SQL on GPUs and CPUs, through Apache Calcite. Without a command: a shell.",
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class,
    subcommands = {
      SqlCommand.class,
      ShellCommand.class,
      ServeCommand.class,
      TpchCommand.class,
      CalibrateCommand.class,
      DoctorCommand.class
    })
public final class Main implements Callable<Integer> {
  /** The exit status of a command that failed. */
  public static final int FAILED = 1;

  @Spec private CommandSpec spec = CommandSpec.create();

  /** Runs the command line and exits with its status. */
  public static void main(String[] args) {
    CommandLogging.setUp();
    int status = commandLine().execute(args);
    if (status == 0) {
      markArchive();
    }
    System.exit(status);
  }

  /**
   * Tells the launcher that the class archive which this run leaves is one of a run that worked.
   */
  private static void markArchive() {
    String archive = System.getProperty("aragonite.archive");
    if (archive == null) {
      return;
    }
    try {
      Files.write(Path.of(archive + ".whole"), new byte[0]);
    } catch (IOException e) {
      // the next run makes an archive of its own
    }
  }

  /** The command line with all its commands. */
  public static CommandLine commandLine() {
    CommandLine line = new CommandLine(new Main());
    for (CommandProvider provider : ServiceLoader.load(CommandProvider.class)) {
      line.addSubcommand(provider.command());
    }
    return line.setCaseInsensitiveEnumValuesAllowed(true)
        .setUsageHelpAutoWidth(true)
        .setParameterExceptionHandler((error, arguments) -> CommandErrors.wrongUsage(error))
        .setExecutionExceptionHandler(
            (error, command, arguments) -> CommandErrors.failed(error, command));
  }

  /** Without a command: a shell on the embedded TPC-H schema. */
  @Override
  public Integer call() throws Exception {
    return new ShellCommand().run(spec.commandLine());
  }

  /** The version that the jar's manifest names. */
  static final class Version implements CommandLine.IVersionProvider {
    @Override
    public String[] getVersion() {
      String version = Main.class.getPackage().getImplementationVersion();
      return new String[] {"aragonite " + (version == null ? "(not packaged)" : version)};
    }
  }
}
