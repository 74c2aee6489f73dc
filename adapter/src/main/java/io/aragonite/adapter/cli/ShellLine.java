package io.aragonite.adapter.cli;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.util.ArrayList;
import java.util.List;
import org.jline.reader.Candidate;
import org.jline.reader.Completer;
import org.jline.reader.History;
import org.jline.reader.LineReader;
import org.jline.reader.impl.LineReaderImpl;
import org.jspecify.annotations.Nullable;
import sqlline.BuiltInProperty;
import sqlline.WholeResultSqlLine;

/** sqlline with what it gets wrong set right. */
final class ShellLine extends WholeResultSqlLine {
  private static final String ABORTED = "Aborting command set";

  private final boolean history;
  private final int width;
  private boolean failed;

  /**
   * @param history whether lines are kept for later sessions
   * @param width columns of a terminal that does not tell how wide it is
   */
  ShellLine(boolean history, int width) {
    this.history = history;
    this.width = width;
  }

  /** Whether there was an error; sqlline's own status forgets all but the last statement's. */
  boolean hasFailed() {
    return failed;
  }

  @Override
  public boolean error(String message) {
    boolean repeats = failed && message.startsWith(ABORTED);
    failed = true;
    return !repeats && super.error(message);
  }

  /** One line, as the other commands print it; sqlline prints the stack of some errors. */
  @Override
  public void handleException(Throwable e) {
    Throwable error = e;
    while (error instanceof InvocationTargetException && error.getCause() != null) {
      error = error.getCause();
    }
    if (!(error instanceof SQLException) && error.getCause() instanceof SQLException sql) {
      error = sql; // of a row that was fetched while it was printed
    }
    if (error instanceof SQLWarning) {
      super.handleException(error);
    } else {
      error("aragonite: " + CommandErrors.line(error));
    }
  }

  @Override
  @SuppressWarnings("NullAway") // SQLLine takes null for the terminal
  public LineReader getConsoleReader(@Nullable InputStream in, History lines) throws IOException {
    LineReader reader = super.getConsoleReader(in, lines);
    reader.setVariable(LineReader.DISABLE_HISTORY, !history);
    if (reader instanceof LineReaderImpl line && line.getCompleter() != null) {
      line.setCompleter(withoutSuffix(line.getCompleter()));
    }
    if (reader.getTerminal().getWidth() <= 0) {
      getOpts().set(BuiltInProperty.MAX_WIDTH, width); // else every line is cut to nothing
    }
    return reader;
  }

  /**
   * sqlline says that names of tables end with a point, which they do not: JLine would take away
   * their last letter when a space, a semicolon or the end of the line follows.
   */
  private static Completer withoutSuffix(Completer completer) {
    return (reader, line, candidates) -> {
      List<Candidate> found = new ArrayList<>();
      completer.complete(reader, line, found);
      for (Candidate candidate : found) {
        candidates.add(
            candidate.suffix() == null
                ? candidate
                : new Candidate(
                    candidate.value(),
                    candidate.displ(),
                    candidate.group(),
                    candidate.descr(),
                    null,
                    candidate.key(),
                    candidate.complete()));
      }
    };
  }
}
