package io.aragonite.adapter.result;

import io.aragonite.adapter.error.SqlErrors;
import io.aragonite.adapter.execution.ClientRequest;
import io.aragonite.adapter.execution.Execution;
import io.aragonite.adapter.execution.RawArrayType;
import io.aragonite.adapter.metadata.ColumnsGuard;
import io.aragonite.adapter.metadata.MemoryResultSet;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.math.BigDecimal;
import java.sql.Array;
import java.sql.DatabaseMetaData;
import java.sql.Date;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Struct;
import java.sql.Time;
import java.sql.Timestamp;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.TimeZone;
import org.apache.calcite.avatica.ColumnMetaData;
import org.apache.calcite.avatica.ColumnMetaData.AvaticaType;
import org.apache.calcite.avatica.MetaImpl;
import org.apache.calcite.rel.type.RelDataType;
import org.jspecify.annotations.Nullable;

/**
 * An SQL array. It is a small result: its elements are read as the values of a column are, whatever
 * their type, arrays among them.
 */
public final class ArrayValue implements Array {
  private static final ColumnMetaData INDEX =
      MetaImpl.columnMetaData("INDEX", 0, Integer.class, false);

  private static final AvaticaType TEXT =
      ColumnMetaData.scalar(Types.VARCHAR, "VARCHAR", ColumnMetaData.Rep.STRING);

  private static final int MILLISECONDS = 3;

  private final AvaticaType element;
  private final ColumnMetaData value;
  private final TimeZone zone;
  private @Nullable List<@Nullable Object> values;

  /**
   * @param values in Calcite's internal form
   * @param element their type
   * @param zone where dates and times are read
   */
  ArrayValue(List<@Nullable Object> values, AvaticaType element, TimeZone zone) {
    this.values = values;
    this.element = element;
    this.value = column(1, element);
    this.zone = zone;
  }

  /**
   * A column of elements. Of dates and times nobody knows the precision: it is the finest.
   *
   * @param ordinal from 0
   */
  static ColumnMetaData column(int ordinal, AvaticaType element) {
    String name = "VALUE";
    return new ColumnMetaData(
        ordinal,
        false,
        true,
        true,
        false,
        DatabaseMetaData.columnNullable,
        true,
        -1,
        name,
        name,
        null,
        MILLISECONDS,
        0,
        null,
        null,
        element,
        true,
        false,
        false,
        element.columnClassName());
  }

  /** The array of a column; null for a null. */
  static @Nullable Array of(ResultSet rows, int column, Execution execution, TimeZone zone)
      throws SQLException {
    Array array = rows.getArray(column);
    List<ColumnMetaData> columns = execution.columns();
    if (array == null
        || column > columns.size()
        || !(columns.get(column - 1).type instanceof RawArrayType type)
        || !(array.getArray() instanceof Object[] values)) {
      return array;
    }
    return ClientRequest.isNarrow() && type.element().getName().equals(ColumnsGuard.UUID)
        ? new ArrayValue(texts(values), TEXT, zone)
        : new ArrayValue(Arrays.asList(values), type.element(), zone);
  }

  /**
   * An array of values that a program has given.
   *
   * @param values in Calcite's internal form
   * @param zone where dates and times are read
   */
  public static Array of(List<@Nullable Object> values, RelDataType element, TimeZone zone) {
    return new ArrayValue(values, RawArrayType.of(element), zone);
  }

  /** Of values that the server's protocol does not have. */
  private static List<@Nullable Object> texts(@Nullable Object[] values) {
    List<@Nullable Object> texts = new ArrayList<>();
    for (Object value : values) {
      texts.add(value == null ? null : value.toString());
    }
    return texts;
  }

  @Override
  public String getBaseTypeName() throws SQLException {
    return checked(element.getName());
  }

  @Override
  public int getBaseType() throws SQLException {
    return checked(element.id);
  }

  /**
   * The elements as an array of the class that getObject has for their type: {@code Integer[]},
   * {@code String[]}, {@code Integer[][]}.
   */
  @Override
  public Object getArray() throws SQLException {
    return elements(1, size());
  }

  @Override
  public Object getArray(@Nullable Map<String, Class<?>> map) throws SQLException {
    requireNoTypes(map);
    return getArray();
  }

  @Override
  public Object getArray(long index, int count) throws SQLException {
    return elements(index, count);
  }

  @Override
  public Object getArray(long index, int count, @Nullable Map<String, Class<?>> map)
      throws SQLException {
    requireNoTypes(map);
    return getArray(index, count);
  }

  @Override
  public ResultSet getResultSet() throws SQLException {
    return rows(1, size());
  }

  @Override
  public ResultSet getResultSet(@Nullable Map<String, Class<?>> map) throws SQLException {
    requireNoTypes(map);
    return getResultSet();
  }

  @Override
  public ResultSet getResultSet(long index, int count) throws SQLException {
    return rows(index, count);
  }

  @Override
  public ResultSet getResultSet(long index, int count, @Nullable Map<String, Class<?>> map)
      throws SQLException {
    requireNoTypes(map);
    return getResultSet(index, count);
  }

  @Override
  public void free() {
    values = null;
  }

  /** The elements as getString has them, in brackets. */
  String text() throws SQLException {
    StringJoiner text = new StringJoiner(", ", "[", "]");
    try (ResultSet rows = getResultSet()) {
      while (rows.next()) {
        text.add(String.valueOf(rows.getString(2)));
      }
    }
    return text.toString();
  }

  @Override
  public String toString() {
    try {
      return text();
    } catch (SQLException e) {
      return "an array that cannot be read: " + e.getMessage();
    }
  }

  private <V> V checked(V value) throws SQLException {
    present();
    return value;
  }

  private List<@Nullable Object> present() throws SQLException {
    List<@Nullable Object> present = values;
    if (present == null) {
      throw wrong("The array was freed; read it before.");
    }
    return present;
  }

  /** The elements in Calcite's internal form. */
  List<@Nullable Object> internal() throws SQLException {
    return present();
  }

  private int size() throws SQLException {
    return present().size();
  }

  private static SQLException wrong(String sentence) {
    return SqlErrors.of(new AragoniteException(ErrorCode.INVALID_CALL, sentence));
  }

  /** A map of types means nothing here, whose types are all of SQL. */
  static void requireNoTypes(@Nullable Map<String, Class<?>> map) throws SQLException {
    if (map != null && !map.isEmpty()) {
      throw wrong("There are no types of users that values could be mapped to; leave the map out.");
    }
  }

  private Object elements(long index, int count) throws SQLException {
    try (ResultSet rows = rows(index, count)) {
      Object elements = java.lang.reflect.Array.newInstance(javaClass(element), count);
      for (int i = 0; rows.next(); i++) {
        Object value = rows.getObject(2);
        java.lang.reflect.Array.set(
            elements, i, value instanceof Array nested ? nested.getArray() : value);
      }
      return elements;
    }
  }

  /** The class of what {@link #elements} has for a type. */
  private static Class<?> javaClass(AvaticaType type) {
    return switch (type.id) {
      case Types.BOOLEAN, Types.BIT -> Boolean.class;
      case Types.TINYINT -> Byte.class;
      case Types.SMALLINT -> Short.class;
      case Types.INTEGER -> Integer.class;
      case Types.BIGINT -> Long.class;
      case Types.REAL -> Float.class;
      case Types.FLOAT, Types.DOUBLE -> Double.class;
      case Types.DECIMAL, Types.NUMERIC -> BigDecimal.class;
      case Types.CHAR, Types.VARCHAR -> String.class;
      case Types.BINARY, Types.VARBINARY -> byte[].class;
      case Types.DATE -> Date.class;
      case Types.TIME -> Time.class;
      case Types.TIMESTAMP -> Timestamp.class;
      case Types.STRUCT -> Struct.class;
      case Types.ARRAY ->
          type instanceof RawArrayType array
              ? javaClass(array.element()).arrayType()
              : Object.class;
      default -> Object.class;
    };
  }

  private ResultSet rows(long index, int count) throws SQLException {
    List<@Nullable Object> present = present();
    if (index < 1 || count < 0 || index - 1 + count > present.size()) {
      throw wrong(
          "An array of %d elements has none from %d, %d of them; the first is 1."
              .formatted(present.size(), index, count));
    }
    List<Object> pairs = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      int at = (int) index + i;
      pairs.add(new @Nullable Object[] {at, present.get(at - 1)});
    }
    List<ColumnMetaData> columns = List.of(INDEX, value);
    ResultSet rows = MemoryResultSet.of(columns, pairs, zone);
    Execution run = new Execution(null);
    run.columns(columns);
    return new ResultSetGuard(rows, null, run, () -> {});
  }
}
