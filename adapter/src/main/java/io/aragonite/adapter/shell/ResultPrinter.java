package io.aragonite.adapter.shell;

import io.aragonite.adapter.copy.CsvQuotes;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Prints rows in the formats that are texts. */
final class ResultPrinter {
  private static final byte[] NULL_TEXT = {};
  private static final Pattern LINE_END = Pattern.compile("\\r?\\n");

  /** What would be read as a character that is named. */
  private static final Pattern ENTITY = Pattern.compile("&(?=#?\\w+;)");

  private final PrintedRows rows;
  private final List<PrintedRows.PrintedColumn> columns;
  private final PrintStyle style;
  private final Writer out;

  private ResultPrinter(PrintedRows rows, PrintStyle style, Writer out) {
    this.rows = rows;
    this.columns = rows.columns();
    this.style = style;
    this.out = out;
  }

  /**
   * Prints all rows.
   *
   * @return how many
   */
  static long print(PrintedRows rows, PrintStyle style, Writer out)
      throws SQLException, IOException {
    ResultPrinter printer = new ResultPrinter(rows, style, out);
    long count =
        switch (style.format()) {
          case TABLE, PARQUET, ARROW -> new TablePrinter(rows, style, out).print();
          case VERTICAL -> printer.vertical();
          case CSV -> printer.csv();
          case TSV -> printer.tsv();
          case MARKDOWN -> printer.markdown();
          case JSON -> printer.json(true);
          case JSONLINES -> printer.json(false);
          case PLAIN -> printer.plain();
        };
    out.flush();
    return count;
  }

  /** What a table for people to read shows of a value; null differs from the text NULL. */
  static String cell(@Nullable String value, int most) {
    if (value == null) {
      return "NULL";
    }
    return DisplayText.shown(isLikeNull(value) ? "'" + value + "'" : value, most);
  }

  /** Whether a text is NULL, perhaps in quotes. */
  private static boolean isLikeNull(String value) {
    int from = 0;
    int to = value.length();
    while (to - from > 4 && value.charAt(from) == '\'' && value.charAt(to - 1) == '\'') {
      from++;
      to--;
    }
    return to - from == 4 && value.startsWith("NULL", from);
  }

  private long vertical() throws SQLException, IOException {
    int width = 0;
    String[] names = new String[columns.size()];
    for (int i = 0; i < names.length; i++) {
      names[i] = DisplayText.shown(columns.get(i).name());
      width = Math.max(width, DisplayText.width(names[i]));
    }
    long count = 0;
    while (rows.next()) {
      out.append("-[ row " + ++count + " ]-\n");
      for (int i = 0; i < names.length; i++) {
        out.append(names[i]).append(" ".repeat(width - DisplayText.width(names[i])));
        out.append(" | ").append(cell(rows.text(i), Integer.MAX_VALUE)).append('\n');
      }
    }
    out.append(TablePrinter.counted(count, "")).append('\n');
    return count;
  }

  private long csv() throws SQLException, IOException {
    for (int i = 0; i < columns.size(); i++) {
      out.append(i == 0 ? "" : ",").append(csv(raw(columns.get(i).name())));
    }
    out.append("\r\n");
    long count = 0;
    while (rows.next()) {
      for (int i = 0; i < columns.size(); i++) {
        String value = rows.text(i);
        out.append(i == 0 ? "" : ",").append(value == null ? "" : csv(raw(value)));
      }
      out.append("\r\n");
      count++;
    }
    return count;
  }

  /** As COPY has it: an empty text is quoted, so that it differs from null. */
  private static String csv(String value) {
    boolean quoted =
        CsvQuotes.areNeeded(value.getBytes(StandardCharsets.UTF_8), ',', '"', NULL_TEXT);
    return quoted ? '"' + value.replace("\"", "\"\"") + '"' : value;
  }

  private long tsv() throws SQLException, IOException {
    for (int i = 0; i < columns.size(); i++) {
      out.append(i == 0 ? "" : "\t").append(tsv(columns.get(i).name()));
    }
    out.append('\n');
    long count = 0;
    while (rows.next()) {
      for (int i = 0; i < columns.size(); i++) {
        String value = rows.text(i);
        out.append(i == 0 ? "" : "\t").append(value == null ? "\\N" : tsv(value));
      }
      out.append('\n');
      count++;
    }
    return count;
  }

  /** Without tabs and ends of lines, as PostgreSQL's COPY has it. */
  private String tsv(String value) {
    return raw(
        value.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r"));
  }

  private long markdown() throws SQLException, IOException {
    for (PrintedRows.PrintedColumn column : columns) {
      out.append("| ").append(markdown(column.name())).append(' ');
    }
    out.append("|\n");
    for (PrintedRows.PrintedColumn column : columns) {
      out.append(column.numeric() ? "|---:" : "|---");
    }
    out.append("|\n");
    long count = 0;
    while (rows.next()) {
      for (int i = 0; i < columns.size(); i++) {
        String value = rows.text(i);
        out.append("| ").append(value == null ? "NULL" : markdown(value)).append(' ');
      }
      out.append("|\n");
      count++;
    }
    return count;
  }

  private static String markdown(String value) {
    List<String> lines = new ArrayList<>();
    for (String line : LINE_END.split(value, -1)) {
      String escaped =
          ENTITY.matcher(line.replace("\\", "\\\\").replace("|", "\\|")).replaceAll("&amp;");
      lines.add(cell(escaped.replace("<", "&lt;"), Integer.MAX_VALUE));
    }
    return String.join("<br>", lines);
  }

  private long json(boolean array) throws SQLException, IOException {
    long count = 0;
    List<String> names =
        JsonCells.distinct(columns.stream().map(PrintedRows.PrintedColumn::name).toList());
    while (rows.next()) {
      if (array) {
        out.append(count == 0 ? "[\n" : ",\n");
      }
      StringBuilder line = new StringBuilder("{");
      for (int i = 0; i < columns.size(); i++) {
        line.append(i == 0 ? "" : ",");
        JsonCells.quote(names.get(i), line);
        line.append(':');
        json(i, line);
      }
      out.append(line.append('}'));
      if (!array) {
        out.append('\n');
      }
      count++;
    }
    if (array) {
      out.append(count == 0 ? "[]\n" : "\n]\n");
    }
    return count;
  }

  private void json(int column, StringBuilder line) throws SQLException {
    Object value = rows.value(column);
    if (value == null) {
      line.append("null");
    } else {
      JsonCells.write(value, rows.text(column), line);
    }
  }

  private long plain() throws SQLException, IOException {
    long count = 0;
    while (rows.next()) {
      String value = columns.isEmpty() ? null : rows.text(0);
      out.append(value == null ? "" : raw(value.stripTrailing())).append('\n');
      count++;
    }
    return count;
  }

  /** A value as it is; on a terminal without what that would act on. */
  private String raw(String value) {
    return style.terminal() ? DisplayText.lines(value) : value;
  }
}
