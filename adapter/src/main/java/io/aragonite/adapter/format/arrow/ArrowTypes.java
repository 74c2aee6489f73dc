package io.aragonite.adapter.format.arrow;

import io.aragonite.adapter.format.CutTimes;
import io.aragonite.adapter.format.FileColumn;
import io.aragonite.adapter.format.nested.NestedType;
import io.aragonite.exec.memory.Allocator;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import java.util.function.IntToLongFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.apache.arrow.vector.BaseFixedWidthVector;
import org.apache.arrow.vector.BaseLargeVariableWidthVector;
import org.apache.arrow.vector.BaseVariableWidthViewVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.jspecify.annotations.Nullable;

/** Arrow's types as ours, and its vectors as our columns. */
final class ArrowTypes {
  /**
   * What our own files say of text: its declared length, which Arrow has no place for. CHAR(n)
   * becomes VARCHAR(n), since files hold text without the padding that literals compared with CHAR
   * would get.
   */
  private static final Pattern DECLARED = Pattern.compile("(?:VAR)?CHAR\\((\\d+)\\)");

  private ArrowTypes() {}

  static FileColumn column(Field field) {
    DataType type = type(field.getType(), field.isNullable());
    String declared = field.getMetadata().get(FileColumn.ARROW_TYPE);
    if (type != null && type.kind() == TypeKind.VARCHAR && FileColumn.ARROW_UUID.equals(declared)) {
      return FileColumn.ofUuids(field.getName(), FileColumn.ARROW_UUID, field.isNullable());
    }
    if (type != null && type.kind() == TypeKind.VARCHAR && declared != null) {
      Matcher matcher = DECLARED.matcher(declared);
      if (matcher.matches()) {
        type =
            new DataType(
                TypeKind.VARCHAR, Integer.parseInt(matcher.group(1)), 0, field.isNullable());
      }
    }
    return new FileColumn(field.getName(), type, field.getType().toString());
  }

  /** A column that may be one of lists, structs or maps. */
  static FileColumn root(Field field) {
    NestedType nested = field.getChildren().isEmpty() ? null : NestedArrow.type(field, 0);
    return nested == null
        ? column(field)
        : new FileColumn(
            field.getName(),
            DataType.of(TypeKind.BINARY, field.isNullable()),
            field.getType().toString(),
            nested);
  }

  private static @Nullable DataType type(ArrowType type, boolean nullable) {
    TypeKind kind =
        switch (type.getTypeID()) {
          case Null -> TypeKind.NULL;
          case Bool -> TypeKind.BOOLEAN;
          case FloatingPoint ->
              switch (((ArrowType.FloatingPoint) type).getPrecision()) {
                case HALF, SINGLE -> TypeKind.FLOAT32;
                case DOUBLE -> TypeKind.FLOAT64;
              };
          case Date -> TypeKind.DATE;
          case Time -> TypeKind.TIME;
          case Timestamp ->
              ((ArrowType.Timestamp) type).getTimezone() == null
                  ? TypeKind.TIMESTAMP
                  : TypeKind.INSTANT;
          case Duration -> TypeKind.INTERVAL_DAY;
          case Utf8, LargeUtf8, Utf8View -> TypeKind.VARCHAR;
          case Binary, LargeBinary, BinaryView, FixedSizeBinary -> TypeKind.BINARY;
          default -> null;
        };
    if (kind != null) {
      int precision =
          switch (kind) {
            case TIME ->
                switch (((ArrowType.Time) type).getUnit()) {
                  case SECOND, MILLISECOND -> 3;
                  case MICROSECOND, NANOSECOND -> 6;
                };
            case TIMESTAMP, INSTANT ->
                switch (((ArrowType.Timestamp) type).getUnit()) {
                  case SECOND, MILLISECOND -> 3;
                  case MICROSECOND -> 6;
                  case NANOSECOND -> 9;
                };
            case BINARY ->
                type instanceof ArrowType.FixedSizeBinary fixed ? fixed.getByteWidth() : -1;
            case VARCHAR -> -1;
            default -> 0;
          };
      return new DataType(kind, precision, 0, nullable || kind == TypeKind.NULL);
    }
    return switch (type) {
      case ArrowType.Int integer -> integer(integer, nullable);
      case ArrowType.Decimal decimal
          when decimal.getPrecision() <= 38
              && decimal.getScale() >= 0
              && decimal.getBitWidth() == 128 ->
          DataType.decimal(decimal.getPrecision(), decimal.getScale(), nullable);
      case ArrowType.Interval interval
          when interval.getUnit() == org.apache.arrow.vector.types.IntervalUnit.YEAR_MONTH ->
          DataType.of(TypeKind.INTERVAL_MONTH, nullable);
      default -> null;
    };
  }

  /** Unsigned integers take the next wider signed type. */
  private static DataType integer(ArrowType.Int type, boolean nullable) {
    int bits = type.getIsSigned() ? type.getBitWidth() : 2 * type.getBitWidth();
    return switch (bits) {
      case 8 -> DataType.of(TypeKind.INT8, nullable);
      case 16 -> DataType.of(TypeKind.INT16, nullable);
      case 32 -> DataType.of(TypeKind.INT32, nullable);
      case 64 -> DataType.of(TypeKind.INT64, nullable);
      default -> DataType.decimal(20, 0, nullable);
    };
  }

  /**
   * A vector as a column: in place where the layouts agree, else converted into {@code temporary}.
   */
  static Column convert(FieldVector vector, FileColumn declared, int rows, Allocator temporary) {
    DataType type = java.util.Objects.requireNonNull(declared.type());
    boolean nulls = vector.getNullCount() > 0;
    Storage storage = type.kind() == TypeKind.DECIMAL ? Storage.LONG128 : Storage.of(type);
    ColumnShape shape =
        new ColumnShape(type, storage, nulls || storage == Storage.NONE, null, null);
    if (storage == Storage.NONE) {
      return new Column(shape, rows, Buffer.EMPTY, Buffer.EMPTY, null, null);
    }
    Buffer validity =
        nulls ? new Buffer(vector.getValidityBuffer().memoryAddress(), (rows + 7) / 8) : null;
    requireBytes(vector, nulls ? (rows + 7) / 8 : 0, 0);
    if (storage == Storage.BYTES) {
      return text(vector, shape, rows, validity, temporary);
    }
    requireBytes(
        vector,
        0,
        vector instanceof BitVector
            ? (rows + 7) / 8
            : (long) rows * ((BaseFixedWidthVector) vector).getTypeWidth());
    IntToLongFunction converted = converted(vector, type);
    if (converted == null) {
      Buffer values =
          new Buffer(vector.getDataBuffer().memoryAddress(), (long) rows * storage.width());
      return new Column(shape, rows, values, Buffer.EMPTY, validity, null);
    }
    Buffer values = temporary.allocate((long) rows * storage.width());
    for (int i = 0; i < rows; i++) {
      long value = converted.applyAsLong(i);
      long at = values.address() + (long) i * storage.width();
      switch (storage) {
        case BYTE -> Mem.putByte(at, (byte) value);
        case SHORT -> Mem.putShort(at, (short) value);
        case INT -> Mem.putInt(at, (int) value);
        case FLOAT -> Mem.putFloat(at, Float.float16ToFloat((short) value));
        case LONG128 -> {
          Mem.putLong(at, value);
          Mem.putLong(at + 8, 0);
        }
        default -> Mem.putLong(at, value);
      }
    }
    return new Column(shape, rows, values, Buffer.EMPTY, validity, null);
  }

  /** Refuses a vector whose buffers are shorter than its number of rows asks for. */
  private static void requireBytes(FieldVector vector, long validity, long values) {
    if (vector.getValidityBuffer().capacity() < validity
        || (values > 0 && vector.getDataBuffer().capacity() < values)) {
      throw new IllegalArgumentException("its values are cut short");
    }
  }

  static void requireOffsetBytes(FieldVector vector, long bytes) {
    if (vector.getOffsetBuffer().capacity() < bytes) {
      throw new IllegalArgumentException("the offsets of its values are cut short");
    }
  }

  /** Refuses offsets that do not ascend within the values. */
  static void requireOffsets(long offsets, int rows, long bytes) {
    int low = Mem.getInt(offsets);
    boolean sound = low >= 0 && Mem.getInt(offsets + 4L * rows) <= bytes;
    for (int i = 1; i <= rows; i++) {
      int next = Mem.getInt(offsets + 4L * i);
      sound &= next >= low;
      low = next;
    }
    if (!sound) {
      throw new IllegalArgumentException("the offsets of its values are out of order");
    }
  }

  /** How value {@code i} is computed, or null if it can be used as it lies. */
  private static @Nullable IntToLongFunction converted(FieldVector vector, DataType type) {
    if (vector instanceof BitVector bits) {
      long address = bits.getDataBufferAddress();
      return i -> Mem.getBit(address, i) ? 1 : 0;
    }
    long address = ((BaseFixedWidthVector) vector).getDataBufferAddress();
    return switch (vector.getField().getType()) {
      case ArrowType.Int integer when !integer.getIsSigned() ->
          switch (integer.getBitWidth()) {
            case 8 -> i -> Mem.getByte(address + i) & 0xFF;
            case 16 -> i -> Mem.getShort(address + 2L * i) & 0xFFFF;
            case 32 -> i -> Mem.getInt(address + 4L * i) & 0xFFFFFFFFL;
            // The high word of LONG128 is 0.
            default -> i -> Mem.getLong(address + 8L * i);
          };
      case ArrowType.FloatingPoint real
          when real.getPrecision() == org.apache.arrow.vector.types.FloatingPointPrecision.HALF ->
          i -> Mem.getShort(address + 2L * i);
      case ArrowType.Date date
          when date.getUnit() == org.apache.arrow.vector.types.DateUnit.MILLISECOND ->
          i -> Math.floorDiv(Mem.getLong(address + 8L * i), 86_400_000L);
      case ArrowType.Time time
          when time.getBitWidth() != 64 || time.getUnit() != TimeUnit.MICROSECOND ->
          time.getBitWidth() == 64
              ? i -> toMicros(Mem.getLong(address + 8L * i), time.getUnit())
              : i -> toMicros(Mem.getInt(address + 4L * i), time.getUnit());
      case ArrowType.Timestamp time when time.getUnit() == TimeUnit.SECOND ->
          i -> toMillis(Mem.getLong(address + 8L * i), time.getUnit());
      case ArrowType.Duration time when time.getUnit() != TimeUnit.MILLISECOND ->
          i -> toMillis(Mem.getLong(address + 8L * i), time.getUnit());
      default -> null;
    };
  }

  /** Whether some times of a vector have digits that their type does not keep: they are cut off. */
  static boolean cutsTimes(FieldVector vector, int rows) {
    if (!vector.getChildrenFromFields().isEmpty()) {
      return vector.getChildrenFromFields().stream()
          .anyMatch(child -> cutsTimes(child, child.getValueCount()));
    }
    // A duration is milliseconds here, a time of day microseconds.
    long units =
        switch (vector.getField().getType()) {
          case ArrowType.Time time when time.getUnit() == TimeUnit.NANOSECOND -> 1_000;
          case ArrowType.Duration time when time.getUnit() == TimeUnit.MICROSECOND -> 1_000;
          case ArrowType.Duration time when time.getUnit() == TimeUnit.NANOSECOND -> 1_000_000;
          default -> 1;
        };
    if (units == 1) {
      return false;
    }
    long address = ((BaseFixedWidthVector) vector).getDataBufferAddress();
    boolean cut =
        units == 1_000
            ? CutTimes.anyThousandths(address, rows, 8)
            : CutTimes.anyMillionths(address, rows);
    if (!cut || vector.getNullCount() == 0) {
      return cut;
    }
    // What lies under nulls does not count.
    return IntStream.range(0, rows)
        .anyMatch(i -> !vector.isNull(i) && Mem.getLong(address + 8L * i) % units != 0);
  }

  private static long toMicros(long value, TimeUnit unit) {
    return switch (unit) {
      case SECOND -> Math.multiplyExact(value, 1_000_000L);
      case MILLISECOND -> Math.multiplyExact(value, 1_000L);
      case MICROSECOND -> value;
      case NANOSECOND -> Math.floorDiv(value, 1_000L);
    };
  }

  private static long toMillis(long value, TimeUnit unit) {
    return switch (unit) {
      case SECOND -> Math.multiplyExact(value, 1000L);
      case MILLISECOND -> value;
      case MICROSECOND -> Math.floorDiv(value, 1_000L);
      case NANOSECOND -> Math.floorDiv(value, 1_000_000L);
    };
  }

  private static Column text(
      FieldVector vector,
      ColumnShape shape,
      int rows,
      @Nullable Buffer validity,
      Allocator temporary) {
    if (rows == 0) {
      Buffer offsets = temporary.allocate(4);
      Mem.putInt(offsets.address(), 0);
      return new Column(shape, 0, Buffer.EMPTY, offsets, null, null);
    }
    if (vector instanceof BaseFixedWidthVector fixed) {
      int width = fixed.getTypeWidth();
      requireBytes(vector, 0, (long) rows * width);
      Buffer offsets = temporary.allocate(4L * (rows + 1));
      for (int i = 0; i <= rows; i++) {
        Mem.putInt(offsets.address() + 4L * i, Math.multiplyExact(i, width));
      }
      Buffer values = new Buffer(fixed.getDataBufferAddress(), (long) rows * width);
      return new Column(shape, rows, values, offsets, validity, null);
    }
    if (vector instanceof BaseLargeVariableWidthVector large) {
      requireOffsetBytes(vector, 8L * (rows + 1));
      Buffer offsets = temporary.allocate(4L * (rows + 1));
      long in = large.getOffsetBufferAddress();
      for (int i = 0; i <= rows; i++) {
        Mem.putInt(offsets.address() + 4L * i, Math.toIntExact(Mem.getLong(in + 8L * i)));
      }
      requireOffsets(offsets.address(), rows, vector.getDataBuffer().capacity());
      Buffer values = new Buffer(large.getDataBufferAddress(), Mem.getLong(in + 8L * rows));
      return new Column(shape, rows, values, offsets, validity, null);
    }
    if (vector instanceof BaseVariableWidthViewVector view) {
      return views(view, shape, rows, validity, temporary);
    }
    requireOffsetBytes(vector, 4L * (rows + 1));
    Buffer offsets = new Buffer(vector.getOffsetBuffer().memoryAddress(), 4L * (rows + 1));
    requireOffsets(offsets.address(), rows, vector.getDataBuffer().capacity());
    Buffer values =
        new Buffer(
            vector.getDataBuffer().memoryAddress(), Mem.getInt(offsets.address() + 4L * rows));
    return new Column(shape, rows, values, offsets, validity, null);
  }

  private static Column views(
      BaseVariableWidthViewVector view,
      ColumnShape shape,
      int rows,
      @Nullable Buffer validity,
      Allocator temporary) {
    Buffer offsets = temporary.allocate(4L * (rows + 1));
    int bytes = 0;
    Mem.putInt(offsets.address(), 0);
    for (int i = 0; i < rows; i++) {
      bytes = Math.addExact(bytes, view.isNull(i) ? 0 : view.getValueLength(i));
      Mem.putInt(offsets.address() + 4L * i + 4, bytes);
    }
    Buffer values = temporary.allocate(bytes);
    for (int i = 0; i < rows; i++) {
      if (!view.isNull(i)) {
        byte[] value =
            view.getObject(i) instanceof byte[] raw
                ? raw
                : view.getObject(i).toString().getBytes(java.nio.charset.StandardCharsets.UTF_8);
        Mem.copy(value, 0, values.address() + Mem.getInt(offsets.address() + 4L * i), value.length);
      }
    }
    return new Column(shape, rows, values, offsets, validity, null);
  }
}
