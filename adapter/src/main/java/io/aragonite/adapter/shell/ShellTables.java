package io.aragonite.adapter.shell;

import io.aragonite.adapter.error.NearestName;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.io.IOException;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Pattern;

/** Commands that tell what tables there are. */
final class ShellTables {
  private static final Pattern PLAIN_NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_$]*");

  /** A table, in the order of schemas and names. */
  private record ListedTable(String schema, String name, String type) {
    String full() {
      return schema.isEmpty() ? quoted(name) : quoted(schema) + "." + quoted(name);
    }
  }

  private final ShellSession session;

  ShellTables(ShellSession session) {
    this.session = session;
  }

  private static String quoted(String name) {
    return PLAIN_NAME.matcher(name).matches() ? name : '"' + name.replace("\"", "\"\"") + '"';
  }

  private List<ListedTable> tables() throws SQLException {
    List<ListedTable> tables = new ArrayList<>();
    DatabaseMetaData metaData = session.connection().getMetaData();
    try (ResultSet rows = metaData.getTables(null, null, "%", null)) {
      while (rows.next()) {
        String type = text(rows, "TABLE_TYPE");
        if (!type.startsWith("SYSTEM")) {
          tables.add(new ListedTable(text(rows, "TABLE_SCHEM"), text(rows, "TABLE_NAME"), type));
        }
      }
    }
    return tables;
  }

  private static String text(ResultSet rows, String column) throws SQLException {
    return Objects.requireNonNullElse(rows.getString(column), "");
  }

  /** A part of a name, or all of it with wildcards. */
  private static Pattern pattern(String text) {
    boolean wild = text.indexOf('*') >= 0 || text.indexOf('%') >= 0;
    StringBuilder pattern = new StringBuilder(wild ? "" : ".*");
    for (char c : text.toCharArray()) {
      pattern.append(c == '*' || c == '%' ? ".*" : Pattern.quote(String.valueOf(c)));
    }
    return Pattern.compile(pattern.append(wild ? "" : ".*").toString(), Pattern.CASE_INSENSITIVE);
  }

  boolean list(String argument) throws SQLException, IOException {
    Pattern pattern = pattern(argument);
    List<List<String>> rows =
        tables().stream()
            .filter(table -> pattern.matcher(table.name).matches())
            .map(table -> List.of(table.schema, table.name, table.type))
            .toList();
    session.print(new ListedRows(List.of("schema", "name", "type"), rows));
    return true;
  }

  boolean describe(String argument) throws SQLException {
    List<ListedTable> all = tables();
    String wanted = argument.replace("\"", "").toLowerCase(Locale.ROOT);
    List<ListedTable> chosen =
        all.stream()
            .filter(table ->
                wanted.isEmpty()
                    || table.name.toLowerCase(Locale.ROOT).equals(wanted)
                    || (table.schema + "." + table.name).toLowerCase(Locale.ROOT).equals(wanted))
            .toList();
    if (chosen.isEmpty() && !wanted.isEmpty()) {
      String nearest = NearestName.of(wanted, all.stream().map(ListedTable::name).toList());
      throw new AragoniteException(
          ErrorCode.UNKNOWN_TABLE,
          "There is no table '%s'; %s"
              .formatted(
                  argument,
                  nearest == null ? ".tables lists them." : "did you mean '" + nearest + "'?"));
    }
    for (ListedTable table : chosen) {
      describe(table);
    }
    return true;
  }

  private void describe(ListedTable table) throws SQLException {
    List<String> columns = new ArrayList<>();
    DatabaseMetaData metaData = session.connection().getMetaData();
    String escape = metaData.getSearchStringEscape();
    try (ResultSet rows =
        metaData.getColumns(
            null,
            table.schema.isEmpty() ? null : escaped(table.schema, escape),
            escaped(table.name, escape),
            "%")) {
      while (rows.next()) {
        columns.add("  " + quoted(text(rows, "COLUMN_NAME")) + " " + type(rows));
      }
    }
    String kind = table.type.contains("VIEW") ? "VIEW" : "TABLE";
    String head = "CREATE %s %s (\n".formatted(kind, table.full());
    session.out().println(DisplayText.lines(head + String.join(",\n", columns) + "\n);"));
  }

  private static String escaped(String name, String escape) {
    return name.replace(escape, escape + escape)
        .replace("_", escape + "_")
        .replace("%", escape + "%");
  }

  private static String type(ResultSet rows) throws SQLException {
    String name = text(rows, "TYPE_NAME").replaceAll("(?i)\\s+NOT NULL$", "");
    boolean nullable = rows.getInt("NULLABLE") != DatabaseMetaData.columnNoNulls;
    String digits =
        switch (name.toUpperCase(Locale.ROOT)) {
          case "DECIMAL", "NUMERIC" ->
              "(%d, %d)".formatted(rows.getInt("COLUMN_SIZE"), rows.getInt("DECIMAL_DIGITS"));
          case "CHAR", "BINARY" -> "(%d)".formatted(rows.getInt("COLUMN_SIZE"));
          default -> "";
        };
    return name + digits + (nullable ? "" : " NOT NULL");
  }
}
