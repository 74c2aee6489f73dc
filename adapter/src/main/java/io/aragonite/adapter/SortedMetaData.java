package io.aragonite.adapter;

import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.avatica.AvaticaResultSet;
import org.apache.calcite.avatica.ColumnMetaData;
import org.apache.calcite.avatica.Meta;
import org.apache.calcite.avatica.MetaImpl;
import org.jspecify.annotations.Nullable;

/** Puts metadata in the order that JDBC promises; Calcite's comes in none. */
final class SortedMetaData {
  private SortedMetaData() {}

  /**
   * The same result set with its rows sorted.
   *
   * @param keys names of columns of texts or whole numbers
   */
  static ResultSet of(ResultSet rows, String... keys) throws SQLException {
    if (!(rows instanceof AvaticaResultSet avatica)) {
      return rows;
    }
    ResultSetMetaData metaData = rows.getMetaData();
    List<ColumnMetaData> columns = new ArrayList<>();
    List<String> names = new ArrayList<>();
    for (int i = 1; i <= metaData.getColumnCount(); i++) {
      names.add(metaData.getColumnLabel(i));
      columns.add(
          MetaImpl.columnMetaData(
              metaData.getColumnLabel(i), i - 1, type(metaData.getColumnClassName(i)), true));
    }
    List<@Nullable Object[]> all = new ArrayList<>();
    while (rows.next()) {
      @Nullable Object[] row = new Object[columns.size()];
      for (int i = 0; i < row.length; i++) {
        row[i] = rows.getObject(i + 1);
      }
      all.add(row);
    }
    // a stable sort by each key, the last one first
    for (String key : List.of(keys).reversed()) {
      int column = names.indexOf(key);
      all.sort((a, b) -> compare(a[column], b[column]));
    }
    return avatica.execute2(
        MetaImpl.createCursor(Meta.CursorFactory.ARRAY, new ArrayList<Object>(all)), columns);
  }

  private static Class<?> type(String className) {
    return switch (className) {
      case "java.lang.Integer", "int" -> Integer.class;
      case "java.lang.Short", "short" -> Short.class;
      case "java.lang.Long", "long" -> Long.class;
      case "java.lang.Boolean", "boolean" -> Boolean.class;
      default -> String.class;
    };
  }

  private static int compare(@Nullable Object a, @Nullable Object b) {
    if (a == null || b == null) {
      return Boolean.compare(a != null, b != null);
    }
    return a instanceof Number x && b instanceof Number y
        ? Long.compare(x.longValue(), y.longValue())
        : a.toString().compareTo(b.toString());
  }
}
