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
import java.util.Objects;
import java.util.regex.Pattern;
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

  /** What COPY can write. */
  private static final Pattern QUERY =
      Pattern.compile(
          "(?:\\s|\\(|--[^\\n]*\\n|/\\*.*?\\*/)*(?:select|with|values|from|table|pivot|unpivot)\\b.*",
          Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

  private final ConnectionSource source;
  private final ShellSettings settings;
  private final ShellScreen screen;
  private final PrintWriter out;
  private final PrintWriter err;
  private final ShellCommands commands = new ShellCommands(this);
  private volatile @Nullable Statement running;
  private @Nullable ProgressDisplay display;
  private @Nullable ResultTarget target;
  private String script = "";
  private int depth;
  private boolean ended;

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

  /** Ends the statement that runs, if one does. */
  public void cancel() throws SQLException {
    Statement statement = running;
    if (statement != null) {
      statement.cancel();
    }
  }

  /** Runs one statement or command; false if it failed, which it has said then. */
  public boolean run(ScriptUnit unit) {
    try {
      if (unit.command()) {
        return commands.run(unit.text());
      }
      statement(unit.text());
      return true;
    } catch (SQLException | IOException | RuntimeException e) {
      report(e, unit);
      return false;
    } finally {
      out.flush();
    }
  }

  private void report(Exception error, ScriptUnit unit) {
    out.flush();
    String line = ErrorReport.line(error);
    if (isWrapped()) {
      line = ErrorReport.moved(line, 1);
    }
    err.println("aragonite: " + DisplayText.shown(line));
    String place = unit.command() ? null : ErrorReport.place(line, unit, script, width());
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
      line = lines.readLine();
      ScriptUnit last = line == null ? scanner.end() : null;
      List<ScriptUnit> units =
          line != null ? scanner.line(line) : last == null ? List.of() : List.of(last);
      for (ScriptUnit unit : units) {
        if (ended) {
          return good;
        }
        good &= run(unit);
        if (!good && !settings.goOn) {
          return false;
        }
      }
    } while (line != null && !ended);
    return good;
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

  /** Whether statements run within another one, which begins a line before them. */
  private boolean isWrapped() {
    return settings.analyze || format().isCopied();
  }

  private void statement(String sql) throws SQLException, IOException {
    long start = System.nanoTime();
    try (Statement statement = connection().createStatement();
        ProgressDisplay shown = new ProgressDisplay(statement, err, screen, settings.patience)) {
      running = statement;
      display = shown;
      if (settings.analyze) {
        execute(statement, "EXPLAIN ANALYZE\n" + sql, ResultFormat.PLAIN);
      } else if (format().isCopied() && QUERY.matcher(sql).matches()) {
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
      boolean table = isForPeople();
      PrintWriter writer = table ? writer() : err;
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
      writer().println(Units.formatRows(written(statement)) + " rows written");
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
    boolean terminal = target == null && screen.output();
    ResultPrinter.print(
        rows,
        new PrintStyle(format, target == null ? width() : 0, settings.types, terminal),
        writer());
  }

  private void copy(Statement statement, String sql) throws SQLException {
    ResultTarget file = target;
    String format = format().label();
    if (file == null) {
      throw new AragoniteException(
          ErrorCode.WRONG_USAGE,
          "The format %s is for files; name one with -o FILE or .output FILE.".formatted(format));
    }
    if (!file.copy()) {
      throw new AragoniteException(
          ErrorCode.WRONG_USAGE,
          "%s has one result already, and a file of the format %s has no more; name another file."
              .formatted(file.path(), format));
    }
    statement.execute(
        "COPY (\n%s\n) TO '%s' (format %s, overwrite true)"
            .formatted(sql, file.path().toString().replace("'", "''"), format));
  }

  /** The columns that tables keep within, 0 for no limit. */
  int width() {
    Integer chosen = settings.width;
    return chosen != null ? chosen : screen.width().getAsInt();
  }

  /** How the next result is printed. */
  ResultFormat format() {
    ResultFormat chosen = settings.format;
    ResultFormat named = target == null ? null : target.format();
    return chosen != null ? chosen : Objects.requireNonNullElse(named, ResultFormat.TABLE);
  }

  private PrintWriter writer() throws IOException {
    return target == null ? out : target.writer();
  }

  /**
   * Has results go to a file from now on, and gives the one before its name.
   *
   * @param path null: they go where the session prints
   */
  public void output(@Nullable Path path) throws IOException {
    ResultTarget before = target;
    target = null;
    if (before != null) {
      try (before) {
        before.commit();
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
