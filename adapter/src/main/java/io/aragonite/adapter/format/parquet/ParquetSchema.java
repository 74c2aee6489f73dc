package io.aragonite.adapter.format.parquet;

import static io.aragonite.exec.page.MalformedPageException.check;
import static io.aragonite.exec.page.MalformedPageException.present;

import io.aragonite.adapter.format.FileColumn;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import java.util.ArrayList;
import java.util.List;
import org.apache.parquet.format.ConvertedType;
import org.apache.parquet.format.DecimalType;
import org.apache.parquet.format.FieldRepetitionType;
import org.apache.parquet.format.LogicalType;
import org.apache.parquet.format.SchemaElement;
import org.apache.parquet.format.TimeUnit;
import org.apache.parquet.format.TimestampType;
import org.apache.parquet.format.Type;
import org.jspecify.annotations.Nullable;

/** Parquet's types as SQL types: logical types, and the converted types that old writers used. */
final class ParquetSchema {
  private static final Mapping TIME_MILLIS =
      new Mapping(DataType.time(3, false), Conversion.TIME_MILLIS);

  private static final Mapping TIME_MICROS = new Mapping(DataType.time(6, false), Conversion.COPY8);

  private ParquetSchema() {}

  /** How a column is typed and converted. */
  private record Mapping(DataType type, Conversion conversion) {}

  /** The top-level fields of a schema, which lists its tree depth first. */
  static List<ParquetColumn> columns(List<SchemaElement> schema) {
    check(!schema.isEmpty(), "its schema is empty");
    List<ParquetColumn> columns = new ArrayList<>();
    int leaf = 0;
    int at = 1;
    while (at < schema.size()) {
      SchemaElement field = schema.get(at);
      int end = end(schema, at);
      int leaves = 0;
      for (int i = at; i < end; i++) {
        leaves += isGroup(schema.get(i)) ? 0 : 1;
      }
      columns.add(column(schema, at, leaf, leaves));
      leaf += leaves;
      at = end;
    }
    check(
        columns.size() == schema.get(0).getNum_children(),
        "its schema has %,d fields instead of %,d",
        columns.size(),
        schema.get(0).getNum_children());
    return columns;
  }

  static int leaves(List<ParquetColumn> columns) {
    return columns.isEmpty() ? 0 : columns.getLast().leaf() + columns.getLast().leaves();
  }

  private static boolean isGroup(SchemaElement element) {
    return !element.isSetType();
  }

  /** Where the subtree at {@code at} ends. */
  private static int end(List<SchemaElement> schema, int at) {
    long open = 1;
    for (; open > 0; at++) {
      check(at < schema.size(), "its schema ends within a group");
      SchemaElement element = schema.get(at);
      open--;
      if (isGroup(element)) {
        check(element.getNum_children() >= 0, "its schema has a group without a size");
        open += element.getNum_children();
      }
    }
    return at;
  }

  private static ParquetColumn column(List<SchemaElement> schema, int at, int leaf, int leaves) {
    SchemaElement field = schema.get(at);
    if (!isGroup(field) && field.getRepetition_type() != FieldRepetitionType.REPEATED) {
      return column(field, leaf, leaves);
    }
    List<Integer> ids = ids(schema.subList(at, end(schema, at)));
    String name = present(field.getName(), "a column's name");
    NestedNode nested = NestedSchema.of(schema, at, leaf);
    if (nested == null) {
      return unreadable(field, leaf, leaves, ids);
    }
    DataType type = DataType.of(TypeKind.BINARY, nested.type().nullable());
    FileColumn column = new FileColumn(name, type, fileType(field), nested.type().relaxed());
    return new ParquetColumn(column, leaf, leaves, null, 0, false, null, nested, ids);
  }

  /** The field's own number, then those in it that there are. */
  private static List<Integer> ids(List<SchemaElement> fields) {
    List<Integer> ids = new ArrayList<>();
    ids.add(fields.getFirst().getField_id());
    for (SchemaElement field : fields.subList(1, fields.size())) {
      if (field.isSetField_id()) {
        ids.add(field.getField_id());
      }
    }
    return List.copyOf(ids);
  }

  private static ParquetColumn unreadable(
      SchemaElement field, int leaf, int leaves, List<Integer> ids) {
    FileColumn column =
        new FileColumn(present(field.getName(), "a column's name"), null, fileType(field));
    return new ParquetColumn(column, leaf, leaves, null, 0, false, null, null, ids);
  }

  /** A column that is not a group; whether it is repeated is not looked at. */
  static ParquetColumn column(SchemaElement field, int leaf, int leaves) {
    String name = present(field.getName(), "a column's name");
    boolean optional = field.getRepetition_type() == FieldRepetitionType.OPTIONAL;
    Mapping mapping = mapping(field, optional);
    List<Integer> ids = List.of(field.getField_id());
    if (mapping == null) {
      return unreadable(field, leaf, leaves, ids);
    }
    Type physical = present(field.getType(), "a column's type");
    int width =
        switch (physical) {
          case BOOLEAN -> 1;
          case INT32, FLOAT -> 4;
          case INT64, DOUBLE -> 8;
          case INT96 -> 12;
          case BYTE_ARRAY -> 0;
          case FIXED_LEN_BYTE_ARRAY -> field.getType_length();
        };
    FileColumn column =
        mapping.conversion == Conversion.UUID
            ? FileColumn.ofUuids(name, fileType(field), optional)
            : new FileColumn(name, mapping.type.withNullable(optional), fileType(field));
    return new ParquetColumn(
        column, leaf, leaves, physical, width, optional, mapping.conversion, null, ids);
  }

  private static String fileType(SchemaElement field) {
    String repeated = field.getRepetition_type() == FieldRepetitionType.REPEATED ? "repeated " : "";
    LogicalType logical = field.getLogicalType();
    if (logical != null && logical.isSet()) {
      return repeated + logical.getSetField();
    }
    if (field.getConverted_type() != null) {
      return repeated + field.getConverted_type();
    }
    return repeated + (isGroup(field) ? "struct" : String.valueOf(field.getType()));
  }

  private static @Nullable Mapping mapping(SchemaElement field, boolean optional) {
    LogicalType logical = field.getLogicalType();
    if (logical != null && logical.isSetUNKNOWN()) {
      return optional ? new Mapping(DataType.of(TypeKind.NULL, true), Conversion.NONE) : null;
    }
    return switch (present(field.getType(), "a column's type")) {
      case BOOLEAN -> map(TypeKind.BOOLEAN, Conversion.BOOLEAN);
      case INT32 -> int32(field);
      case INT64 -> int64(field);
      case INT96 -> new Mapping(DataType.timestamp(6, false), Conversion.INT96);
      case FLOAT -> map(TypeKind.FLOAT32, Conversion.COPY4);
      case DOUBLE -> map(TypeKind.FLOAT64, Conversion.COPY8);
      case BYTE_ARRAY -> byteArray(field);
      case FIXED_LEN_BYTE_ARRAY -> fixed(field);
    };
  }

  private static Mapping map(TypeKind kind, Conversion conversion) {
    DataType type =
        kind == TypeKind.TIMESTAMP ? DataType.timestamp(3, false) : DataType.of(kind, false);
    return new Mapping(type, conversion);
  }

  private static @Nullable Mapping int32(SchemaElement field) {
    if (isDecimal(field)) {
      return decimal(field, Conversion.WIDEN, Conversion.INT32_TO_LONG128);
    }
    LogicalType logical = field.getLogicalType();
    if (logical != null && logical.isSetDATE()) {
      return map(TypeKind.DATE, Conversion.COPY4);
    }
    if (logical != null && logical.isSetTIME()) {
      return TIME_MILLIS;
    }
    if (logical != null && logical.isSetINTEGER()) {
      return integer(logical.getINTEGER().getBitWidth(), logical.getINTEGER().isIsSigned());
    }
    ConvertedType converted = field.getConverted_type();
    return switch (converted) {
      case DATE -> map(TypeKind.DATE, Conversion.COPY4);
      case TIME_MILLIS -> TIME_MILLIS;
      case INT_8 -> integer(8, true);
      case INT_16 -> integer(16, true);
      case UINT_8 -> integer(8, false);
      case UINT_16 -> integer(16, false);
      case UINT_32 -> integer(32, false);
      case null, default -> integer(32, true);
    };
  }

  private static Mapping integer(int bits, boolean signed) {
    return switch (bits) {
      case 8 ->
          signed ? map(TypeKind.INT8, Conversion.INT8) : map(TypeKind.INT16, Conversion.UINT8);
      case 16 ->
          signed ? map(TypeKind.INT16, Conversion.INT16) : map(TypeKind.INT32, Conversion.UINT16);
      default ->
          signed ? map(TypeKind.INT32, Conversion.COPY4) : map(TypeKind.INT64, Conversion.UINT32);
    };
  }

  private static @Nullable Mapping int64(SchemaElement field) {
    if (isDecimal(field)) {
      return decimal(field, Conversion.COPY8, Conversion.INT64_TO_LONG128);
    }
    Mapping unsigned = new Mapping(DataType.decimal(20, 0, false), Conversion.UINT64);
    LogicalType logical = field.getLogicalType();
    if (logical != null && logical.isSetTIMESTAMP()) {
      return timestamp(logical.getTIMESTAMP());
    }
    if (logical != null && logical.isSetTIME()) {
      boolean nanos = unit(logical.getTIME().getUnit()).isSetNANOS();
      return nanos ? new Mapping(DataType.time(6, false), Conversion.TIME_NANOS) : TIME_MICROS;
    }
    if (logical != null && logical.isSetINTEGER()) {
      return logical.getINTEGER().isIsSigned() ? map(TypeKind.INT64, Conversion.COPY8) : unsigned;
    }
    ConvertedType converted = field.getConverted_type();
    if (converted == null) { // in the switch it would take code that is made at run time
      return map(TypeKind.INT64, Conversion.COPY8);
    }
    return switch (converted) {
      case TIMESTAMP_MILLIS -> map(TypeKind.TIMESTAMP, Conversion.COPY8);
      case TIMESTAMP_MICROS -> new Mapping(DataType.timestamp(6, false), Conversion.COPY8);
      case TIME_MICROS -> TIME_MICROS;
      case UINT_64 -> unsigned;
      default -> map(TypeKind.INT64, Conversion.COPY8);
    };
  }

  private static TimeUnit unit(@Nullable TimeUnit unit) {
    return present(unit, "a column's unit of time");
  }

  /** Old writers, who know no logical types, say nothing of zones: theirs are TIMESTAMPs. */
  private static Mapping timestamp(TimestampType type) {
    TimeUnit unit = unit(type.getUnit());
    int precision = unit.isSetMILLIS() ? 3 : unit.isSetMICROS() ? 6 : 9;
    TypeKind kind = type.isIsAdjustedToUTC() ? TypeKind.INSTANT : TypeKind.TIMESTAMP;
    return new Mapping(new DataType(kind, precision, 0, false), Conversion.COPY8);
  }

  private static @Nullable Mapping byteArray(SchemaElement field) {
    if (isDecimal(field)) {
      return decimal(field, Conversion.BYTES_TO_LONG, Conversion.BYTES_TO_LONG128);
    }
    LogicalType logical = field.getLogicalType();
    ConvertedType converted = field.getConverted_type();
    boolean text =
        logical != null && (logical.isSetSTRING() || logical.isSetENUM() || logical.isSetJSON())
            || converted == ConvertedType.UTF8
            || converted == ConvertedType.ENUM
            || converted == ConvertedType.JSON;
    return text ? map(TypeKind.VARCHAR, Conversion.TEXT) : map(TypeKind.BINARY, Conversion.BYTES);
  }

  private static @Nullable Mapping fixed(SchemaElement field) {
    int length = field.getType_length();
    check(length > 0, "column \"%s\" has values of %,d bytes", field.getName(), length);
    if (isDecimal(field)) {
      return decimal(field, Conversion.BYTES_TO_LONG, Conversion.BYTES_TO_LONG128);
    }
    LogicalType logical = field.getLogicalType();
    if (logical != null && logical.isSetFLOAT16()) {
      check(length == 2, "column \"" + field.getName() + "\" is FLOAT16, but not of 2 bytes");
      return map(TypeKind.FLOAT32, Conversion.FLOAT16);
    }
    if (logical != null && logical.isSetUUID()) {
      check(length == 16, "column \"" + field.getName() + "\" is UUID, but not of 16 bytes");
      return new Mapping(FileColumn.UUID_TEXT.withNullable(false), Conversion.UUID);
    }
    if (field.getConverted_type() == ConvertedType.INTERVAL) {
      return null;
    }
    return new Mapping(new DataType(TypeKind.BINARY, length, 0, false), Conversion.BYTES);
  }

  private static boolean isDecimal(SchemaElement field) {
    LogicalType logical = field.getLogicalType();
    return logical != null && logical.isSetDECIMAL()
        || field.getConverted_type() == ConvertedType.DECIMAL;
  }

  private static @Nullable Mapping decimal(
      SchemaElement field, Conversion narrow, Conversion wide) {
    LogicalType logical = field.getLogicalType();
    DecimalType modern = logical != null && logical.isSetDECIMAL() ? logical.getDECIMAL() : null;
    int precision = modern != null ? modern.getPrecision() : field.getPrecision();
    int scale = modern != null ? modern.getScale() : field.getScale();
    check(
        precision > 0 && scale >= 0 && scale <= precision,
        "column \"" + field.getName() + "\" is DECIMAL(" + precision + ", " + scale + ")");
    if (precision > DataType.MAX_DECIMAL_PRECISION) {
      return null;
    }
    return new Mapping(
        DataType.decimal(precision, scale, false),
        precision <= DataType.MAX_LONG_PRECISION ? narrow : wide);
  }
}
