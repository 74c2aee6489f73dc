package io.aragonite.rules.translate;

import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import java.util.List;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeField;

/** Calcite's types as the engine's. */
public final class TypeMapping {
  /** Characters of a UUID's text. */
  private static final int UUID_LENGTH = 36;

  private TypeMapping() {}

  /** Whether a type is a list, a map or a struct. */
  public static boolean isNested(RelDataType type) {
    return type.isStruct() || type.getComponentType() != null || type.getKeyType() != null;
  }

  /** The engine's type for a SQL type; what only host code understands is OPAQUE. */
  public static DataType of(RelDataType type) {
    boolean nullable = type.isNullable();
    if (type.isStruct()) {
      return DataType.of(TypeKind.OPAQUE, nullable);
    }
    return switch (type.getSqlTypeName()) {
      case BOOLEAN -> DataType.of(TypeKind.BOOLEAN, nullable);
      case TINYINT -> DataType.of(TypeKind.INT8, nullable);
      case SMALLINT -> DataType.of(TypeKind.INT16, nullable);
      case INTEGER -> DataType.of(TypeKind.INT32, nullable);
      case BIGINT -> DataType.of(TypeKind.INT64, nullable);
      case REAL -> DataType.of(TypeKind.FLOAT32, nullable);
      case FLOAT, DOUBLE -> DataType.of(TypeKind.FLOAT64, nullable);
      case DECIMAL ->
          type.getScale() < 0 || type.getScale() > type.getPrecision()
              ? DataType.of(TypeKind.OPAQUE, nullable)
              : DataType.decimal(type.getPrecision(), type.getScale(), nullable);
      case DATE -> DataType.of(TypeKind.DATE, nullable);
      case TIME -> new DataType(TypeKind.TIME, Math.max(0, type.getPrecision()), 0, nullable);
      case TIMESTAMP ->
          new DataType(TypeKind.TIMESTAMP, Math.max(0, type.getPrecision()), 0, nullable);
      case TIMESTAMP_WITH_LOCAL_TIME_ZONE ->
          new DataType(TypeKind.INSTANT, Math.max(0, type.getPrecision()), 0, nullable);
      case INTERVAL_YEAR, INTERVAL_YEAR_MONTH, INTERVAL_MONTH ->
          DataType.of(TypeKind.INTERVAL_MONTH, nullable);
      case INTERVAL_DAY,
          INTERVAL_DAY_HOUR,
          INTERVAL_DAY_MINUTE,
          INTERVAL_DAY_SECOND,
          INTERVAL_HOUR,
          INTERVAL_HOUR_MINUTE,
          INTERVAL_HOUR_SECOND,
          INTERVAL_MINUTE,
          INTERVAL_MINUTE_SECOND,
          INTERVAL_SECOND ->
          DataType.of(TypeKind.INTERVAL_DAY, nullable);
      case CHAR -> new DataType(TypeKind.CHAR, type.getPrecision(), 0, nullable);
      case VARCHAR -> new DataType(TypeKind.VARCHAR, type.getPrecision(), 0, nullable);
      // Canonical texts have the order of the bytes, which Java's own order of UUIDs is not.
      case UUID -> new DataType(TypeKind.VARCHAR, UUID_LENGTH, 0, nullable);
      case BINARY, VARBINARY -> new DataType(TypeKind.BINARY, type.getPrecision(), 0, nullable);
      case NULL, UNKNOWN -> DataType.of(TypeKind.NULL, true);
      default -> DataType.of(TypeKind.OPAQUE, nullable);
    };
  }

  /** The types of a row. */
  public static List<DataType> ofRow(RelDataType rowType) {
    return rowType.getFieldList().stream()
        .map(RelDataTypeField::getType)
        .map(TypeMapping::of)
        .toList();
  }

  /**
   * The type as an operand that is compared, grouped or sorted.
   *
   * @throws Untranslatable if its values have no order or equality on a device
   */
  public static void requireComparable(RelDataType type, String what) {
    if (of(type).kind() == TypeKind.OPAQUE) {
      throw new Untranslatable(
          "%s is of type %s, whose values the device cannot compare; cast it to a type it can"
              .formatted(what, type.getFullTypeString()));
    }
  }
}
