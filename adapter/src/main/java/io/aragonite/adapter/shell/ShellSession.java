package io.aragonite.adapter.shell;

import io.aragonite.adapter.format.FileErrors;
import io.aragonite.adapter.options.Units;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Reader;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Runs statements and commands, and prints what they give. Used by one thread; {@link #cancel} may
 * come from any.
 */
public final class ShellSession implements AutoCloseable {
  /** Where a session has its connection from. */
  @FunctionalInterface
  public interface ConnectionSource {
    /** The connection that statements run on now. */
    Connection connection() throws SQLException;
  }

  /** Scripts within scripts. */
  private static final int DEEPEST = 16;

  /** How statements begin that COPY can write. */
  private static final Set<String> QUERIES =
      Set.of("select", "with", "values", "from", "table", "pivot", "unpivot");

  private final ConnectionSource source;
  private final ShellSettings settings;
  private final ShellScreen screen;
  private final PrintWriter out;
  private final PrintWriter err;
  private final ShellCommands commands = new ShellCommands(this);
  private volatile @Nullable Statement running;
  private volatile boolean interrupted;
  private @Nullable ProgressDisplay display;
  private @Nullable ResultTarget target;
  private String script = "";
  private int depth;
  private boolean ended;

  /** Whether what runs stands within another statement, which begins a line before it. */
  private boolean wrapped;

  /** Whether the terminal, file or pipe that results go to takes no more. */
  private boolean lost;

  public ShellSession(
      ConnectionSource source,
      ShellSettings settings,
      ShellScreen screen,
      PrintWriter out,
      PrintWriter err) {
    this.source = source;
    this.settings = settings;
    this.screen = screen;
    this.out = out;
    this.err = err;
  }

  /** Whether a command has ended the session. */
  public boolean ended() {
    return ended;
  }

  void end() {
    ended = true;
  }

  ShellSettings settings() {
    return settings;
  }

  Connection connection() throws SQLException {
    return source.connection();
  }

  /** Where commands print what is no result. */
  PrintWriter out() {
    return out;
  }

  /** Whether there is a command of such a name, without its point. */
  public boolean knows(String command) {
    return commands.knows(command);
  }

  /** Names of commands, without their points. */
  public Collection<String> commandNames() {
    return commands.names();
  }

  /** Names of formats. */
  public Collection<String> formatNames() {
    return ResultFormat.labels();
  }

  /** Says what other commands there are, which somebody else runs. */
  public void others(Collection<String> names) {
    commands.others(names);
  }

  /** Says that somebody waits for the next line: what was interrupted before has ended. */
  public void prompted() {
    interrupted = false;
  }

  /** Ends the statement that runs, if one does, and the scripts that it is in. */
  public void cancel() throws SQLException {
    interrupted = true;
    Statement statement = running;
    if (statement != null) {
      statement.cancel();
    }
  }

  /** Runs one statement or command; false if it failed, which it has said then. */
  public boolean run(ScriptUnit unit) {
    wrapped = false;
    try {
      boolean good = true;
      if (unit.command()) {
        good = commands.run(unit.text());
      } else {
        statement(unit.text());
      }
      checkOut();
      return good;
    } catch (SQLException | IOException | RuntimeException e) {
      report(e, unit);
      return false;
    } finally {
      out.flush();
    }
  }

  /** Ends the session if nobody can read what it prints. */
  private void checkOut() {
    if (out.checkError()) {
      lost = true;
      end();
      throw new AragoniteException(
          ErrorCode.FILE_UNREADABLE,
          "The results could not be written to standard output; is there room where it goes to?");
    }
  }

  private void report(Exception error, ScriptUnit unit) {
    out.flush();
    if (lost && screen.piped()) {
      return; // its reader has what it wanted
    }
    String line = ErrorReport.line(error);
    if (wrapped) {
      line = ErrorReport.moved(line, 1);
    }
    err.println("aragonite: " + DisplayText.shown(line));
    String place = unit.command() ? null : ErrorReport.place(line, unit, script, messageWidth());
    if (place != null) {
      err.println(place);
    }
    if (System.getenv("ARAGONITE_DEBUG") != null) {
      error.printStackTrace(err);
    }
    err.flush();
  }

  /**
   * Runs a script, up to its first error or whole.
   *
   * @param name of the script in messages, empty if the reader has it before them
   * @return false if a part of it failed
   */
  public boolean script(Reader text, String name) throws IOException {
    if (depth == DEEPEST) {
      throw new AragoniteException(
          ErrorCode.WRONG_USAGE,
          "Scripts read each other %d deep, %s last; does one of them read itself?"
              .formatted(DEEPEST, name));
    }
    String before = script;
    script = name;
    depth++;
    try (BufferedReader lines = new BufferedReader(text)) {
      return script(lines);
    } finally {
      script = before;
      depth--;
    }
  }

  private boolean script(BufferedReader lines) throws IOException {
    ScriptScanner scanner = new ScriptScanner();
    boolean good = true;
    String line;
    do {
      line = line(lines);
      ScriptUnit last = line == null ? scanner.end() : null;
      List<ScriptUnit> units =
          line != null ? scanner.line(line) : last == null ? List.of() : List.of(last);
      for (ScriptUnit unit : units) {
        if (ended) {
          return good;
        }
        good &= run(unit);
        if (!good && !settings.goOn || interrupted) {
          return false;
        }
      }
    } while (line != null && !ended);
    return good;
  }

  /** The next line with its end, null if there is none. */
  private static @Nullable String line(BufferedReader text) throws IOException {
    StringBuilder line = new StringBuilder();
    int c = text.read();
    while (c >= 0) {
      line.append((char) c);
      if (c == '\n') {
        break;
      }
      if (c == '\r') {
        text.mark(1);
        if (text.read() == '\n') {
          line.append('\n');
        } else {
          text.reset();
        }
        break;
      }
      c = text.read();
    }
    return line.isEmpty() ? null : line.toString();
  }

  /** Runs the script in a file. */
  public boolean read(Path file) throws IOException {
    return script(new StringReader(text(file)), String.valueOf(file.getFileName()));
  }

  /**
   * The text of a file that the user named.
   *
   * @throws AragoniteException FILE_UNREADABLE
   */
  public static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new AragoniteException(
          ErrorCode.FILE_UNREADABLE,
          "%s cannot be read: %s.".formatted(file, FileErrors.reason(e)),
          e);
    }
  }

  private void statement(String sql) throws SQLException, IOException {
    long start = System.nanoTime();
    try (Statement statement = connection().createStatement();
        ProgressDisplay shown = new ProgressDisplay(statement, err, screen, settings.patience)) {
      running = statement;
      if (interrupted) {
        throw new AragoniteException(ErrorCode.CANCELLED, "The statement was cancelled.");
      }
      display = shown;
      if (settings.analyze) {
        wrapped = true;
        execute(statement, "EXPLAIN ANALYZE\n" + sql, ResultFormat.PLAIN);
      } else if (format().isCopied()
          && QUERIES.contains(ScriptScanner.firstWord(sql).toLowerCase(Locale.ROOT))) {
        copy(statement, sql);
      } else {
        execute(statement, sql, format());
      }
      for (SQLWarning told = statement.getWarnings(); told != null; told = told.getNextWarning()) {
        err.println("aragonite: warning: " + DisplayText.shown(String.valueOf(told.getMessage())));
      }
      err.flush();
    } finally {
      running = null;
      display = null;
    }
    if (settings.timing) {
      PrintWriter writer = isForPeople() && target == null ? out : err;
      writer.println("Time: " + Units.formatNanos(System.nanoTime() - start));
      writer.flush();
    }
  }

  private boolean isForPeople() {
    return format() == ResultFormat.TABLE || format() == ResultFormat.VERTICAL;
  }

  private void execute(Statement statement, String sql, ResultFormat format)
      throws SQLException, IOException {
    if (statement.execute(sql)) {
      try (ResultSet rows = statement.getResultSet()) {
        print(new QueriedRows(rows, this::begun), format);
      }
    } else if (isForPeople() && written(statement) > 0) {
      writer(format).println(Units.formatRows(written(statement)) + " rows written");
    }
  }

  /** Rows are about to be printed: what says how far they are goes. */
  private void begun() {
    ProgressDisplay shown = display;
    if (shown != null) {
      shown.close();
    }
  }

  private static long written(Statement statement) throws SQLException {
    try {
      return statement.getLargeUpdateCount();
    } catch (UnsupportedOperationException e) {
      return statement.getUpdateCount(); // another driver's
    }
  }

  /** Prints rows as the user has chosen. */
  void print(PrintedRows rows) throws SQLException, IOException {
    print(rows, format());
  }

  /** Prints a result that somebody else asked for. */
  public void print(ResultSet rows) throws SQLException, IOException {
    print(new QueriedRows(rows, () -> {}), format());
  }

  private void print(PrintedRows rows, ResultFormat format) throws SQLException, IOException {
    if (format.isCopied()) {
      throw new AragoniteException(
          ErrorCode.WRONG_USAGE,
          "Only rows of queries are written as %s; choose another format."
              .formatted(format.label()));
    }
    ResultTarget file = target;
    PrintWriter writer = writer(format);
    Runnable check = file == null ? this::checkOut : () -> file.check(writer);
    ResultPrinter.print(
        new CheckedRows(rows, check),
        new PrintStyle(
            format, file == null ? width() : 0, settings.types, file == null && screen.output()),
        writer);
    check.run();
  }

  private void copy(Statement statement, String sql) throws SQLException {
    ResultTarget file = target;
    ResultFormat format = format();
    if (file == null) {
      throw new AragoniteException(
          ErrorCode.WRONG_USAGE,
          "The format %s is for files; name one with -o FILE or .output FILE."
              .formatted(format.label()));
    }
    String path = file.copyFile(format).toString();
    wrapped = true;
    statement.execute(
        "COPY (\n%s\n) TO '%s' (format %s, overwrite true)"
            .formatted(sql, path.replace("'", "''"), format.label()));
    file.copied(format);
  }

  /** The columns that tables keep within, 0 for no limit. */
  int width() {
    Integer chosen = settings.width;
    return chosen != null ? chosen : screen.output() ? screen.width().getAsInt() : 0;
  }

  private int messageWidth() {
    return screen.messages() ? screen.width().getAsInt() : 0;
  }

  /** How the next result is printed. */
  ResultFormat format() {
    ResultFormat chosen = settings.format;
    ResultFormat named = target == null ? null : target.format();
    return chosen != null ? chosen : Objects.requireNonNullElse(named, ResultFormat.TABLE);
  }

  private PrintWriter writer(ResultFormat format) throws IOException {
    return target == null ? out : target.writer(format);
  }

  /**
   * Has results go to a file from now on, and gives the one before its name.
   *
   * @param path null: they go where the session prints
   */
  public void output(@Nullable Path path) throws IOException {
    ResultTarget before = target;
    ResultFormat format = format();
    target = null;
    if (before != null) {
      try (before) {
        if (!before.commit(format)) {
          err.println(
              "aragonite: warning: There was no result, and %s is not written.".formatted(before));
          err.flush();
        }
      }
    }
    if (path != null) {
      target = new ResultTarget(path);
    }
  }

  /** Forgets the file that results go to, if it is not complete. */
  @Override
  public void close() throws IOException {
    ResultTarget open = target;
    target = null;
    if (open != null) {
      open.close();
    }
  }
}
