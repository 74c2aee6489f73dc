package io.aragonite.adapter.shell.terminal;

import io.aragonite.adapter.shell.ShellSession.ConnectionSource;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Names of the connection, asked for when they are wanted first. */
final class CompletionNames {
  /** Statements after which there are the same tables as before. */
  private static final Pattern UNCHANGING =
      Pattern.compile(
          "\\s*(?:select|with|values|from|explain|show|describe|\\.(?!read)).*",
          Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

  /**
   * A table.
   *
   * @param system whether it tells of others
   */
  record NamedTable(String schema, String name, boolean system) {}

  private final ConnectionSource source;
  private final Map<String, List<String>> columns = new HashMap<>();
  private @Nullable List<NamedTable> tables;
  private @Nullable Set<String> functions;

  CompletionNames(ConnectionSource source) {
    this.source = source;
  }

  /** Forgets what a statement may have changed. */
  void ran(String statement) {
    if (!UNCHANGING.matcher(statement).matches()) {
      tables = null;
      functions = null;
      columns.clear();
    }
  }

  List<NamedTable> tables() throws SQLException {
    List<NamedTable> known = tables;
    if (known == null) {
      known = new ArrayList<>();
      DatabaseMetaData metaData = source.connection().getMetaData();
      try (ResultSet rows = metaData.getTables(null, null, "%", null)) {
        while (rows.next()) {
          String type = text(rows, "TABLE_TYPE");
          known.add(
              new NamedTable(
                  text(rows, "TABLE_SCHEM"), text(rows, "TABLE_NAME"), type.startsWith("SYSTEM")));
        }
      }
      tables = known;
    }
    return known;
  }

  private static String text(ResultSet rows, String column) throws SQLException {
    return Objects.requireNonNullElse(rows.getString(column), "");
  }

  /** The columns of a table or a file in FROM; none if there is no such thing. */
  List<String> columns(FromItem item) throws SQLException {
    boolean file = item.path().getFirst().startsWith("'");
    String path = String.join(".", item.path());
    String key = file ? path : path.toLowerCase(Locale.ROOT);
    List<String> known = columns.get(key);
    if (known == null) {
      known = file ? ofFile(item) : ofTable(item);
      columns.put(key, known);
    }
    return known;
  }

  private List<String> ofTable(FromItem item) throws SQLException {
    String name = item.path().getLast();
    String schema = item.path().size() < 2 ? "" : item.path().get(item.path().size() - 2);
    List<String> found = new ArrayList<>();
    for (NamedTable table : tables()) {
      if (found.isEmpty()
          && table.name.equalsIgnoreCase(name)
          && (schema.isEmpty() || table.schema.equalsIgnoreCase(schema))) {
        DatabaseMetaData metaData = source.connection().getMetaData();
        String escape = metaData.getSearchStringEscape();
        try (ResultSet rows =
            metaData.getColumns(
                null,
                table.schema.isEmpty() ? null : escaped(table.schema, escape),
                escaped(table.name, escape),
                "%")) {
          while (rows.next()) {
            found.add(text(rows, "COLUMN_NAME"));
          }
        }
      }
    }
    return found;
  }

  private static String escaped(String name, String escape) {
    return name.replace(escape, escape + escape)
        .replace("_", escape + "_")
        .replace("%", escape + "%");
  }

  private List<String> ofFile(FromItem item) {
    List<String> found = new ArrayList<>();
    try {
      Connection connection = source.connection();
      try (PreparedStatement statement =
          connection.prepareStatement("SELECT * FROM " + item.path().getFirst())) {
        ResultSetMetaData metaData = statement.getMetaData();
        for (int i = 1; i <= metaData.getColumnCount(); i++) {
          found.add(metaData.getColumnLabel(i));
        }
      }
    } catch (SQLException e) {
      // its name is not typed to the end, or there is no such file
    }
    return found;
  }

  /** Functions and aggregates, in small letters. */
  Set<String> functions() throws SQLException {
    Set<String> known = functions;
    if (known == null) {
      known = new TreeSet<>();
      DatabaseMetaData metaData = source.connection().getMetaData();
      for (String list :
          List.of(
              metaData.getNumericFunctions(),
              metaData.getStringFunctions(),
              metaData.getTimeDateFunctions(),
              metaData.getSystemFunctions(),
              String.join(",", CompletionWords.AGGREGATES))) {
        for (String name : list.split(",")) {
          if (!name.isBlank()) {
            known.add(name.strip().toLowerCase(Locale.ROOT));
          }
        }
      }
      functions = known;
    }
    return known;
  }
}
