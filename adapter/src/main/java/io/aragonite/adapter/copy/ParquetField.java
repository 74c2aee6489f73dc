package io.aragonite.adapter.copy;

import io.aragonite.exec.type.DataType;
import java.io.IOException;
import java.util.List;
import org.apache.arrow.vector.FieldVector;
import org.apache.parquet.format.ConvertedType;
import org.apache.parquet.format.DateType;
import org.apache.parquet.format.DecimalType;
import org.apache.parquet.format.FieldRepetitionType;
import org.apache.parquet.format.IntType;
import org.apache.parquet.format.LogicalType;
import org.apache.parquet.format.MicroSeconds;
import org.apache.parquet.format.MilliSeconds;
import org.apache.parquet.format.NanoSeconds;
import org.apache.parquet.format.SchemaElement;
import org.apache.parquet.format.StringType;
import org.apache.parquet.format.TimeType;
import org.apache.parquet.format.TimeUnit;
import org.apache.parquet.format.TimestampType;
import org.apache.parquet.format.Type;
import org.apache.parquet.format.UUIDType;
import org.jspecify.annotations.Nullable;

/** A column of values in a Parquet file: its type there, and what becomes of its values. */
record ParquetField(String name, DataType type, boolean uuid) implements WrittenField {
  /** A column of other values than UUIDs. */
  ParquetField(String name, DataType type) {
    this(name, type, false);
  }

  private static final int INT_DIGITS = 9;

  /** What the values are stored as. */
  Type stored() {
    if (uuid) {
      return Type.FIXED_LEN_BYTE_ARRAY;
    }
    return switch (type.kind()) {
      case BOOLEAN -> Type.BOOLEAN;
      case INT8, INT16, INT32, DATE, NULL -> Type.INT32;
      case INT64, TIME, TIMESTAMP, INSTANT -> Type.INT64;
      case FLOAT32 -> Type.FLOAT;
      case FLOAT64 -> Type.DOUBLE;
      case DECIMAL ->
          type.precision() <= INT_DIGITS
              ? Type.INT32
              : type.precision() <= DataType.MAX_LONG_PRECISION
                  ? Type.INT64
                  : Type.FIXED_LEN_BYTE_ARRAY;
      default -> Type.BYTE_ARRAY;
    };
  }

  @Override
  public List<SchemaElement> elements() {
    return List.of(element(FieldRepetitionType.OPTIONAL));
  }

  @Override
  public List<WrittenLeaf> leaves() {
    return List.of(new WrittenLeaf(List.of(name), stored()));
  }

  /** The column in the file's footer. */
  SchemaElement element(FieldRepetitionType repetition) {
    SchemaElement element =
        new SchemaElement(name).setRepetition_type(repetition).setType(stored());
    if (stored() == Type.FIXED_LEN_BYTE_ARRAY) {
      element.setType_length(SixteenByteChunk.WIDTH);
    }
    if (uuid) {
      return element.setLogicalType(LogicalType.UUID(new UUIDType()));
    }
    return switch (type.kind()) {
      case INT8 ->
          element
              .setConverted_type(ConvertedType.INT_8)
              .setLogicalType(LogicalType.INTEGER(new IntType((byte) 8, true)));
      case INT16 ->
          element
              .setConverted_type(ConvertedType.INT_16)
              .setLogicalType(LogicalType.INTEGER(new IntType((byte) 16, true)));
      case DATE ->
          element
              .setConverted_type(ConvertedType.DATE)
              .setLogicalType(LogicalType.DATE(new DateType()));
      case TIME ->
          element
              .setConverted_type(ConvertedType.TIME_MICROS)
              .setLogicalType(LogicalType.TIME(new TimeType(false, unit())));
      case TIMESTAMP ->
          element.setLogicalType(LogicalType.TIMESTAMP(new TimestampType(false, unit())));
      case INSTANT ->
          element.setLogicalType(LogicalType.TIMESTAMP(new TimestampType(true, unit())));
      case DECIMAL ->
          element
              .setConverted_type(ConvertedType.DECIMAL)
              .setPrecision(type.precision())
              .setScale(type.scale())
              .setLogicalType(LogicalType.DECIMAL(new DecimalType(type.scale(), type.precision())));
      case CHAR, VARCHAR ->
          element
              .setConverted_type(ConvertedType.UTF8)
              .setLogicalType(LogicalType.STRING(new StringType()));
      default -> element;
    };
  }

  private TimeUnit unit() {
    return switch (type.timestampUnit()) {
      case MILLIS -> TimeUnit.MILLIS(new MilliSeconds());
      case MICROS -> TimeUnit.MICROS(new MicroSeconds());
      case NANOS -> TimeUnit.NANOS(new NanoSeconds());
    };
  }

  @Override
  public List<ColumnPages> pages(
      int column,
      List<RowSlice> slices,
      @Nullable FieldVector words,
      PageCompression compression,
      EncodeScratch scratch)
      throws IOException {
    RowValidity validity = RowValidity.of(column, slices);
    Type stored = stored();
    ChunkEncoder values =
        switch (stored) {
          case BYTE_ARRAY -> TextChunk.of(column, slices, validity, words, scratch);
          case FIXED_LEN_BYTE_ARRAY ->
              uuid
                  ? UuidChunk.of(column, slices, validity, words, scratch)
                  : WideChunk.of(column, slices, validity, scratch);
          default -> FixedChunk.of(stored, column, slices, validity, scratch);
        };
    return List.of(ColumnPages.of(validity, values, compression, scratch));
  }
}
