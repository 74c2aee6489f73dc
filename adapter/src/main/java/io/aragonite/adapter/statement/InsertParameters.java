package io.aragonite.adapter.statement;

import io.aragonite.exec.type.DataType;
import java.math.BigDecimal;
import java.sql.Date;
import java.sql.Time;
import java.sql.Timestamp;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.avatica.AvaticaParameter;

/**
 * The parameters of {@code INSERT INTO t VALUES (?, ?)}: those that are whole values have the types
 * of their columns, which the query alone does not know.
 */
final class InsertParameters {
  private InsertParameters() {}

  /**
   * The parameters with their types.
   *
   * @param query what the rows come from
   * @param places of the query's columns in the table
   * @param types of the table's columns
   * @param known what the query knows of them
   */
  static List<AvaticaParameter> described(
      String query, List<Integer> places, List<DataType> types, List<AvaticaParameter> known) {
    if (known.isEmpty()) {
      return known;
    }
    List<AvaticaParameter> described = new ArrayList<>(known);
    List<Integer> columns =
        ValueToken.of(query).stream()
            .filter(token -> token.text().equals("?"))
            .map(ValueToken::column)
            .toList();
    for (int i = 0; i < Math.min(columns.size(), known.size()); i++) {
      int column = columns.get(i);
      if (column >= 0 && column < places.size()) {
        described.set(i, parameter(types.get(places.get(column)), known.get(i).name));
      }
    }
    return described;
  }

  private static AvaticaParameter parameter(DataType type, String name) {
    return switch (type.kind()) {
      case BOOLEAN -> parameter(type, Types.BOOLEAN, "BOOLEAN", Boolean.class, name);
      case INT8 -> parameter(type, Types.TINYINT, "TINYINT", Byte.class, name);
      case INT16 -> parameter(type, Types.SMALLINT, "SMALLINT", Short.class, name);
      case INT32 -> parameter(type, Types.INTEGER, "INTEGER", Integer.class, name);
      case INT64 -> parameter(type, Types.BIGINT, "BIGINT", Long.class, name);
      case FLOAT32 -> parameter(type, Types.REAL, "REAL", Float.class, name);
      case FLOAT64 -> parameter(type, Types.DOUBLE, "DOUBLE", Double.class, name);
      case DECIMAL -> parameter(type, Types.DECIMAL, "DECIMAL", BigDecimal.class, name);
      case DATE -> parameter(type, Types.DATE, "DATE", Date.class, name);
      case TIME -> parameter(type, Types.TIME, "TIME", Time.class, name);
      case TIMESTAMP -> parameter(type, Types.TIMESTAMP, "TIMESTAMP", Timestamp.class, name);
      case INSTANT ->
          parameter(
              type,
              Types.TIMESTAMP_WITH_TIMEZONE,
              "TIMESTAMP WITH TIME ZONE",
              Timestamp.class,
              name);
      case CHAR, VARCHAR -> parameter(type, Types.VARCHAR, "VARCHAR", String.class, name);
      case BINARY -> parameter(type, Types.VARBINARY, "VARBINARY", byte[].class, name);
      default -> parameter(type, Types.OTHER, "ANY", Object.class, name);
    };
  }

  private static AvaticaParameter parameter(
      DataType type, int jdbc, String typeName, Class<?> java, String name) {
    boolean signed = Number.class.isAssignableFrom(java);
    return new AvaticaParameter(
        signed, type.precision(), type.scale(), jdbc, typeName, java.getName(), name);
  }
}
