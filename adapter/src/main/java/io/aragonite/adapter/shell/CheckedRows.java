package io.aragonite.adapter.shell;

import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Rows between which somebody looks whether those before them could be printed. */
final class CheckedRows implements PrintedRows {
  private static final int BETWEEN = 1000;

  private final PrintedRows rows;
  private final Runnable check;
  private int count;

  /**
   * @param check called now and then; what it throws ends the rows
   */
  CheckedRows(PrintedRows rows, Runnable check) {
    this.rows = rows;
    this.check = check;
  }

  @Override
  public List<PrintedColumn> columns() {
    return rows.columns();
  }

  @Override
  public boolean next() throws SQLException {
    if (++count == BETWEEN) {
      count = 0;
      check.run();
    }
    return rows.next();
  }

  @Override
  public @Nullable String text(int column) throws SQLException {
    return rows.text(column);
  }

  @Override
  public @Nullable Object value(int column) throws SQLException {
    return rows.value(column);
  }
}
