package io.aragonite.adapter.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.aragonite.adapter.options.Units;
import io.aragonite.adapter.shell.ResultFormat;
import io.aragonite.adapter.shell.ScriptScanner;
import io.aragonite.adapter.shell.ScriptUnit;
import io.aragonite.adapter.shell.ShellSession;
import io.aragonite.adapter.shell.ShellSettings;
import io.aragonite.adapter.shell.terminal.InteractiveShell;
import io.aragonite.dataset.DatasetCache;
import java.io.Console;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code aragonite sql}: runs statements and prints their results, or opens a shell. */
@Command(
    name = "sql",
    description =
        "Runs SQL statements and prints their results. Without statements it opens a shell at a"
            + " terminal, and runs the script on standard input elsewhere. A script ends at its"
            + " first error, with status 1.",
    mixinStandardHelpOptions = true,
    addMethodSubcommands = false,
    footer = {
      "",
      "Examples:",
      "  aragonite sql \"select count(*) from lineitem\"",
      "  aragonite sql --directory data -o orders.parquet \"select * from orders\"",
      "  aragonite sql --analyze \"select o_orderpriority, count(*) from orders group by 1\"",
      "  aragonite sql --continue < script.sql"
    })
final class SqlCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private ConnectionArguments connection = new ConnectionArguments();

  @Parameters(
      arity = "0..1",
      paramLabel = "<sql>",
      description = "Statements, separated by semicolons; - reads them from standard input.")
  private @Nullable String sql;

  @Option(
      names = {"-e", "--execute"},
      paramLabel = "<sql>",
      description = "Runs statements or a command of the shell; can be given several times.")
  private List<String> statements = new ArrayList<>();

  @Option(
      names = {"-f", "--file"},
      paramLabel = "<file>",
      description = "Reads the statements from a file.")
  private @Nullable Path file;

  @Option(names = "--analyze", description = "Runs each query and shows its plan with counts.")
  private boolean analyze;

  @Option(
      names = "--svg",
      paramLabel = "<file>",
      description =
          "With --analyze and one query: draws its plan there, with time and rows of each node.")
  private @Nullable Path svg;

  @Option(
      names = {"--format", "--outputformat"},
      paramLabel = "<name>",
      description =
          "How results are printed: table, vertical, csv, tsv, markdown, json (an array),"
              + " jsonlines, parquet or arrow (with -o), plain (the first column as it is, for"
              + " plans); default: as the name of -o says, else table.")
  private @Nullable ResultFormat format;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "<file>",
      description = "Writes results to a file, which is there when all are complete.")
  private @Nullable Path output;

  @Option(
      names = {"-c", "--continue"},
      description = "Goes on behind errors; the status is still 1.")
  private boolean goOn;

  @Option(names = "--types", description = "Tables have the types of columns under their names.")
  private boolean types;

  @Option(names = "--time", description = "Prints how long each statement took.")
  private boolean time;

  @Override
  public Integer call() throws Exception {
    return run(spec.commandLine());
  }

  int run(CommandLine command) throws Exception {
    boolean given = sql != null || !statements.isEmpty() || file != null;
    if (sql != null && !sql.equals("-") && ScriptScanner.units(sql).isEmpty()) {
      throw new ParameterException(command, "There is no statement to run.");
    }
    Path picture = svg;
    if (picture != null) {
      return draw(command, picture);
    }
    ShellSettings settings = new ShellSettings();
    settings.format = format;
    settings.types = types;
    settings.timing = time;
    settings.goOn = goOn;
    settings.analyze = analyze;
    Console console = System.console();
    if (!given && console != null && console.isTerminal()) {
      return interactive(command, settings);
    }
    try (LazyConnection open = new LazyConnection(connection);
        ShellSession session =
            new ShellSession(
                open, settings, CommandScreen.of(), command.getOut(), command.getErr())) {
      session.output(output);
      boolean good = runAll(session, given);
      if (good || goOn) {
        session.output(null);
      }
      return good ? 0 : Main.FAILED;
    }
  }

  private boolean runAll(ShellSession session, boolean given) throws IOException {
    boolean good = true;
    for (String statement : statements) {
      good &= (good || goOn) && session.script(new StringReader(statement), "");
    }
    Path script = file;
    if (script != null && (good || goOn)) {
      good &= session.read(script);
    }
    String text = sql;
    if (!good && !goOn) {
      return false;
    }
    if (!given || text != null && text.equals("-")) {
      InputStreamReader input = new InputStreamReader(System.in, StandardCharsets.UTF_8);
      good &= session.script(input, "stdin");
    } else if (text != null) {
      good &= session.script(new StringReader(text), "");
    }
    return good;
  }

  private int interactive(CommandLine command, ShellSettings settings) throws IOException {
    Path history = DatasetCache.defaultRoot();
    Files.createDirectories(history);
    settings.timing = true;
    return InteractiveShell.run(connection.fullUrl(), settings, history.resolve("history"), output)
        ? 0
        : Main.FAILED;
  }

  private int draw(CommandLine command, Path picture) throws SQLException, IOException {
    String text = file != null ? ShellSession.text(file) : sql == null ? "" : sql;
    List<ScriptUnit> units = ScriptScanner.units(text);
    if (!analyze || units.size() != 1) {
      throw new ParameterException(command, "--svg wants --analyze and one query");
    }
    PrintWriter out = command.getOut();
    try (Connection open = connection.open();
        Statement statement = open.createStatement();
        ResultSet rows =
            statement.executeQuery("EXPLAIN ANALYZE AS JSON " + units.getFirst().text())) {
      rows.next();
      JsonNode explained = new ObjectMapper().readTree(rows.getString(1));
      Files.writeString(picture, PlanPicture.of(explained));
      out.printf(
          "%s rows in %s; plan drawn in %s%n",
          Units.formatRows(explained.path("rows").asLong()),
          Units.formatNanos(explained.path("nanos").asLong()),
          picture);
      out.flush();
    }
    return 0;
  }

  /** The connection of a script, opened for its first statement. */
  private static final class LazyConnection
      implements ShellSession.ConnectionSource, AutoCloseable {
    private final ConnectionArguments arguments;
    private @Nullable Connection open;

    LazyConnection(ConnectionArguments arguments) {
      this.arguments = arguments;
    }

    @Override
    public Connection connection() throws SQLException {
      Connection known = open;
      if (known == null) {
        known = arguments.open();
        open = known;
      }
      return known;
    }

    @Override
    public void close() throws SQLException {
      if (open != null) {
        open.close();
      }
    }
  }
}
