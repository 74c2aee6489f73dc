package io.aragonite.adapter.result;

import io.aragonite.adapter.execution.Execution;
import io.aragonite.adapter.execution.RawStructType;
import io.aragonite.adapter.metadata.MemoryResultSet;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Struct;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.TimeZone;
import org.apache.calcite.avatica.ColumnMetaData;
import org.jspecify.annotations.Nullable;

/** An SQL row. It is a small result: its fields are read as the values of a row's columns are. */
final class StructValue implements Struct {
  /** What Calcite's names of columns begin with that have none. */
  private static final String UNNAMED = "EXPR$";

  private final @Nullable Object[] values;
  private final RawStructType type;
  private final TimeZone zone;

  private StructValue(@Nullable Object[] values, RawStructType type, TimeZone zone) {
    this.values = values;
    this.type = type;
    this.zone = zone;
  }

  /** A value of a column, which is an SQL row with its types if Avatica's has none. */
  static @Nullable Object of(@Nullable Object value, int column, Execution execution, TimeZone zone)
      throws SQLException {
    List<ColumnMetaData> columns = execution.columns();
    return value instanceof Struct struct
            && column <= columns.size()
            && columns.get(column - 1).type instanceof RawStructType type
        ? new StructValue(struct.getAttributes(), type, zone)
        : value;
  }

  /** The fields in Calcite's internal form. */
  @Nullable Object[] internal() {
    return values;
  }

  @Override
  public String getSQLTypeName() {
    return "ROW";
  }

  @Override
  @SuppressWarnings("NullAway") // JDBC's attributes may be null
  public Object[] getAttributes() throws SQLException {
    Object[] attributes = new Object[values.length];
    try (ResultSet row = row()) {
      for (int i = 0; i < values.length; i++) {
        attributes[i] = row.getObject(i + 1);
      }
    }
    return attributes;
  }

  @Override
  public Object[] getAttributes(@Nullable Map<String, Class<?>> map) throws SQLException {
    ArrayValue.requireNoTypes(map);
    return getAttributes();
  }

  /** The fields as getString has them, in braces, with their names if the query has named them. */
  String text() throws SQLException {
    StringJoiner text = new StringJoiner(", ", "{", "}");
    try (ResultSet row = row()) {
      for (int i = 0; i < values.length; i++) {
        String name = type.fields().get(i).columnName;
        boolean named = name != null && !name.startsWith(UNNAMED);
        text.add((named ? "'%s': ".formatted(name) : "") + row.getString(i + 1));
      }
    }
    return text.toString();
  }

  @Override
  public String toString() {
    try {
      return text();
    } catch (SQLException e) {
      return "a row that cannot be read: " + e.getMessage();
    }
  }

  private ResultSet row() throws SQLException {
    List<ColumnMetaData> fields = type.fields();
    ResultSet rows = MemoryResultSet.of(fields, Collections.<Object>singletonList(values), zone);
    Execution run = new Execution(null);
    run.columns(fields);
    ResultSet row = new ResultSetGuard(rows, null, run, () -> {});
    row.next();
    return row;
  }
}
