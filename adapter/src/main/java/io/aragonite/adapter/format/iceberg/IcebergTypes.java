package io.aragonite.adapter.format.iceberg;

import io.aragonite.adapter.format.FileColumn;
import io.aragonite.adapter.format.nested.NestedType;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.jspecify.annotations.Nullable;

/** Iceberg's types and values as ours: the same that Parquet's are. */
final class IcebergTypes {
  private IcebergTypes() {}

  static FileColumn column(Types.NestedField field) {
    Type type = field.type();
    if (type.isNestedType()) {
      NestedType nested = nested(type);
      return nested == null
          ? new FileColumn(field.name(), null, type.toString())
          : new FileColumn(
              field.name(),
              DataType.of(TypeKind.BINARY, field.isOptional()),
              type.toString(),
              nested);
    }
    if (type.typeId() == Type.TypeID.UUID) {
      return FileColumn.ofUuids(field.name(), type.toString(), field.isOptional());
    }
    DataType scalar = scalar(type);
    return new FileColumn(
        field.name(),
        scalar == null ? null : scalar.withNullable(field.isOptional()),
        type.toString());
  }

  private static @Nullable DataType scalar(Type type) {
    return switch (type.typeId()) {
      case BOOLEAN -> DataType.BOOLEAN;
      case INTEGER -> DataType.INT32;
      case LONG -> DataType.INT64;
      case FLOAT -> DataType.of(TypeKind.FLOAT32, false);
      case DOUBLE -> DataType.FLOAT64;
      case DATE -> DataType.DATE;
      case TIME -> DataType.time(6, false);
      case TIMESTAMP -> moment(((Types.TimestampType) type).shouldAdjustToUTC(), 6);
      case TIMESTAMP_NANO -> moment(((Types.TimestampNanoType) type).shouldAdjustToUTC(), 9);
      case STRING -> DataType.VARCHAR;
      case UUID -> FileColumn.UUID_TEXT.withNullable(false);
      case FIXED -> new DataType(TypeKind.BINARY, ((Types.FixedType) type).length(), 0, false);
      case BINARY -> DataType.of(TypeKind.BINARY, false);
      case DECIMAL -> {
        Types.DecimalType decimal = (Types.DecimalType) type;
        yield decimal.precision() > DataType.MAX_DECIMAL_PRECISION
            ? null
            : DataType.decimal(decimal.precision(), decimal.scale(), false);
      }
      case UNKNOWN -> DataType.of(TypeKind.NULL, true);
      default -> null;
    };
  }

  private static DataType moment(boolean adjusted, int digits) {
    return new DataType(adjusted ? TypeKind.INSTANT : TypeKind.TIMESTAMP, digits, 0, false);
  }

  /** With all of it nullable, as files' nested types are; null if some type in it is not ours. */
  private static @Nullable NestedType nested(Type type) {
    if (type instanceof Types.ListType list) {
      NestedType element = nested(list.elementType());
      return element == null ? null : new NestedType.Listed(element, true);
    }
    if (type instanceof Types.MapType map) {
      NestedType key = nested(map.keyType());
      NestedType value = nested(map.valueType());
      return key == null || value == null ? null : new NestedType.Mapped(key, value, true);
    }
    if (type instanceof Types.StructType struct) {
      List<NestedType.Field> fields = new ArrayList<>();
      for (Types.NestedField field : struct.fields()) {
        NestedType one = nested(field.type());
        if (one == null) {
          return null;
        }
        fields.add(new NestedType.Field(field.name(), one));
      }
      return new NestedType.Struct(fields, true);
    }
    DataType scalar = scalar(type);
    return scalar == null || scalar.kind() == TypeKind.NULL
        ? null
        : new NestedType.Scalar(NestedType.local(scalar).withNullable(true));
  }

  /** The numbers of a field and of those in it, depth first. */
  static List<Integer> ids(Types.NestedField field) {
    List<Integer> ids = new ArrayList<>();
    collect(field, ids);
    return List.copyOf(ids);
  }

  private static void collect(Types.NestedField field, List<Integer> ids) {
    ids.add(field.fieldId());
    if (field.type().isNestedType()) {
      field.type().asNestedType().fields().forEach(inner -> collect(inner, ids));
    }
  }

  /**
   * A value as {@link io.aragonite.adapter.format.ColumnWidening#constant} takes it.
   *
   * @param value in Iceberg's own form
   */
  static @Nullable Object value(Type type, @Nullable Object value) {
    if (value == null) {
      return null;
    }
    return switch (type.typeId()) {
      case BOOLEAN -> (Boolean) value ? 1L : 0L;
      case INTEGER, LONG, DATE, TIME, TIMESTAMP, TIMESTAMP_NANO -> ((Number) value).longValue();
      case FLOAT, DOUBLE -> ((Number) value).doubleValue();
      case DECIMAL -> ((BigDecimal) value).setScale(((Types.DecimalType) type).scale());
      case BINARY, FIXED -> bytes((ByteBuffer) value);
      default -> value.toString().getBytes(StandardCharsets.UTF_8);
    };
  }

  private static byte[] bytes(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.duplicate().get(bytes);
    return bytes;
  }

  /** A value as bounds of zone maps have it; null if there are none of its type. */
  static @Nullable Object bound(Type type, Object value) {
    return switch (type.typeId()) {
      case BOOLEAN, BINARY, FIXED, TIME -> null;
      default -> value;
    };
  }

  /** Whether values of a file can become those of its table: Iceberg lets types grow. */
  static boolean isPromotion(DataType file, DataType table) {
    TypeKind from = file.kind();
    TypeKind to = table.kind();
    if (from == TypeKind.NULL) {
      return table.nullable();
    }
    if (from.isInteger() && to.isInteger()) {
      return from.compareTo(to) <= 0;
    }
    return switch (from) {
      case FLOAT32 -> to.isFloat();
      case DECIMAL ->
          to == from && file.scale() == table.scale() && file.precision() <= table.precision();
      case TIMESTAMP, INSTANT -> to == from && file.precision() <= table.precision();
      case DATE -> to == from || to == TypeKind.TIMESTAMP;
      default -> file.sameAs(table);
    };
  }
}
