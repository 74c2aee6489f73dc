package io.aragonite.adapter.cli;

import io.aragonite.dataset.DatasetCache;
import java.io.Console;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import sqlline.SqlLine;

/** {@code aragonite shell}: sqlline on a connection. */
@Command(
    name = "shell",
    description = {
      "Opens a SQL shell (sqlline) with history and completion of table names.",
      "Statements end with a semicolon; !help lists the shell's own commands, !quit ends it."
    },
    mixinStandardHelpOptions = true,
    addMethodSubcommands = false)
final class ShellCommand implements Callable<Integer> {
  /** What is piped is for a program or a file, whose lines may be of any length. */
  private static final int WIDTH_WITHOUT_TERMINAL = 1 << 28;

  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private ConnectionArguments connection = new ConnectionArguments();

  @Option(
      names = {"-e", "--execute"},
      paramLabel = "<sql>",
      description = "Runs a statement and ends; can be given several times.")
  private List<String> statements = new ArrayList<>();

  @Option(
      names = {"-f", "--file"},
      paramLabel = "<file>",
      description = "Runs the statements of a file and ends.")
  private @Nullable Path file;

  @Option(
      names = "--outputformat",
      paramLabel = "<format>",
      description = "sqlline's output format: table, csv, tsv, json, vertical, xmlattrs...")
  private String outputFormat = "table";

  @Override
  public Integer call() throws IOException {
    return run(spec.commandLine());
  }

  @SuppressWarnings({"SystemConsoleNull", "NullAway"}) // SQLLine takes null for the terminal
  int run(CommandLine command) throws IOException {
    Console console = System.console();
    boolean terminal = console != null && console.isTerminal();
    boolean interactive = terminal && statements.isEmpty() && file == null;
    if (!terminal) {
      System.setProperty("org.jline.terminal.dumb", "true"); // and no warning that it is
    }
    ShellLine shell = new ShellLine(interactive, WIDTH_WITHOUT_TERMINAL);
    if (!shell.getOutputFormats().containsKey(outputFormat)) {
      throw new ParameterException(
          command,
          "--outputformat=%s is not one of %s"
              .formatted(
                  outputFormat,
                  String.join(", ", new TreeSet<>(shell.getOutputFormats().keySet()))));
    }
    if (interactive) {
      command.getOut().println("Aragonite on " + connection.fullUrl());
      command.getOut().println("Tables: !tables   a plan: explain plan for ...   end: !quit");
      command.getOut().flush();
    }
    PrintStream error = System.err;
    if (!interactive) {
      System.setErr(new PrintStream(new StackTraceFilter(error), true, StandardCharsets.UTF_8));
    }
    SqlLine.Status status;
    try {
      status =
          shell.begin(arguments(terminal, interactive).toArray(String[]::new), null, interactive);
    } finally {
      System.setErr(error);
    }
    return status == SqlLine.Status.OK && (!isScripted() || !shell.hasFailed()) ? 0 : Main.FAILED;
  }

  /** Whether the statements come with the command, and not from standard input. */
  private boolean isScripted() {
    return !statements.isEmpty() || file != null;
  }

  private List<String> arguments(boolean terminal, boolean interactive) throws IOException {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "-u",
                connection.fullUrl(),
                "-n",
                "",
                "-p",
                "",
                "--isolation=TRANSACTION_NONE",
                "--outputformat=" + outputFormat,
                "--fastConnect=" + !interactive,
                "--incremental=false",
                "--historyfile=" + history(),
                "--prompt=aragonite> "));
    if (!terminal) {
      // without a terminal sqlline takes it for 80 columns wide, or for 0
      arguments.add("--maxWidth=" + WIDTH_WITHOUT_TERMINAL);
    }
    if (!interactive) {
      arguments.add("--silent=true");
      arguments.add("--showElapsedTime=false");
    }
    Path script = script();
    if (script != null) {
      arguments.add("-f");
      arguments.add(script.toString());
    }
    return arguments;
  }

  /**
   * The statements as a file for sqlline to run, null if there are none: it ends at the first error
   * then, with a status that tells.
   */
  private @Nullable Path script() throws IOException {
    if (statements.isEmpty()) {
      if (file != null) {
        CommandErrors.text(file); // sqlline's own error has no code
      }
      return file;
    }
    StringBuilder text = new StringBuilder();
    for (String statement : statements) {
      String line = statement.strip();
      if (line.startsWith("!")) {
        text.append(line).append('\n');
      } else {
        // one a line: sqlline goes on behind an error within a line
        StatementSplitter.split(line).forEach(one -> text.append(one).append(";\n"));
      }
    }
    if (file != null) {
      text.append(CommandErrors.text(file));
    }
    Path script = Files.createTempFile("aragonite", ".sql");
    script.toFile().deleteOnExit();
    return Files.writeString(script, text);
  }

  private static Path history() throws IOException {
    Path folder = DatasetCache.defaultRoot();
    Files.createDirectories(folder);
    return folder.resolve("history");
  }
}
