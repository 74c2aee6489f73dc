package io.aragonite.adapter.copy;

import io.aragonite.exec.type.DataType;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.DateDayVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.Float4Vector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.SmallIntVector;
import org.apache.arrow.vector.TimeMilliVector;
import org.apache.arrow.vector.TimeStampVector;
import org.apache.arrow.vector.TinyIntVector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.parquet.column.ColumnWriter;
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
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.parquet.schema.Types;

/** A column of a Parquet file: its type there, and how values get into it. */
record ParquetField(String name, DataType type) {
  /** Bytes of a decimal of more than 18 digits. */
  private static final int WIDE = 16;

  private static final int INT_DIGITS = 9;

  private PrimitiveTypeName physical() {
    return switch (type.kind()) {
      case BOOLEAN -> PrimitiveTypeName.BOOLEAN;
      case INT8, INT16, INT32, DATE, TIME, NULL -> PrimitiveTypeName.INT32;
      case INT64, TIMESTAMP -> PrimitiveTypeName.INT64;
      case FLOAT32 -> PrimitiveTypeName.FLOAT;
      case FLOAT64 -> PrimitiveTypeName.DOUBLE;
      case DECIMAL ->
          type.precision() <= INT_DIGITS
              ? PrimitiveTypeName.INT32
              : type.precision() <= DataType.MAX_LONG_PRECISION
                  ? PrimitiveTypeName.INT64
                  : PrimitiveTypeName.FIXED_LEN_BYTE_ARRAY;
      default -> PrimitiveTypeName.BINARY;
    };
  }

  /** The column for the library that encodes. Columns are nullable whatever the query knows. */
  PrimitiveType primitive() {
    PrimitiveTypeName physical = physical();
    var builder = Types.optional(physical);
    if (physical == PrimitiveTypeName.FIXED_LEN_BYTE_ARRAY) {
      builder = builder.length(WIDE);
    }
    LogicalTypeAnnotation logical =
        switch (type.kind()) {
          case DECIMAL -> LogicalTypeAnnotation.decimalType(type.scale(), type.precision());
          case CHAR, VARCHAR -> LogicalTypeAnnotation.stringType();
          case DATE -> LogicalTypeAnnotation.dateType();
          default -> null;
        };
    return (logical == null ? builder : builder.as(logical)).named(name);
  }

  /** What the values are stored as. */
  Type stored() {
    return physical() == PrimitiveTypeName.BINARY
        ? Type.BYTE_ARRAY
        : Type.valueOf(physical().name());
  }

  /** The column in the file's footer. */
  SchemaElement element() {
    SchemaElement element =
        new SchemaElement(name).setRepetition_type(FieldRepetitionType.OPTIONAL).setType(stored());
    if (physical() == PrimitiveTypeName.FIXED_LEN_BYTE_ARRAY) {
      element.setType_length(WIDE);
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
              .setConverted_type(ConvertedType.TIME_MILLIS)
              .setLogicalType(LogicalType.TIME(new TimeType(false, millis())));
      case TIMESTAMP ->
          element.setLogicalType(LogicalType.TIMESTAMP(new TimestampType(false, unit())));
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
      case MILLIS -> millis();
      case MICROS -> TimeUnit.MICROS(new MicroSeconds());
      case NANOS -> TimeUnit.NANOS(new NanoSeconds());
    };
  }

  private static TimeUnit millis() {
    return TimeUnit.MILLIS(new MilliSeconds());
  }

  /** How a value that is not null gets into the column. */
  private interface ValueWriter {
    void write(int row);
  }

  /** Gives rows of a vector to the column. */
  void write(FieldVector vector, int from, int to, ColumnWriter writer) {
    ValueWriter values = values(vector, writer);
    boolean nulls = vector.getNullCount() > 0;
    for (int row = from; row < to; row++) {
      if (nulls && vector.isNull(row)) {
        writer.writeNull(0, 0);
      } else {
        values.write(row);
      }
    }
  }

  private ValueWriter values(FieldVector vector, ColumnWriter writer) {
    return switch (vector) {
      case IntVector ints -> row -> writer.write(ints.get(row), 0, 1);
      case BigIntVector longs -> row -> writer.write(longs.get(row), 0, 1);
      case DecimalVector decimals -> row -> decimal(decimals, row, writer);
      case VarCharVector texts ->
          row -> writer.write(Binary.fromConstantByteArray(texts.get(row)), 0, 1);
      case DateDayVector days -> row -> writer.write(days.get(row), 0, 1);
      case Float8Vector doubles -> row -> writer.write(doubles.get(row), 0, 1);
      case TimeStampVector times -> row -> writer.write(times.get(row), 0, 1);
      case TimeMilliVector times -> row -> writer.write(times.get(row), 0, 1);
      case BitVector bits -> row -> writer.write(bits.get(row) != 0, 0, 1);
      case TinyIntVector ints -> row -> writer.write((int) ints.get(row), 0, 1);
      case SmallIntVector ints -> row -> writer.write((int) ints.get(row), 0, 1);
      case Float4Vector floats -> row -> writer.write(floats.get(row), 0, 1);
      case VarBinaryVector bytes ->
          row -> writer.write(Binary.fromConstantByteArray(bytes.get(row)), 0, 1);
      default -> row -> writer.writeNull(0, 0); // a column of nulls only
    };
  }

  private void decimal(DecimalVector decimals, int row, ColumnWriter writer) {
    ArrowBuf data = decimals.getDataBuffer();
    long low = data.getLong((long) row * WIDE);
    if (type.precision() <= INT_DIGITS) {
      writer.write((int) low, 0, 1);
    } else if (type.precision() <= DataType.MAX_LONG_PRECISION) {
      writer.write(low, 0, 1);
    } else {
      byte[] bytes = new byte[WIDE];
      for (int i = 0; i < WIDE; i++) {
        bytes[WIDE - 1 - i] = data.getByte((long) row * WIDE + i);
      }
      writer.write(Binary.fromConstantByteArray(bytes), 0, 1);
    }
  }

  /** Bytes of a value, about. */
  static long width(FieldVector vector, int from, int to) {
    if (vector instanceof VarCharVector || vector instanceof VarBinaryVector) {
      ArrowBuf offsets = vector.getOffsetBuffer();
      long bytes = (long) offsets.getInt(4L * to) - offsets.getInt(4L * from);
      return bytes / Math.max(1, to - from);
    }
    return WIDE;
  }
}
