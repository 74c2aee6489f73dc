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
  private final List<PrintedColumn> columns = new ArrayList<>();

  QueriedRows(ResultSet rows) throws SQLException {
    this.rows = rows;
    ResultSetMetaData metaData = rows.getMetaData();
    for (int i = 1; i <= metaData.getColumnCount(); i++) {
      int type = metaData.getColumnType(i);
      String name = metaData.getColumnTypeName(i);
      if (type == Types.DECIMAL || type == Types.NUMERIC) {
        name = withDigits(name, metaData.getPrecision(i), metaData.getScale(i));
      }
      columns.add(new PrintedColumn(metaData.getColumnLabel(i), name, isNumeric(type)));
    }
  }

  private static String withDigits(String name, int precision, int scale) {
    return name.indexOf('(') >= 0 || precision <= 0
        ? name
        : name + "(" + precision + "," + scale + ")";
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
    return rows.next();
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
