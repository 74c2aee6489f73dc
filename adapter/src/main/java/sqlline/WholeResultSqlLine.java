package sqlline;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * sqlline that never leaves out a part of a result. Its tables end where the terminal does, without
 * a word. Here a table that is wider is shown with a line for each column, as psql does with {@code
 * \x auto}; a single column is left to the terminal to wrap.
 */
public abstract class WholeResultSqlLine extends SqlLine {
  /** Wider than any row. */
  private static final int UNLIMITED = 1 << 28;

  private static final int EDGES = 4;
  private static final int BETWEEN = 3;
  private static final Set<String> TABLES = Set.of("table", "ansiconsole");

  @Override
  int print(ResultSet rs, DispatchCallback callback) throws SQLException {
    String format = getOpts().getOutputFormat();
    if (!TABLES.contains(format) || getOpts().getIncremental()) {
      return super.print(rs, callback);
    }
    HeldRows rows = new HeldRows(this, rs);
    int width = getOpts().getMaxWidth();
    boolean fits = rows.width(getOpts().getMaxColumnWidth()) <= width || rows.columns() == 1;
    OutputFormat printer =
        Objects.requireNonNull(getOutputFormats().get(fits ? format : "vertical"));
    getOpts().set(BuiltInProperty.MAX_WIDTH, UNLIMITED);
    try {
      return printer.print(rows);
    } finally {
      getOpts().set(BuiltInProperty.MAX_WIDTH, width);
    }
  }

  /** Rows whose widths are known before the first is taken. */
  private static final class HeldRows extends BufferedRows {
    private @Nullable Row names;

    HeldRows(SqlLine sqlLine, ResultSet rs) throws SQLException {
      super(sqlLine, rs);
    }

    int columns() throws SQLException {
      return rsMeta.getColumnCount();
    }

    /** Columns of a terminal that the first rows take as a table. */
    long width(int maxColumnWidth) {
      normalizeWidths(maxColumnWidth);
      Row first = super.next();
      names = first;
      long width = EDGES + (long) BETWEEN * (first.sizes.length - 1);
      for (int size : first.sizes) {
        width += size;
      }
      return width;
    }

    @Override
    public boolean hasNext() {
      return names != null || super.hasNext();
    }

    @Override
    public Row next() {
      Row held = names;
      names = null;
      return held == null ? super.next() : held;
    }
  }
}
