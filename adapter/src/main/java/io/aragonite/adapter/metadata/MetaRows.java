package io.aragonite.adapter.metadata;

import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TimeZone;
import java.util.function.Function;
import java.util.function.Predicate;
import org.apache.calcite.avatica.ColumnMetaData;
import org.apache.calcite.avatica.MetaImpl;
import org.jspecify.annotations.Nullable;

/** Rows of {@link java.sql.DatabaseMetaData}: those that were asked for, in the order promised. */
public final class MetaRows {
  /** A column of the rows. */
  public record MetaColumn(String name, Class<?> type) {}

  private final List<MetaColumn> columns = new ArrayList<>();
  private final List<@Nullable Object[]> rows = new ArrayList<>();

  public MetaRows(List<MetaColumn> columns) {
    this.columns.addAll(columns);
  }

  /** What Calcite tells, which comes in no order. */
  public static MetaRows of(ResultSet given) throws SQLException {
    ResultSetMetaData metaData = given.getMetaData();
    List<MetaColumn> columns = new ArrayList<>();
    for (int i = 1; i <= metaData.getColumnCount(); i++) {
      columns.add(new MetaColumn(metaData.getColumnLabel(i), type(metaData.getColumnClassName(i))));
    }
    MetaRows all = new MetaRows(columns);
    while (given.next()) {
      @Nullable Object[] row = new Object[columns.size()];
      for (int i = 0; i < row.length; i++) {
        row[i] = given.getObject(i + 1);
      }
      all.rows.add(row);
    }
    given.close();
    return all;
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

  public MetaRows add(@Nullable Object... row) {
    rows.add(row);
    return this;
  }

  /** Adds rows of the same columns. */
  public MetaRows addAll(MetaRows others) {
    rows.addAll(others.rows);
    return this;
  }

  private int index(String column) {
    for (int i = 0; i < columns.size(); i++) {
      if (columns.get(i).name.equals(column)) {
        return i;
      }
    }
    throw new IllegalArgumentException(column);
  }

  /** Keeps rows whose text in a column passes. */
  public MetaRows keep(String column, Predicate<String> test) {
    int at = index(column);
    rows.removeIf(row -> !test.test(String.valueOf(row[at])));
    return this;
  }

  /** Gives rows a value in a column that others of their columns say. */
  public MetaRows fill(
      String column, List<String> keys, Function<List<String>, @Nullable Object> value) {
    int at = index(column);
    List<Integer> from = keys.stream().map(this::index).toList();
    for (@Nullable Object[] row : rows) {
      row[at] = value.apply(from.stream().map(key -> String.valueOf(row[key])).toList());
    }
    return this;
  }

  /** Gives all rows a value in a column. */
  public MetaRows set(String column, Object value) {
    int at = index(column);
    rows.forEach(row -> row[at] = value);
    return this;
  }

  /** Sorts by columns of texts or whole numbers. */
  public MetaRows sort(String... keys) {
    // a stable sort by each key, the last one first
    for (String key : List.of(keys).reversed()) {
      int column = index(key);
      rows.sort((a, b) -> compare(a[column], b[column]));
    }
    return this;
  }

  private static int compare(@Nullable Object a, @Nullable Object b) {
    if (a == null || b == null) {
      return Boolean.compare(a != null, b != null);
    }
    return a instanceof Number x && b instanceof Number y
        ? Long.compare(x.longValue(), y.longValue())
        : a.toString().compareTo(b.toString());
  }

  /**
   * What a pattern of metadata matches: {@code %} any text, {@code _} any character, a backslash
   * before one of these the character itself; whatever the case, as names in SQL. Null matches all.
   */
  public static Predicate<String> like(@Nullable String pattern) {
    if (pattern == null || pattern.equals("%")) {
      return name -> true;
    }
    StringBuilder regex = new StringBuilder("(?siu)");
    for (int i = 0; i < pattern.length(); i++) {
      char c = pattern.charAt(i);
      if (c == '%') {
        regex.append(".*");
      } else if (c == '_') {
        regex.append('.');
      } else {
        boolean escape = c == '\\' && i + 1 < pattern.length();
        char literal = escape ? pattern.charAt(++i) : c;
        regex.append(String.format(Locale.ROOT, "\\u%04x", (int) literal));
      }
    }
    return java.util.regex.Pattern.compile(regex.toString()).asMatchPredicate();
  }

  public ResultSet resultSet() throws SQLException {
    List<ColumnMetaData> types = new ArrayList<>();
    for (MetaColumn column : columns) {
      types.add(MetaImpl.columnMetaData(column.name, types.size(), column.type, true));
    }
    return MemoryResultSet.of(types, new ArrayList<Object>(rows), TimeZone.getDefault());
  }
}
