package sqlline;

import java.io.IOException;
import java.io.InputStream;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jline.reader.History;
import org.jline.reader.LineReader;
import org.jspecify.annotations.Nullable;

/**
 * sqlline within another shell. It reads lines, keeps connections and has its own commands; what
 * lines mean and how results are printed its subclass says.
 */
public abstract class EmbeddedSqlLine extends SqlLine {
  private boolean begun;

  /** The reader of lines. */
  protected abstract LineReader reader(History history) throws IOException;

  /** What is printed before the first line. */
  protected abstract String title();

  /** Runs what was typed; false if it is for sqlline. */
  protected abstract boolean run(String line);

  /** Prints a result of a command of sqlline. */
  protected abstract void printRows(ResultSet rows) throws SQLException;

  @Override
  public final LineReader getConsoleReader(@Nullable InputStream in, History history)
      throws IOException {
    LineReader reader = reader(history);
    history.attach(reader);
    setLineReader(reader);
    return reader;
  }

  @Override
  String getApplicationTitle() {
    begun = true; // what comes before are the options' commands
    return title();
  }

  @Override
  void dispatch(String line, DispatchCallback callback) {
    if (!begun || line == null || line.isBlank()) {
      super.dispatch(line, callback);
    } else if (run(line)) {
      callback.setToSuccess();
    } else {
      super.dispatch(line.strip(), callback);
    }
  }

  @Override
  int print(ResultSet rows, DispatchCallback callback) throws SQLException {
    printRows(rows);
    return 0;
  }

  /** The connection that is used now, null if there is none. */
  protected final @Nullable Connection connectionNow() throws SQLException {
    DatabaseConnection connection = getDatabaseConnection();
    return connection == null ? null : connection.getConnection();
  }

  /** Names of sqlline's commands. */
  protected final List<String> sqllineCommands() {
    List<String> names = new ArrayList<>();
    getCommandHandlers().forEach(handler -> names.addAll(handler.getNames()));
    return names;
  }
}
