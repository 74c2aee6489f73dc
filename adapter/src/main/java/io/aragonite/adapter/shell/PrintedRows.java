package io.aragonite.adapter.shell;

import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Rows that are printed, one after the other. Columns are counted from 0. */
interface PrintedRows {
  /**
   * A column.
   *
   * @param type as SQL has it
   * @param numeric whether its values stand at the right
   */
  record PrintedColumn(String name, String type, boolean numeric) {}

  List<PrintedColumn> columns();

  /** Goes to the next row; false behind the last one. */
  boolean next() throws SQLException;

  /** A value of the present row as a text. */
  @Nullable String text(int column) throws SQLException;

  /** A value of the present row as JDBC has it. */
  @Nullable Object value(int column) throws SQLException;
}
