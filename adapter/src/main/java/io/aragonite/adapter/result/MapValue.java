package io.aragonite.adapter.result;

import io.aragonite.adapter.execution.Execution;
import io.aragonite.adapter.execution.RawMapType;
import io.aragonite.adapter.metadata.MemoryResultSet;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.TimeZone;
import org.apache.calcite.avatica.ColumnMetaData;
import org.jspecify.annotations.Nullable;

/**
 * A map whose keys and values are as {@link ResultSet#getObject} has them: they are read as the
 * columns of a small result are.
 */
final class MapValue extends LinkedHashMap<@Nullable Object, @Nullable Object> {
  private static final long serialVersionUID = 1;

  private final transient Map<?, ?> internal;

  private MapValue(Map<?, ?> internal) {
    this.internal = internal;
  }

  /** The same in Calcite's internal form. */
  Map<?, ?> internal() {
    return internal;
  }

  /** What a column's maps are of; null if it has none. */
  static @Nullable RawMapType type(int column, Execution execution) {
    List<ColumnMetaData> columns = execution.columns();
    return column > 0
            && column <= columns.size()
            && columns.get(column - 1).type instanceof RawMapType type
        ? type
        : null;
  }

  /**
   * Reads a map.
   *
   * @param map in Calcite's internal form
   * @param zone where dates and times are read
   */
  static MapValue of(Map<?, ?> map, RawMapType type, TimeZone zone) throws SQLException {
    MapValue read = new MapValue(map);
    try (ResultSet entries = entries(map, type, zone)) {
      while (entries.next()) {
        read.put(entries.getObject(1), entries.getObject(2));
      }
    }
    return read;
  }

  /** The keys and values as getString has them, in braces. */
  static String text(Map<?, ?> map, RawMapType type, TimeZone zone) throws SQLException {
    StringJoiner text = new StringJoiner(", ", "{", "}");
    try (ResultSet entries = entries(map, type, zone)) {
      while (entries.next()) {
        text.add(entries.getString(1) + "=" + entries.getString(2));
      }
    }
    return text.toString();
  }

  private static ResultSet entries(Map<?, ?> map, RawMapType type, TimeZone zone)
      throws SQLException {
    List<Object> rows = new ArrayList<>();
    map.forEach((key, value) -> rows.add(new @Nullable Object[] {key, value}));
    List<ColumnMetaData> columns =
        List.of(ArrayValue.column(0, type.key()), ArrayValue.column(1, type.value()));
    Execution run = new Execution(null);
    run.columns(columns);
    return new ResultSetGuard(MemoryResultSet.of(columns, rows, zone), null, run, () -> {});
  }
}
