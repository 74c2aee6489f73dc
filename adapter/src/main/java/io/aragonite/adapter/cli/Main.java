package io.aragonite.adapter.cli;

import io.aragonite.adapter.EarlyClasses;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/**
 * The {@code aragonite} command. Exit statuses: 0 done, 1 failed, 2 wrong usage, 130 interrupted.
 */
@Command(
    name = Main.NAME,
    description = "SQL on GPUs and CPUs, through Apache Calcite. Without a command: a shell.",
    mixinStandardHelpOptions = true,
    addMethodSubcommands = false,
    versionProvider = Main.Version.class)
public final class Main implements Callable<Integer> {
  static final String NAME = "aragonite";

  /** The exit status of a command that failed. */
  public static final int FAILED = 1;

  @Spec private CommandSpec spec = CommandSpec.create();

  /** The commands by their names, in the order of the help. */
  private static final Map<String, Supplier<Callable<Integer>>> COMMANDS = commands();

  private static Map<String, Supplier<Callable<Integer>>> commands() {
    Map<String, Supplier<Callable<Integer>>> commands = new LinkedHashMap<>();
    commands.put("sql", SqlCommand::new);
    commands.put("shell", SqlCommand::new); // under another name
    commands.put("serve", ServeCommand::new);
    commands.put("tpch", TpchCommand::new);
    commands.put("calibrate", CalibrateCommand::new);
    commands.put("hash-password", HashPasswordCommand::new);
    commands.put("doctor", DoctorCommand::new);
    commands.put("train", TrainCommand::new);
    return commands;
  }

  /** Runs the command line and exits with its status. */
  public static void main(String[] args) {
    String command = args.length == 0 ? "" : args[0];
    CommandLogging.setUp(command); // before another thread asks for a logger
    if (COMMANDS.containsKey(command)) {
      // only who names a folder is expected to need large pieces of memory
      String words = String.join(" ", args).toLowerCase(Locale.ROOT);
      EarlyClasses.begin(words.contains("directory"), words);
    }
    // as picocli would have it, but one that knows of errors of the stream
    PrintWriter out = new PrintWriter(System.out, true, Charset.defaultCharset());
    int status = commandLine(command).setOut(out).execute(args);
    if (status == 0) {
      // where the launcher found no AOT cache
      AotTraining.begin(System.getProperty("aragonite.train"));
    }
    System.exit(status);
  }

  /** The command line with all its commands. */
  public static CommandLine commandLine() {
    return commandLine("");
  }

  /** The command line for a first argument: what another command takes is not looked at. */
  private static CommandLine commandLine(String first) {
    Supplier<Callable<Integer>> named = COMMANDS.get(first);
    // Before the name of a command there are no arguments: what this class takes is not looked at.
    CommandLine line =
        new CommandLine(named == null ? new Main() : CommandSpec.create().name(NAME));
    if (named != null) {
      line.addSubcommand(first, named(first, named.get()));
    } else {
      COMMANDS.forEach((name, command) -> line.addSubcommand(name, named(name, command.get())));
      for (CommandProvider provider : ServiceLoader.load(CommandProvider.class)) {
        line.addSubcommand(provider.command());
      }
    }
    return line.setCaseInsensitiveEnumValuesAllowed(true)
        .setUsageHelpAutoWidth(true)
        .setParameterExceptionHandler((error, arguments) -> CommandErrors.wrongUsage(error))
        .setExecutionExceptionHandler(
            (error, command, arguments) -> CommandErrors.failed(error, command));
  }

  /** A command under the name that was typed, of which it may have several. */
  private static CommandLine named(String name, Callable<Integer> command) {
    CommandLine line = new CommandLine(command);
    line.setCommandName(name);
    if (name.equals("shell")) {
      line.getCommandSpec().usageMessage().description("The same as sql, under another name.");
    }
    return line;
  }

  /** Without a command: a shell on the embedded TPC-H schema. */
  @Override
  public Integer call() throws Exception {
    return new SqlCommand().run(spec.commandLine());
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
