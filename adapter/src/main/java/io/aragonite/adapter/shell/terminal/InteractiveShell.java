package io.aragonite.adapter.shell.terminal;

import io.aragonite.adapter.shell.ErrorReport;
import io.aragonite.adapter.shell.ScriptScanner;
import io.aragonite.adapter.shell.ScriptUnit;
import io.aragonite.adapter.shell.ShellScreen;
import io.aragonite.adapter.shell.ShellSession;
import io.aragonite.adapter.shell.ShellSettings;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.util.List;
import org.jline.reader.Completer;
import org.jline.reader.History;
import org.jline.reader.LineReader;
import org.jline.reader.LineReaderBuilder;
import org.jline.terminal.Terminal;
import org.jline.terminal.TerminalBuilder;
import org.jline.terminal.impl.DumbTerminal;
import org.jspecify.annotations.Nullable;
import sqlline.EmbeddedSqlLine;
import sqlline.SqlLineExpander;
import sqlline.SqlLineHighlighter;

/**
 * A session at a terminal. Ctrl-C ends the statement that runs, and at the prompt clears what was
 * typed; Ctrl-D ends the session.
 */
public final class InteractiveShell extends EmbeddedSqlLine {
  private static final String PROMPT = "aragonite> ";
  private static final String CONTINUED = "      ...> ";

  /** Commands of sqlline that help tells of; the others run as well. */
  private static final List<String> OF_SQLLINE =
      List.of(
          "connect",
          "close",
          "go",
          "list",
          "indexes",
          "primarykeys",
          "importedkeys",
          "exportedkeys",
          "metadata",
          "history",
          "rerun",
          "record",
          "script",
          "set");

  private final Terminal terminal;
  private final Path history;
  private final String url;
  private final ShellSession session;
  private final CompletionNames names;

  /**
   * @param history where lines are kept for later sessions
   */
  InteractiveShell(Terminal terminal, String url, ShellSettings settings, Path history) {
    this.terminal = terminal;
    this.history = history;
    this.url = url;
    ShellScreen screen = new ShellScreen(true, true, terminal::getWidth, false);
    session =
        new ShellSession(this::connection, settings, screen, terminal.writer(), terminal.writer());
    names = new CompletionNames(this::connection);
    session.others(OF_SQLLINE);
    terminal.handle(Terminal.Signal.INT, signal -> cancel());
    setOutputStream(terminal.output());
    setErrorStream(terminal.output());
  }

  /**
   * Runs a session at the terminal of the process.
   *
   * @param output where results go, null for the terminal
   * @return whether it could begin
   */
  public static boolean run(String url, ShellSettings settings, Path history, @Nullable Path output)
      throws IOException {
    try (Terminal terminal = TerminalBuilder.builder().system(true).nativeSignals(true).build()) {
      return new InteractiveShell(terminal, url, settings, history).runSession(output);
    }
  }

  /** Runs a session of some lines that nobody sees, so that the JVM knows what later ones need. */
  public static void rehearse(String url, Path history, String lines) throws IOException {
    try (Terminal terminal =
        new DumbTerminal(
            "rehearsal",
            Terminal.TYPE_DUMB,
            new ByteArrayInputStream(lines.getBytes(StandardCharsets.UTF_8)),
            OutputStream.nullOutputStream(),
            StandardCharsets.UTF_8)) {
      InteractiveShell shell = new InteractiveShell(terminal, url, new ShellSettings(), history);
      shell.runSession(null);
    }
  }

  @SuppressWarnings("NullAway") // sqlline takes null for the terminal
  boolean runSession(@Nullable Path output) throws IOException {
    String[] options = {
      "-u",
      url,
      "-n",
      "",
      "-p",
      "",
      "--isolation=TRANSACTION_NONE",
      "--fastConnect=true",
      "--historyfile=" + history,
      "--prompt=" + PROMPT
    };
    try (session) {
      session.output(output);
      boolean begun = begin(options, null, true) != Status.ARGS;
      session.output(null);
      return begun;
    } finally {
      terminal.flush();
    }
  }

  /** What completes lines. */
  Completer completer() {
    return new StatementCompleter(session, names);
  }

  @Override
  protected LineReader reader(History lines) {
    return LineReaderBuilder.builder()
        .terminal(terminal)
        .appName("aragonite")
        .history(lines)
        .parser(new ShellLineParser())
        .completer(completer())
        .highlighter(new SqlLineHighlighter(this))
        .expander(new SqlLineExpander(this))
        .variable(LineReader.HISTORY_FILE, history)
        .variable(LineReader.SECONDARY_PROMPT_PATTERN, CONTINUED)
        .option(LineReader.Option.AUTO_LIST, false)
        .option(LineReader.Option.AUTO_MENU, true)
        .option(LineReader.Option.CASE_INSENSITIVE, true)
        .option(LineReader.Option.DISABLE_EVENT_EXPANSION, true)
        .build();
  }

  @Override
  protected String title() {
    return "Aragonite on %s%nStatements end with a semicolon; .help lists commands, .quit ends."
        .formatted(url);
  }

  @Override
  protected boolean run(String line) {
    session.prompted();
    for (ScriptUnit unit : ScriptScanner.units(line)) {
      if (unit.command() && isOfSqlline(unit)) {
        names.ran(unit.text());
        return false;
      }
      boolean good = session.run(unit);
      names.ran(unit.text());
      if (session.ended()) {
        setExit(true);
      }
      if (!good || session.ended()) {
        break;
      }
    }
    return true;
  }

  private boolean isOfSqlline(ScriptUnit unit) {
    String text = unit.text();
    String name = text.substring(1).strip().split("\\s+", 2)[0];
    return text.startsWith("!") && !session.knows(name) && sqllineCommands().contains(name);
  }

  private void cancel() {
    try {
      session.cancel();
    } catch (SQLException e) {
      // it has ended by itself
    }
  }

  private Connection connection() throws SQLException {
    Connection connection = connectionNow();
    if (connection == null) {
      throw new AragoniteException(
          ErrorCode.INVALID_CALL, "There is no connection; !connect URL opens one.");
    }
    return connection;
  }

  @Override
  protected void printRows(ResultSet rows) throws SQLException {
    try {
      session.print(rows);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** One line, as the other commands print it; sqlline prints the stack of some errors. */
  @Override
  public void handleException(Throwable e) {
    Throwable error = e;
    while (error instanceof InvocationTargetException && error.getCause() != null) {
      error = error.getCause();
    }
    if (!(error instanceof SQLException) && error.getCause() instanceof SQLException sql) {
      error = sql;
    }
    if (error instanceof SQLWarning) {
      super.handleException(error);
    } else {
      error("aragonite: " + ErrorReport.line(error));
    }
  }
}
