package io.aragonite.adapter.format;

import io.aragonite.adapter.format.TableFile.Decoded;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Int128;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.LocalDate;
import org.jspecify.annotations.Nullable;

/** Columns of one file in the type that a table of several files has: see {@link CommonType}. */
public final class ColumnWidening {
  private ColumnWidening() {}

  /**
   * A decoded column in a wider type.
   *
   * @param memory where values go that are stored otherwise
   */
  public static Decoded widen(Decoded decoded, DataType from, DataType to, QueryMemory memory) {
    if (from.kind() == TypeKind.NULL && to.kind() != TypeKind.NULL) {
      int rows = decoded.column().dataRows();
      decoded.close();
      return constant(to, null, rows, memory);
    }
    boolean same =
        from.kind() == to.kind()
            && from.scale() == to.scale()
            && (!from.kind().isTimestamp() || from.timestampUnit() == to.timestampUnit());
    if (from.kind().isText() || same && Storage.of(from) == Storage.of(to)) {
      return new Decoded(decoded.column().withType(to), decoded.dictionary(), decoded::close);
    }
    Column column = decoded.column();
    int rows = column.dataRows();
    Storage stored = column.shape().storage();
    Storage target = Storage.of(to);
    Buffer values = memory.allocate((long) rows * target.width());
    boolean wide = target == Storage.LONG128 || stored == Storage.LONG128;
    if (wide && to.kind() == TypeKind.DECIMAL) {
      scaleWide(column, from, to, values);
    } else if (to.kind() == TypeKind.FLOAT64) {
      toDouble(column, from, to, values);
    } else {
      long factor = factor(from, to);
      Buffer validity = to.kind().isTimestamp() ? column.validity() : null;
      for (int i = 0; i < rows; i++) {
        long value = integer(stored, column.values().address(), i);
        boolean present = validity == null || Mem.getBit(validity.address(), i);
        put(target, values.address(), i, present ? scaled(value, factor, to) : 0);
      }
    }
    return new Decoded(
        new Column(ColumnShape.of(to), rows, values, Buffer.EMPTY, column.validity(), null),
        decoded::close);
  }

  private static long factor(DataType from, DataType to) {
    return switch (from.kind()) {
      case DATE -> to.timestampUnit().perDay();
      case TIMESTAMP, INSTANT -> to.timestampUnit().perMilli() / from.timestampUnit().perMilli();
      default -> power(to.scale() - from.scale());
    };
  }

  private static long scaled(long value, long factor, DataType to) {
    try {
      return Math.multiplyExact(value, factor);
    } catch (ArithmeticException e) {
      throw new AragoniteException(
          ErrorCode.NUMERIC_OVERFLOW,
          "A timestamp of one file is beyond the range of %s, which another file of the table has; read the files one by one."
              .formatted(to.withNullable(true)),
          e);
    }
  }

  private static long power(int exponent) {
    return BigInteger.TEN.pow(exponent).longValueExact();
  }

  /** A number of more digits than a DOUBLE has would silently be another one. */
  private static void toDouble(Column column, DataType from, DataType to, Buffer values) {
    double unit = Math.pow(10, from.scale());
    Storage stored = column.shape().storage();
    long address = column.values().address();
    Buffer validity = column.validity();
    for (int i = 0; i < column.dataRows(); i++) {
      boolean exact = true;
      double value;
      switch (stored) {
        case FLOAT -> value = Mem.getFloat(address + 4L * i);
        case DOUBLE -> value = Mem.getDouble(address + 8L * i);
        case LONG128 -> {
          BigInteger number = Int128.get(address + (long) i * Int128.BYTES);
          value = number.doubleValue();
          exact = new BigDecimal(value).compareTo(new BigDecimal(number)) == 0;
          value /= unit;
        }
        default -> {
          long number = integer(stored, address, i);
          exact = isExact(number);
          value = number / unit;
        }
      }
      if (!exact && (validity == null || Mem.getBit(validity.address(), i))) {
        throw tooLong(column, from, to, i);
      }
      Mem.putDouble(values.address() + 8L * i, value);
    }
  }

  private static boolean isExact(long number) {
    // 2^63 itself is a double and no long.
    return (long) (double) number == number && number != Long.MAX_VALUE;
  }

  private static AragoniteException tooLong(Column column, DataType from, DataType to, int row) {
    Storage stored = column.shape().storage();
    long address = column.values().address();
    BigInteger number =
        stored == Storage.LONG128
            ? Int128.get(address + (long) row * Int128.BYTES)
            : BigInteger.valueOf(integer(stored, address, row));
    return new AragoniteException(
        ErrorCode.NUMERIC_OVERFLOW,
        "%s is of type %s in one file, and has more digits than %s holds, which another file of the table has; read the files one by one, with a cast."
            .formatted(
                new BigDecimal(number, from.scale()).toPlainString(),
                from.withNullable(true),
                to.withNullable(true)));
  }

  private static void scaleWide(Column column, DataType from, DataType to, Buffer values) {
    BigInteger factor = BigInteger.TEN.pow(to.scale() - from.scale());
    Storage stored = column.shape().storage();
    long address = column.values().address();
    for (int i = 0; i < column.dataRows(); i++) {
      boolean present = column.validity() == null || Mem.getBit(column.validity().address(), i);
      BigInteger value = BigInteger.ZERO;
      if (present) {
        value =
            stored == Storage.LONG128
                ? Int128.get(address + (long) i * Int128.BYTES)
                : BigInteger.valueOf(integer(stored, address, i));
      }
      Int128.put(values.address() + (long) i * Int128.BYTES, value.multiply(factor));
    }
  }

  private static long integer(Storage storage, long address, int i) {
    return switch (storage) {
      case BYTE -> Mem.getByte(address + i);
      case SHORT -> Mem.getShort(address + 2L * i);
      case INT -> Mem.getInt(address + 4L * i);
      case LONG -> Mem.getLong(address + 8L * i);
      default -> throw new IllegalArgumentException(storage.name());
    };
  }

  private static void put(Storage storage, long address, int i, long value) {
    switch (storage) {
      case BYTE -> Mem.putByte(address + i, (byte) value);
      case SHORT -> Mem.putShort(address + 2L * i, (short) value);
      case INT, FLOAT -> Mem.putInt(address + 4L * i, (int) value);
      case LONG, DOUBLE -> Mem.putLong(address + 8L * i, value);
      default -> throw new IllegalArgumentException(storage.name());
    }
  }

  /**
   * A column that has one value in all rows.
   *
   * @param value a Long (also of TRUE: 1), a Double, a LocalDate, a BigDecimal of the type's scale
   *     or the bytes of a text; null for a column of nulls
   */
  public static Decoded constant(
      DataType type, @Nullable Object value, int rows, QueryMemory memory) {
    Storage storage = Storage.of(type);
    ColumnShape shape = ColumnShape.of(type);
    if (storage == Storage.NONE) {
      return new Decoded(new Column(shape, rows, Buffer.EMPTY, Buffer.EMPTY, null, null), () -> {});
    }
    if (value instanceof byte[] text) {
      return repeated(shape, text, rows, memory);
    }
    Buffer validity = value == null ? zeros(memory, (rows + 63) / 64 * 8L) : null;
    Buffer offsets = storage == Storage.BYTES ? zeros(memory, 4L * (rows + 1)) : Buffer.EMPTY;
    Buffer values = zeros(memory, (long) rows * storage.width());
    if (value != null) {
      repeat(storage, value, rows, values.address());
    }
    return new Decoded(new Column(shape, rows, values, offsets, validity, null), () -> {});
  }

  private static void repeat(Storage storage, Object value, int rows, long address) {
    BigInteger number =
        switch (value) {
          case LocalDate date -> BigInteger.valueOf(date.toEpochDay());
          case BigDecimal decimal -> decimal.unscaledValue();
          case Double floating ->
              BigInteger.valueOf(
                  storage == Storage.FLOAT
                      ? Float.floatToRawIntBits(floating.floatValue())
                      : Double.doubleToRawLongBits(floating));
          default -> BigInteger.valueOf((Long) value);
        };
    for (int i = 0; i < rows; i++) {
      if (storage == Storage.LONG128) {
        Int128.put(address + (long) i * Int128.BYTES, number);
      } else {
        put(storage, address, i, number.longValue());
      }
    }
  }

  /** Rows that are all number 0 of a dictionary of one text. */
  private static Decoded repeated(ColumnShape shape, byte[] text, int rows, QueryMemory memory) {
    Buffer bytes = memory.allocate(text.length + 8L);
    Mem.copy(text, 0, bytes.address(), text.length);
    Buffer offsets = zeros(memory, 8);
    Mem.putInt(offsets.address() + 4, text.length);
    ColumnShape numbers = new ColumnShape(shape.type(), Storage.BYTE, false, null, null);
    return new Decoded(
        new Column(numbers, rows, zeros(memory, rows), Buffer.EMPTY, null, null),
        new PartDictionary(1, offsets, bytes),
        () -> {});
  }

  private static Buffer zeros(QueryMemory memory, long bytes) {
    Buffer buffer = memory.allocate(bytes);
    Mem.fill(buffer.address(), bytes, (byte) 0);
    return buffer;
  }
}
