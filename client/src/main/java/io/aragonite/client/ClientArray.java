package io.aragonite.client;

import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TimeZone;
import org.apache.calcite.avatica.AvaticaResultSetMetaData;
import org.apache.calcite.avatica.ColumnMetaData;
import org.apache.calcite.avatica.ColumnMetaData.Rep;
import org.apache.calcite.avatica.Meta;
import org.apache.calcite.avatica.QueryState;
import org.apache.calcite.avatica.util.DateTimeUtils;
import org.apache.calcite.avatica.util.ListIteratorCursor;
import org.jspecify.annotations.Nullable;

/**
 * Dates, times or moments, read as those of a row are: the texts and the java.sql values that
 * Avatica makes of their numbers are hours off where clocks change.
 */
final class ClientArray implements Array {
  /** Digits of a second that Avatica's protocol has. */
  private static final int MILLISECONDS = 3;

  private final ColumnMetaData.AvaticaType type;
  private final TimeZone zone;
  private List<?> counts;

  /**
   * @param type of the elements
   * @param counts days or milliseconds, as they came
   * @param zone of the session
   */
  ClientArray(ColumnMetaData.AvaticaType type, List<?> counts, TimeZone zone) {
    this.type = type;
    this.counts = counts;
    this.zone = zone;
  }

  static boolean isMoment(int type) {
    return type == Types.DATE || type == Types.TIME || type == Types.TIMESTAMP;
  }

  @Override
  public String getBaseTypeName() {
    return type.name;
  }

  @Override
  public int getBaseType() {
    return type.id;
  }

  @Override
  public Object getArray() throws SQLException {
    return elements(counts);
  }

  @Override
  public Object getArray(@Nullable Map<String, Class<?>> map) throws SQLException {
    requireNoClasses(map);
    return getArray();
  }

  @Override
  public Object getArray(long index, int count) throws SQLException {
    return elements(part(index, count));
  }

  @Override
  public Object getArray(long index, int count, @Nullable Map<String, Class<?>> map)
      throws SQLException {
    requireNoClasses(map);
    return getArray(index, count);
  }

  @Override
  public ResultSet getResultSet() throws SQLException {
    return rows(counts, 1);
  }

  @Override
  public ResultSet getResultSet(@Nullable Map<String, Class<?>> map) throws SQLException {
    requireNoClasses(map);
    return getResultSet();
  }

  @Override
  public ResultSet getResultSet(long index, int count) throws SQLException {
    return rows(part(index, count), (int) index);
  }

  @Override
  public ResultSet getResultSet(long index, int count, @Nullable Map<String, Class<?>> map)
      throws SQLException {
    requireNoClasses(map);
    return getResultSet(index, count);
  }

  @Override
  public void free() {
    counts = List.of();
  }

  private static void requireNoClasses(@Nullable Map<String, Class<?>> map) throws SQLException {
    if (map != null && !map.isEmpty()) {
      throw new SQLFeatureNotSupportedException(
          "Elements of an array have the classes of their types; pass no map.", "0A000");
    }
  }

  private List<?> part(long index, int count) throws SQLException {
    if (index < 1 || count < 0 || index - 1 + count > counts.size()) {
      throw new SQLException(
          "There are no %d elements from the %d. on; the array has %d."
              .formatted(count, index, counts.size()),
          "2202E");
    }
    return counts.subList((int) index - 1, (int) index - 1 + count);
  }

  private Object[] elements(List<?> wanted) throws SQLException {
    Object[] elements = new Object[wanted.size()];
    try (ResultSet rows = rows(wanted, 1)) {
      for (int i = 0; rows.next(); i++) {
        elements[i] = rows.getObject(2);
      }
    }
    return elements;
  }

  /** A row for each element: its number and itself. */
  private ResultSet rows(List<?> wanted, int first) throws SQLException {
    List<ColumnMetaData> columns =
        List.of(
            ColumnMetaData.dummy(
                ColumnMetaData.scalar(Types.INTEGER, "INTEGER", Rep.PRIMITIVE_INT), false),
            elementColumn());
    List<List<Object>> rows = new ArrayList<>(wanted.size());
    for (Object element : wanted) {
      rows.add(Arrays.asList(first + rows.size(), element)); // List.of takes no nulls
    }
    Meta.Signature signature =
        new Meta.Signature(
            columns, "", List.of(), Map.of(), Meta.CursorFactory.LIST, Meta.StatementType.SELECT);
    ClientResultSet result =
        new ClientResultSet(
            null,
            new QueryState(""),
            signature,
            new AvaticaResultSetMetaData(null, null, signature),
            zone,
            new Meta.Frame(0, true, new ArrayList<>(rows)));
    result.execute2(new ListIteratorCursor(rows.iterator()), columns);
    return result;
  }

  /** The column of the elements: Avatica's texts have as many digits of a second as it says. */
  private ColumnMetaData elementColumn() {
    ColumnMetaData column = ColumnMetaData.dummy(type, true);
    return new ColumnMetaData(
        column.ordinal,
        column.autoIncrement,
        column.caseSensitive,
        column.searchable,
        column.currency,
        column.nullable,
        column.signed,
        column.displaySize,
        column.label,
        column.columnName,
        column.schemaName,
        MILLISECONDS,
        column.scale,
        column.tableName,
        column.catalogName,
        column.type,
        column.readOnly,
        column.writable,
        column.definitelyWritable,
        column.columnClassName);
  }

  /** Of the numbers that came: java.sql's classes cannot say all dates and times. */
  @Override
  public String toString() {
    List<String> texts = new ArrayList<>(counts.size());
    for (Object element : counts) {
      texts.add(element instanceof Number count ? text(count) : String.valueOf(element));
    }
    return texts.toString();
  }

  private String text(Number count) {
    if (type.id == Types.DATE) {
      return DateTimeUtils.unixDateToString(count.intValue());
    }
    return ClientResultSet.withoutZeros(
        type.id == Types.TIME
            ? DateTimeUtils.unixTimeToString(count.intValue(), MILLISECONDS)
            : DateTimeUtils.unixTimestampToString(count.longValue(), MILLISECONDS));
  }
}
