package io.aragonite.adapter.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.aragonite.adapter.options.Units;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code aragonite sql}: runs statements and prints their results. */
@Command(
    name = "sql",
    description = "Runs SQL statements and prints their results.",
    mixinStandardHelpOptions = true,
    addMethodSubcommands = false,
    footer = {
      "",
      "Examples:",
      "  aragonite sql \"select count(*) from lineitem\"",
      "  aragonite sql --directory data --format csv \"select * from orders\" > orders.csv",
      "  aragonite sql --analyze \"select o_orderpriority, count(*) from orders group by 1\""
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
      names = "--format",
      paramLabel = "table|csv|json|plain",
      description =
          "How results are printed; plain: the first column as it is, for plans (default:"
              + " ${DEFAULT-VALUE}).")
  private OutputFormat format = OutputFormat.TABLE;

  @Option(names = "--time", description = "Prints how long each statement took.")
  private boolean time;

  @Override
  public Integer call() throws Exception {
    List<String> statements = StatementSplitter.split(text());
    if (statements.isEmpty()) {
      throw new ParameterException(spec.commandLine(), "There is no statement to run.");
    }
    Path picture = svg;
    if (picture != null && (!analyze || statements.size() > 1)) {
      throw new ParameterException(spec.commandLine(), "--svg wants --analyze and one query");
    }
    PrintWriter out = spec.commandLine().getOut();
    try (Connection open = connection.open();
        Statement statement = open.createStatement()) {
      if (picture != null) {
        draw(statement, statements.getFirst(), picture, out);
        return 0;
      }
      for (String one : statements) {
        run(statement, analyze ? "EXPLAIN ANALYZE " + one : one, out);
      }
    }
    return 0;
  }

  private static void draw(Statement statement, String query, Path picture, PrintWriter out)
      throws SQLException, IOException {
    try (ResultSet rows = statement.executeQuery("EXPLAIN ANALYZE AS JSON " + query)) {
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
  }

  private void run(Statement statement, String one, PrintWriter out)
      throws SQLException, IOException {
    long start = System.nanoTime();
    if (statement.execute(one)) {
      try (ResultSet rows = statement.getResultSet()) {
        ResultPrinter.print(rows, analyze ? OutputFormat.PLAIN : format, out);
      }
    } else if (format == OutputFormat.TABLE && statement.getLargeUpdateCount() > 0) {
      out.println(Units.formatRows(statement.getLargeUpdateCount()) + " rows written");
    }
    if (time) {
      out.println("Time: " + Units.formatNanos(System.nanoTime() - start));
    }
    out.flush();
  }

  private String text() throws IOException {
    if (file != null) {
      return CommandErrors.text(file);
    }
    if (sql == null) {
      throw new ParameterException(
          spec.commandLine(), "Give a statement, a file with --file, or - for standard input.");
    }
    return sql.equals("-") ? new String(System.in.readAllBytes(), StandardCharsets.UTF_8) : sql;
  }
}
