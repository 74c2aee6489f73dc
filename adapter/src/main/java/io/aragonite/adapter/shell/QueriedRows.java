package io.aragonite.adapter.shell;

import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Rows of a result of JDBC. */
final class QueriedRows implements PrintedRows {
  private final ResultSet rows;
  private final Runnable begun;
  private boolean first = true;
  private final List<PrintedColumn> columns = new ArrayList<>();

  /**
   * @param begun called before the first row is handed out, or their end is
   */
  QueriedRows(ResultSet rows, Runnable begun) throws SQLException {
    this.rows = rows;
    this.begun = begun;
    ResultSetMetaData metaData = rows.getMetaData();
    for (int i = 1; i <= metaData.getColumnCount(); i++) {
      int type = metaData.getColumnType(i);
      String name = metaData.getColumnTypeName(i);
      if (type == Types.DECIMAL || type == Types.NUMERIC) {
        name = withDigits(name, metaData.getPrecision(i), "," + metaData.getScale(i));
      } else if (type == Types.CHAR || type == Types.BINARY) {
        name = withDigits(name, metaData.getPrecision(i), "");
      }
      columns.add(new PrintedColumn(metaData.getColumnLabel(i), name, isNumeric(type)));
    }
  }

  private static String withDigits(String name, int precision, String scale) {
    return name.indexOf('(') >= 0 || precision <= 0 ? name : name + "(" + precision + scale + ")";
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

  @Override
  public List<PrintedColumn> columns() {
    return columns;
  }

  @Override
  public boolean next() throws SQLException {
    boolean more = rows.next();
    if (first) {
      first = false;
      begun.run();
    }
    return more;
  }

  @Override
  public @Nullable String text(int column) throws SQLException {
    Object value = rows.getObject(column + 1);
    if (value == null) {
      return null;
    }
    return value instanceof byte[] bytes
        ? HexFormat.of().formatHex(bytes)
        : rows.getString(column + 1);
  }

  @Override
  public @Nullable Object value(int column) throws SQLException {
    return rows.getObject(column + 1);
  }
}
