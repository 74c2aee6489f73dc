package io.aragonite.adapter.shell;

import java.io.IOException;
import java.io.Writer;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Prints rows as a table. The first rows decide how wide columns are; they become wider where later
 * ones need it. Where the terminal is narrower, long values are cut, numbers last; columns in the
 * middle are left out where even that is not enough.
 */
final class TablePrinter {
  /** Rows that are looked at together. */
  private static final int SAMPLE = 1000;

  private final PrintedRows rows;
  private final List<PrintedRows.PrintedColumn> columns;
  private final PrintStyle style;
  private final Writer out;

  /** Columns that a value is kept with. */
  private final int most;

  TablePrinter(PrintedRows rows, PrintStyle style, Writer out) {
    this.rows = rows;
    this.columns = rows.columns();
    this.style = style;
    this.out = out;
    this.most = style.width() == 0 ? Integer.MAX_VALUE : style.width();
  }

  /** What stands below a table. */
  static String counted(long rows, String more) {
    return "(%d row%s%s)".formatted(rows, rows == 1 ? "" : "s", more);
  }

  long print() throws SQLException, IOException {
    int count = columns.size();
    String[] names = new String[count];
    String[] types = new String[count];
    int[] natural = new int[count];
    boolean[] numeric = new boolean[count];
    for (int i = 0; i < count; i++) {
      PrintedRows.PrintedColumn column = columns.get(i);
      names[i] = DisplayText.shown(column.name(), most);
      types[i] = DisplayText.shown(column.type(), most);
      natural[i] = Math.max(1, DisplayText.width(names[i]));
      if (style.types()) {
        natural[i] = Math.max(natural[i], DisplayText.width(types[i]));
      }
      numeric[i] = column.numeric();
    }
    long total = 0;
    boolean more = true;
    TableLayout layout = TableLayout.of(natural, numeric, style.width());
    do {
      List<String[]> some = new ArrayList<>();
      more = collect(some, natural);
      layout =
          total == 0
              ? TableLayout.of(natural, numeric, style.width())
              : layout.fit(natural, numeric, style.width());
      if (total == 0 && count > 0) {
        line(names, layout, false);
        if (style.types()) {
          line(types, layout, false);
        }
        out.append(layout.rule()).append('\n');
      }
      for (String[] row : some) {
        line(row, layout, true);
      }
      total += some.size();
    } while (more);
    String shown =
        layout.leavesOut() ? ", %d of %d columns shown".formatted(layout.shown(), count) : "";
    out.append(counted(total, shown)).append('\n');
    return total;
  }

  /** Takes some rows, and widens columns by them; false if they are the last ones. */
  private boolean collect(List<String[]> some, int[] natural) throws SQLException {
    while (some.size() < SAMPLE) {
      if (!rows.next()) {
        return false;
      }
      String[] row = row();
      for (int i = 0; i < row.length; i++) {
        natural[i] = Math.max(natural[i], DisplayText.width(row[i]));
      }
      some.add(row);
    }
    return true;
  }

  private String[] row() throws SQLException {
    String[] row = new String[columns.size()];
    for (int i = 0; i < row.length; i++) {
      row[i] = ResultPrinter.cell(rows.text(i), most);
    }
    return row;
  }

  private void line(@Nullable String[] values, TableLayout layout, boolean right)
      throws IOException {
    if (values.length == 0) {
      out.append('\n');
      return;
    }
    StringBuilder line = new StringBuilder();
    for (int place = 0; place < layout.places(); place++) {
      int column = layout.column(place);
      int width = layout.width(place);
      String value =
          column == TableLayout.LEFT_OUT ? DisplayText.ELLIPSIS : String.valueOf(values[column]);
      boolean atRight = right && column != TableLayout.LEFT_OUT && columns.get(column).numeric();
      if (style.width() > 0) {
        value = DisplayText.shown(value, width);
      }
      String blanks = " ".repeat(Math.max(0, width - DisplayText.width(value)));
      line.append(place == 0 ? " " : "| ").append(atRight ? blanks : "").append(value);
      line.append(atRight ? "" : blanks).append(' ');
    }
    out.append(line.toString().stripTrailing()).append('\n');
  }
}
