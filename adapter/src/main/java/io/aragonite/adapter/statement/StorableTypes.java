package io.aragonite.adapter.statement;

import io.aragonite.adapter.copy.CopyFormat;
import io.aragonite.adapter.copy.CopyOptions;
import io.aragonite.adapter.format.nested.NestedType;
import io.aragonite.adapter.format.nested.NestedType.Field;
import io.aragonite.adapter.format.nested.NestedType.Listed;
import io.aragonite.adapter.format.nested.NestedType.Mapped;
import io.aragonite.adapter.format.nested.NestedType.Scalar;
import io.aragonite.adapter.format.nested.NestedType.Struct;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.rules.function.FieldPlaces;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.sql.type.SqlTypeName;
import org.jspecify.annotations.Nullable;

/** Which columns of a query tables and files can keep. */
final class StorableTypes {
  private StorableTypes() {}

  /**
   * @param field a column of the query, by whose type messages call it
   * @param type what it is stored as
   * @throws AragoniteException COLUMN_TYPE_UNSUPPORTED
   */
  static void require(RelDataTypeField field, NestedType type) {
    switch (type) {
      case Scalar(DataType scalar) -> requireScalar(field, scalar);
      case Listed list -> require(field, list.element());
      case Mapped map -> {
        require(field, map.key());
        require(field, map.value());
      }
      case Struct struct -> struct.fields().forEach(part -> require(field, part.type()));
    }
  }

  /**
   * What tables keep of a query, or are declared to keep.
   *
   * @throws AragoniteException COLUMN_TYPE_UNSUPPORTED; also of UUIDs in lists, structs and maps,
   *     where any texts would be UUIDs later
   */
  static void requireColumn(RelDataTypeField field, NestedType type) {
    require(field, type);
    if (!(type instanceof Scalar) && hasUuid(field.getType())) {
      throw refused(
          field,
          "has UUIDs that tables cannot keep there",
          "have VARCHAR in the place of UUID, as VARCHAR[] for UUID[]");
    }
  }

  private static boolean hasUuid(@Nullable RelDataType type) {
    return type != null
        && (type.getSqlTypeName() == SqlTypeName.UUID
            || hasUuid(type.getComponentType())
            || hasUuid(type.getKeyType())
            || hasUuid(type.getValueType())
            || type.isStruct()
                && type.getFieldList().stream().anyMatch(part -> hasUuid(part.getType())));
  }

  private static void requireScalar(RelDataTypeField field, DataType scalar) {
    boolean nested = field.getType().isStruct() || field.getType().getComponentType() != null;
    switch (scalar.kind()) {
      case OPAQUE ->
          throw refused(
              field,
              "tables and files cannot keep",
              nested ? "leave it out, or take its parts" : "leave it out, or cast it to VARCHAR");
      case INTERVAL_DAY, INTERVAL_MONTH -> {
        if (nested) {
          throw refused(field, "tables and files cannot keep", "leave it out, or take its parts");
        }
      }
      default -> {}
    }
  }

  private static AragoniteException refused(RelDataTypeField field, String what, String wayOut) {
    return new AragoniteException(
        ErrorCode.COLUMN_TYPE_UNSUPPORTED,
        "Column \"%s\" is of the type %s, which %s; %s."
            .formatted(field.getName(), field.getType(), what, wayOut));
  }

  /**
   * @throws AragoniteException COLUMN_TYPE_UNSUPPORTED
   */
  static void requireWritable(RelDataTypeField field, NestedType type, CopyOptions options) {
    require(field, type);
    if (type instanceof Scalar(DataType scalar) && scalar.kind().isInterval()) {
      throw refused(field, "files cannot keep", "cast it to VARCHAR");
    }
    if (options.format() == CopyFormat.CSV && !(type instanceof Scalar)) {
      throw refused(
          field,
          "delimited files cannot keep",
          "write the format parquet, arrow or json, or take its parts");
    }
  }

  /**
   * @throws AragoniteException COLUMN_TYPE_UNSUPPORTED
   */
  static void requireKey(RelDataTypeField field, NestedType type) {
    if (!(type instanceof Scalar)) {
      throw refused(
          field, "has no place in the names of folders", "partition by its parts, or others");
    }
  }

  /**
   * Looks whether values can be inserted: numbers become wider ones, and what is in lists and maps
   * goes to what is at the same place, as do fields of structs in one order.
   *
   * @param field of the query
   * @param type of the query
   * @param column of the table
   * @throws AragoniteException COLUMN_TYPE_UNSUPPORTED
   */
  static void requireInsertable(RelDataTypeField field, NestedType type, TableColumn column) {
    if (!(column.stored() instanceof Scalar) && !fits(type, column.stored())) {
      throw new AragoniteException(
          ErrorCode.COLUMN_TYPE_UNSUPPORTED,
          "Column \"%s\" is of the type %s, and a value of the type %s is to be inserted; cast its parts."
              .formatted(column.name(), column.stored().sqlName(), field.getType()));
    }
  }

  /**
   * Whether values that cannot be inserted as they are may be cast to the lists, structs or maps of
   * a column: texts to lists, or lists of texts to those of what they are the texts of.
   */
  static boolean isCastable(NestedType type, TableColumn column) {
    NestedType stored = column.stored();
    return !(stored instanceof Scalar) && !fits(type, stored) && isCastable(type, stored);
  }

  private static boolean isCastable(NestedType from, NestedType to) {
    boolean text = from instanceof Scalar(DataType type) && type.kind().isText();
    return switch (to) {
      case Scalar _ -> from instanceof Scalar;
      case Listed list ->
          text || from instanceof Listed given && isCastable(given.element(), list.element());
      case Mapped map ->
          text
              || from instanceof Mapped given
                  && isCastable(given.key(), map.key())
                  && isCastable(given.value(), map.value());
      case Struct struct -> from instanceof Struct given && isCastable(given, struct);
    };
  }

  private static boolean isCastable(Struct from, Struct to) {
    List<Integer> places = FieldPlaces.of(names(from), names(to));
    return places != null
        && IntStream.range(0, places.size())
            .allMatch(i ->
                places.get(i) == FieldPlaces.NONE
                    || isCastable(
                        from.fields().get(places.get(i)).type(), to.fields().get(i).type()));
  }

  private static List<String> names(Struct struct) {
    return struct.fields().stream().map(Field::name).toList();
  }

  /** Whether what is stored as it comes, by its place, goes to the field that it is meant for. */
  private static boolean isInOrder(Struct from, Struct to) {
    return from.fields().size() == to.fields().size()
        && IntStream.range(0, to.fields().size())
            .boxed()
            .toList()
            .equals(FieldPlaces.of(names(from), names(to)));
  }

  private static boolean fits(NestedType from, NestedType to) {
    if (from instanceof Scalar(DataType type) && type.kind() == TypeKind.NULL) {
      return true;
    }
    return switch (to) {
      case Scalar(DataType wanted) ->
          from instanceof Scalar(DataType given) && (from.sameBytes(to) || fits(given, wanted));
      case Listed list -> from instanceof Listed given && fits(given.element(), list.element());
      case Mapped map ->
          from instanceof Mapped given
              && fits(given.key(), map.key())
              && fits(given.value(), map.value());
      case Struct struct ->
          from instanceof Struct given
              && isInOrder(given, struct)
              && IntStream.range(0, struct.fields().size())
                  .allMatch(i -> fits(given.fields().get(i).type(), struct.fields().get(i).type()));
    };
  }

  private static boolean fits(DataType given, DataType wanted) {
    boolean number = given.kind().isInteger() || given.kind() == TypeKind.DECIMAL;
    return switch (wanted.kind()) {
      case INT8, INT16, INT32, INT64 -> given.kind().isInteger();
      case DECIMAL -> number && given.scale() <= wanted.scale();
      case FLOAT32, FLOAT64 ->
          number || given.kind() == TypeKind.FLOAT32 || given.kind() == TypeKind.FLOAT64;
      case TIMESTAMP ->
          given.kind() == TypeKind.TIMESTAMP && given.precision() <= wanted.precision();
      case TIME -> given.kind() == TypeKind.TIME;
      default -> false;
    };
  }
}
