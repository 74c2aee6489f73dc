package io.aragonite.adapter.format.parquet;

import io.aragonite.exec.table.ZoneMap;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.UUID;
import org.apache.parquet.format.Statistics;
import org.apache.parquet.format.Type;
import org.jspecify.annotations.Nullable;

/**
 * What a file's statistics say of values as they are read. Statistics whose order is not that of
 * the values, or not known, are passed over: INT96, the old fields of all but signed integers, and
 * the new ones where the file does not say that they follow the types.
 */
final class ColumnBounds {
  private final ParquetColumn column;
  private final DataType type;
  private final boolean ordered;

  /**
   * @param ordered whether the file says that its bounds of the column are in the order of its type
   */
  ColumnBounds(ParquetColumn column, DataType type, boolean ordered) {
    this.column = column;
    this.type = type;
    this.ordered = ordered;
  }

  /**
   * @param values how many there are, nulls included
   */
  ZoneMap of(@Nullable Statistics statistics, long values) {
    if (statistics == null) {
      return of(null, null, column.optional() ? -1 : 0, values);
    }
    long nulls = statistics.isSetNull_count() ? statistics.getNull_count() : -1;
    // Early writers put a zero where they had not counted.
    boolean counted = ordered && nulls >= 0 && nulls <= values || nulls == values;
    long known = column.optional() ? counted ? nulls : -1 : 0;
    boolean old = !ordered || !statistics.isSetMin_value() && !statistics.isSetMax_value();
    if (!old && cutOff(statistics)) {
      return of(null, null, known, values);
    }
    byte[] min = old ? signed(statistics.getMin()) : statistics.getMin_value();
    byte[] max = old ? signed(statistics.getMax()) : statistics.getMax_value();
    return of(min, max, known, values);
  }

  /** The beginning of a text is a bound as well, that of a number is none. */
  private boolean cutOff(Statistics statistics) {
    boolean whole =
        (!statistics.isSetIs_min_value_exact() || statistics.isIs_min_value_exact())
            && (!statistics.isSetIs_max_value_exact() || statistics.isIs_max_value_exact());
    return !whole && type.kind() == TypeKind.DECIMAL;
  }

  /** The old fields compare all values as signed ones. */
  private byte @Nullable [] signed(byte @Nullable [] bound) {
    return switch (column.conversion()) {
      case INT8, INT16, WIDEN, INT32_TO_LONG128, INT64_TO_LONG128, TIME_MILLIS, TIME_NANOS -> bound;
      case COPY4, COPY8 -> type.kind().isFloat() ? null : bound;
      case null, default -> null;
    };
  }

  /**
   * From an index of pages.
   *
   * @param nulls -1: nobody has counted them
   */
  ZoneMap ofPage(byte[] min, byte[] max, long nulls, int rows) {
    long counted = nulls >= 0 && nulls <= rows ? nulls : -1;
    return ordered
        ? of(min, max, column.optional() ? counted : 0, rows)
        : of(null, null, column.optional() ? -1 : 0, rows);
  }

  /** From bounds as they are in the file, whose order is right; null if there is none. */
  private ZoneMap of(byte @Nullable [] min, byte @Nullable [] max, long nulls, long values) {
    boolean mayBeNaN = type.kind().isFloat();
    Object least = min == null ? null : value(min);
    Object most = max == null ? null : value(max);
    // Of a bound that is wrong the other one is not trusted either.
    boolean wrong =
        min != null && least == null
            || max != null && most == null
            || least != null && most != null && above(least, most);
    return wrong
        ? new ZoneMap(values, nulls, null, null, mayBeNaN)
        : new ZoneMap(values, nulls, least, most, mayBeNaN);
  }

  private static boolean above(Object least, Object most) {
    return switch (least) {
      case Long low -> low > (Long) most;
      case Double low -> low + 0.0 > (Double) most + 0.0;
      case BigDecimal low -> low.compareTo((BigDecimal) most) > 0;
      case byte[] low -> Arrays.compareUnsigned(low, (byte[]) most) > 0;
      default -> true;
    };
  }

  /**
   * A bound in the form of literals (texts: bytes); null if it is none that the column can have.
   */
  private @Nullable Object value(byte[] bytes) {
    Conversion conversion = column.conversion();
    if (conversion == Conversion.TEXT) {
      return bytes;
    }
    if (conversion == Conversion.UUID) {
      return uuid(bytes);
    }
    if (type.kind() == TypeKind.DECIMAL) {
      BigInteger unscaled = unscaled(bytes);
      return unscaled == null ? null : new BigDecimal(unscaled, type.scale());
    }
    if (conversion == null || column.width() == 0 || bytes.length != column.width()) {
      return null;
    }
    if (type.kind().isFloat()) {
      return floating(bytes);
    }
    return integer(conversion, bytes);
  }

  /** Its hexadecimal digits are in the order of its bytes. */
  private static byte @Nullable [] uuid(byte[] bytes) {
    if (bytes.length != 2 * Long.BYTES) {
      return null;
    }
    ByteBuffer both = ByteBuffer.wrap(bytes);
    return new UUID(both.getLong(), both.getLong()).toString().getBytes(StandardCharsets.US_ASCII);
  }

  private @Nullable BigInteger unscaled(byte[] bytes) {
    Conversion conversion = column.conversion();
    if (conversion == Conversion.BYTES_TO_LONG || conversion == Conversion.BYTES_TO_LONG128) {
      boolean whole = bytes.length > 0 && (column.width() == 0 || bytes.length == column.width());
      return whole ? new BigInteger(bytes) : null;
    }
    if (bytes.length != column.width()) {
      return null;
    }
    long value = number(bytes);
    return conversion == Conversion.UINT64
        ? new BigInteger(Long.toUnsignedString(value))
        : BigInteger.valueOf(value);
  }

  private static long number(byte[] bytes) {
    ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    return bytes.length == Integer.BYTES ? buffer.getInt() : buffer.getLong();
  }

  private @Nullable Double floating(byte[] bytes) {
    ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    double value =
        column.physical() == Type.DOUBLE
            ? buffer.getDouble()
            : column.physical() == Type.FLOAT
                ? buffer.getFloat()
                : Float.float16ToFloat(buffer.getShort());
    // Writers that compare NaN as they like have no bounds.
    return Double.isNaN(value) ? null : (Double) value;
  }

  /** Values that are cut off when they are read have no bounds. */
  private static @Nullable Long integer(Conversion conversion, byte[] bytes) {
    if (bytes.length != Integer.BYTES && bytes.length != Long.BYTES) {
      return null;
    }
    long value = number(bytes);
    return switch (conversion) {
      case COPY4, COPY8 -> value;
      case INT8 -> value == (byte) value ? (Long) value : null;
      case INT16 -> value == (short) value ? (Long) value : null;
      case UINT8 -> value == (value & 0xFF) ? (Long) value : null;
      case UINT16 -> value == (value & 0xFFFF) ? (Long) value : null;
      case UINT32 -> value & 0xFFFFFFFFL;
      case TIME_MILLIS -> value == (int) value ? (Long) (value * 1_000L) : null;
      case TIME_NANOS -> Math.floorDiv(value, 1_000L);
      default -> null;
    };
  }
}
