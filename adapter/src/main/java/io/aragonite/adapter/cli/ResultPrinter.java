package io.aragonite.adapter.cli;

import java.io.IOException;
import java.io.Writer;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Prints results. */
final class ResultPrinter {
  /** Rows whose widths decide the widths of a table's columns. */
  private static final int SAMPLE = 1000;

  private final ResultSet rows;
  private final Writer out;
  private final int columns;
  private final String[] names;
  private final boolean[] numeric;

  private ResultPrinter(ResultSet rows, Writer out) throws SQLException {
    this.rows = rows;
    this.out = out;
    ResultSetMetaData metaData = rows.getMetaData();
    this.columns = metaData.getColumnCount();
    this.names = new String[columns];
    this.numeric = new boolean[columns];
    for (int i = 0; i < columns; i++) {
      names[i] = metaData.getColumnLabel(i + 1);
      numeric[i] = isNumeric(metaData.getColumnType(i + 1));
    }
  }

  private static boolean isNumeric(int type) {
    return switch (type) {
      case Types.TINYINT,
          Types.SMALLINT,
          Types.INTEGER,
          Types.BIGINT,
          Types.REAL,
          Types.FLOAT,
          Types.DOUBLE,
          Types.DECIMAL,
          Types.NUMERIC ->
          true;
      default -> false;
    };
  }

  static void print(ResultSet rows, OutputFormat format, Writer out)
      throws SQLException, IOException {
    ResultPrinter printer = new ResultPrinter(rows, out);
    switch (format) {
      case TABLE -> printer.table();
      case CSV -> printer.csv();
      case JSON -> printer.json();
      case PLAIN -> printer.plain();
    }
    out.flush();
  }

  private @Nullable String[] row() throws SQLException {
    @Nullable String[] values = new String[columns];
    for (int i = 0; i < columns; i++) {
      values[i] = text(i + 1);
    }
    return values;
  }

  private @Nullable String text(int column) throws SQLException {
    Object value = rows.getObject(column);
    if (value == null) {
      return null;
    }
    return value instanceof byte[] bytes
        ? java.util.HexFormat.of().formatHex(bytes)
        : rows.getString(column);
  }

  private void table() throws SQLException, IOException {
    List<@Nullable String[]> sample = new ArrayList<>();
    while (sample.size() < SAMPLE && rows.next()) {
      sample.add(row());
    }
    int[] widths = new int[columns];
    for (int i = 0; i < columns; i++) {
      widths[i] = Math.max(1, names[i].length());
      for (@Nullable String[] row : sample) {
        widths[i] = Math.max(widths[i], shown(row[i]).length());
      }
    }
    line(names, widths, true);
    StringBuilder rule = new StringBuilder();
    for (int i = 0; i < columns; i++) {
      rule.append(i == 0 ? "" : "+").append("-".repeat(widths[i] + 2));
    }
    out.append(rule).append('\n');
    for (@Nullable String[] row : sample) {
      line(row, widths, false);
    }
    long count = sample.size();
    if (count == SAMPLE) {
      while (rows.next()) {
        line(row(), widths, false);
        count++;
      }
    }
    out.append("(%d row%s)\n".formatted(count, count == 1 ? "" : "s"));
  }

  private static String shown(@Nullable String value) {
    return value == null ? "NULL" : value.replace("\n", "\\n");
  }

  private void line(@Nullable String[] values, int[] widths, boolean header) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < columns; i++) {
      String value = shown(values[i]);
      String blanks = " ".repeat(Math.max(0, widths[i] - value.length()));
      boolean right = numeric[i] && !header;
      line.append(i == 0 ? " " : "| ").append(right ? blanks : "").append(value);
      line.append(right ? "" : blanks).append(' ');
    }
    out.append(line.toString().stripTrailing()).append('\n');
  }

  private void csv() throws SQLException, IOException {
    for (int i = 0; i < columns; i++) {
      out.append(i == 0 ? "" : ",").append(csv(names[i]));
    }
    out.append("\r\n");
    while (rows.next()) {
      @Nullable String[] row = row();
      for (int i = 0; i < columns; i++) {
        String value = row[i];
        out.append(i == 0 ? "" : ",").append(value == null ? "" : csv(value));
      }
      out.append("\r\n");
    }
  }

  /** An empty text is quoted, so that it differs from null. */
  private static String csv(String value) {
    boolean plain =
        !value.isEmpty()
            && value.chars().noneMatch(c -> c == ',' || c == '"' || c == '\n' || c == '\r');
    return plain ? value : '"' + value.replace("\"", "\"\"") + '"';
  }

  private void json() throws SQLException, IOException {
    while (rows.next()) {
      StringBuilder line = new StringBuilder("{");
      for (int i = 0; i < columns; i++) {
        line.append(i == 0 ? "" : ",");
        quote(names[i], line);
        line.append(':');
        json(i + 1, line);
      }
      out.append(line.append("}\n"));
    }
  }

  private void json(int column, StringBuilder line) throws SQLException {
    Object value = rows.getObject(column);
    if (value == null) {
      line.append("null");
    } else if (value instanceof Boolean || value instanceof Number && isFinite(value)) {
      line.append(value instanceof java.math.BigDecimal d ? d.toPlainString() : value.toString());
    } else {
      quote(String.valueOf(text(column)), line);
    }
  }

  private static boolean isFinite(Object value) {
    return !(value instanceof Double || value instanceof Float)
        || Double.isFinite(((Number) value).doubleValue());
  }

  private static void quote(String value, StringBuilder line) {
    line.append('"');
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      switch (c) {
        case '"' -> line.append("\\\"");
        case '\\' -> line.append("\\\\");
        case '\n' -> line.append("\\n");
        case '\r' -> line.append("\\r");
        case '\t' -> line.append("\\t");
        default -> {
          if (c < ' ') {
            line.append("\\u%04x".formatted((int) c));
          } else {
            line.append(c);
          }
        }
      }
    }
    line.append('"');
  }

  private void plain() throws SQLException, IOException {
    while (rows.next()) {
      String value = rows.getString(1);
      out.append(value == null ? "" : value.stripTrailing()).append('\n');
    }
  }
}
