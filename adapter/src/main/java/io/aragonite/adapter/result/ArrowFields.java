package io.aragonite.adapter.result;

import io.aragonite.rules.translate.TypeMapping;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.vector.complex.MapVector;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.jspecify.annotations.Nullable;

/** SQL's types as Arrow's. What Arrow has no type for is text. */
public final class ArrowFields {
  private ArrowFields() {}

  /** A column, or a part of one. */
  public static Field of(String name, RelDataType type) {
    boolean nullable = type.isNullable();
    if (type.isStruct()) {
      List<Field> fields = new ArrayList<>();
      for (RelDataTypeField field : type.getFieldList()) {
        fields.add(of(field.getName(), field.getType()));
      }
      return field(name, nullable, ArrowType.Struct.INSTANCE, fields);
    }
    return switch (type.getSqlTypeName()) {
      case ARRAY, MULTISET ->
          field(name, nullable, ArrowType.List.INSTANCE, List.of(of("item", element(type))));
      case MAP ->
          field(name, nullable, new ArrowType.Map(false), List.of(entries(key(type), value(type))));
      default -> field(name, nullable, BatchArrowReader.type(TypeMapping.of(type)), List.of());
    };
  }

  private static Field entries(RelDataType key, RelDataType value) {
    Field keys = of(MapVector.KEY_NAME, key);
    Field required =
        new Field(keys.getName(), FieldType.notNullable(keys.getType()), keys.getChildren());
    return field(
        MapVector.DATA_VECTOR_NAME,
        false,
        ArrowType.Struct.INSTANCE,
        List.of(required, of(MapVector.VALUE_NAME, value)));
  }

  static RelDataType element(RelDataType type) {
    return part(type.getComponentType(), type);
  }

  static RelDataType key(RelDataType type) {
    return part(type.getKeyType(), type);
  }

  static RelDataType value(RelDataType type) {
    return part(type.getValueType(), type);
  }

  private static RelDataType part(@Nullable RelDataType part, RelDataType type) {
    if (part == null) {
      throw new IllegalArgumentException(type.getFullTypeString());
    }
    return part;
  }

  private static Field field(String name, boolean nullable, ArrowType type, List<Field> children) {
    return new Field(name, new FieldType(nullable, type, null), children);
  }

  /** Columns of which only JDBC's types are known: of EXPLAIN and SHOW. */
  static List<Field> of(ResultSetMetaData columns) throws SQLException {
    List<Field> fields = new ArrayList<>();
    for (int i = 1; i <= columns.getColumnCount(); i++) {
      ArrowType type =
          switch (columns.getColumnType(i)) {
            case Types.BOOLEAN, Types.BIT -> ArrowType.Bool.INSTANCE;
            case Types.TINYINT -> new ArrowType.Int(8, true);
            case Types.SMALLINT -> new ArrowType.Int(16, true);
            case Types.INTEGER -> new ArrowType.Int(32, true);
            case Types.BIGINT -> new ArrowType.Int(64, true);
            case Types.FLOAT, Types.DOUBLE ->
                new ArrowType.FloatingPoint(FloatingPointPrecision.DOUBLE);
            default -> ArrowType.Utf8.INSTANCE;
          };
      fields.add(field(columns.getColumnLabel(i), true, type, List.of()));
    }
    return fields;
  }
}
