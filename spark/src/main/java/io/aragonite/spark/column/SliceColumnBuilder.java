package io.aragonite.spark.column;

import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.Dictionary;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.Objects;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.types.Decimal;
import org.jspecify.annotations.Nullable;

/** A column of a slice in the making: values on the heap, 64 bits each. */
final class SliceColumnBuilder {
  private static final int FIRST_ROWS = 32;

  /** Texts of up to so many bytes are copied 8 bytes at once, which takes less than a call. */
  private static final int SHORT_TEXT = 32;

  /** Values between two looks at how many runs there are. */
  private static final int RUN_BLOCK = 256;

  private final DataType type;
  private final Storage storage;

  /** Values, bits of floats, low halves of 128 bits, or lengths of texts. */
  private long[] numbers = new long[FIRST_ROWS];

  /** High halves of 128 bits. */
  private long[] high = {};

  private byte[] text = {};
  private int textBytes;

  /** One bit a row, 1 = null; null: there are none. */
  private long @Nullable [] nulls;

  private int rows;

  /** Of integers that {@link #measure} has looked at: the least, and the bits of differences. */
  private long least;

  private int bits;

  SliceColumnBuilder(DataType type) {
    this.type = type;
    this.storage = Storage.of(type);
  }

  /** Adds rows {@code order[from]} to {@code order[to - 1]} of a column without an indirection. */
  void add(Column column, int[] order, int from, int to) {
    if (from == to) {
      return; // a column without rows may have no offsets
    }
    int wanted = rows + to - from;
    if (wanted > numbers.length) {
      numbers = Arrays.copyOf(numbers, Math.max(wanted, 2 * numbers.length));
    }
    switch (storage) {
      case NONE -> {}
      case BYTES -> addText(column, order, from, to);
      case LONG128 -> addWide(column, order, from, to);
      default -> addNumbers(column, order, from, to);
    }
    Buffer validity = column.validity();
    if (validity != null) {
      for (int i = from; i < to; i++) {
        if (!Mem.getBit(validity.address(), order[i])) {
          setNull(rows + i - from);
        }
      }
    }
    rows = wanted;
  }

  /** Adds the value of a field of a row of Spark's. */
  void add(SpecializedGetters row, int field) {
    int at = rows++;
    if (at == numbers.length) {
      numbers = Arrays.copyOf(numbers, 2 * at);
    }
    if (storage == Storage.LONG128 && high.length < numbers.length) {
      high = Arrays.copyOf(high, numbers.length);
    }
    if (row.isNullAt(field)) {
      setNull(at);
      return;
    }
    switch (type.kind()) {
      case BOOLEAN -> numbers[at] = row.getBoolean(field) ? 1 : 0;
      case INT8 -> numbers[at] = row.getByte(field);
      case INT16 -> numbers[at] = row.getShort(field);
      case INT32, DATE -> numbers[at] = row.getInt(field);
      case INT64, TIMESTAMP, INSTANT -> numbers[at] = row.getLong(field);
      case FLOAT32 -> numbers[at] = Float.floatToRawIntBits(row.getFloat(field));
      case FLOAT64 -> numbers[at] = Double.doubleToRawLongBits(row.getDouble(field));
      case DECIMAL -> addDecimal(row.getDecimal(field, type.precision(), type.scale()), at);
      case VARCHAR -> addBytes(row.getUTF8String(field).getBytes(), at);
      case BINARY -> addBytes(row.getBinary(field), at);
      default -> throw new IllegalStateException("no slice of " + type);
    }
  }

  private void addDecimal(Decimal value, int at) {
    if (storage == Storage.LONG) {
      numbers[at] = value.toUnscaledLong();
      return;
    }
    BigInteger unscaled = value.toJavaBigDecimal().unscaledValue();
    numbers[at] = unscaled.longValue();
    high[at] = unscaled.shiftRight(Long.SIZE).longValue();
  }

  private void addBytes(byte[] value, int at) {
    room(value.length);
    System.arraycopy(value, 0, text, textBytes, value.length);
    textBytes += value.length;
    numbers[at] = value.length;
  }

  private void setNull(int row) {
    long[] bits = nulls;
    if (bits == null || bits.length <= row >> 6) {
      bits = bits == null ? new long[(row >> 6) + 1] : Arrays.copyOf(bits, 2 * (row >> 6) + 1);
      nulls = bits;
    }
    bits[row >> 6] |= 1L << row;
    // What lies under a null is not to make differences wider.
    numbers[row] = row == 0 ? 0 : numbers[row - 1];
    if (storage == Storage.LONG128) {
      high[row] = row == 0 ? 0 : high[row - 1];
    } else if (storage == Storage.BYTES) {
      numbers[row] = 0;
    }
  }

  /** Values in the column's own storage, which may be narrower than that of its type. */
  private void addNumbers(Column column, int[] order, int from, int to) {
    long address = column.values().address();
    int at = rows;
    switch (column.shape().storage()) {
      case BYTE -> {
        for (int i = from; i < to; i++) {
          numbers[at++] = Mem.getByte(address + order[i]);
        }
      }
      case SHORT -> {
        for (int i = from; i < to; i++) {
          numbers[at++] = Mem.getShort(address + 2L * order[i]);
        }
      }
      case INT, FLOAT -> {
        for (int i = from; i < to; i++) {
          numbers[at++] = Mem.getInt(address + 4L * order[i]);
        }
      }
      case LONG, DOUBLE -> {
        for (int i = from; i < to; i++) {
          numbers[at++] = Mem.getLong(address + 8L * order[i]);
        }
      }
      default -> throw new IllegalStateException("no slice of " + column.shape());
    }
  }

  /** A decimal of many digits, whose values may be known to fit fewer bits. */
  private void addWide(Column column, int[] order, int from, int to) {
    if (high.length < numbers.length) {
      high = Arrays.copyOf(high, numbers.length);
    }
    if (column.shape().storage() != Storage.LONG128) {
      addNumbers(column, order, from, to);
      for (int at = rows; at < rows + to - from; at++) {
        high[at] = numbers[at] >> 63;
      }
      return;
    }
    long address = column.values().address();
    int at = rows;
    for (int i = from; i < to; i++) {
      long place = address + 16L * order[i];
      numbers[at] = Mem.getLong(place);
      high[at++] = Mem.getLong(place + 8);
    }
  }

  private void addText(Column column, int[] order, int from, int to) {
    if (column.shape().storage().isCode()) {
      addCodes(column, order, from, to);
      return;
    }
    Buffer validity = column.validity();
    long values = column.values().address();
    long offsets = column.offsets().address();
    int end = Mem.getInt(offsets + 4L * column.dataRows());
    int at = rows;
    for (int i = from; i < to; i++) {
      int row = order[i];
      int length = 0;
      if (validity == null || Mem.getBit(validity.address(), row)) {
        int start = Mem.getInt(offsets + 4L * row);
        length = Mem.getInt(offsets + 4L * row + 4) - start;
        addBytes(values + start, length, end - start);
      }
      numbers[at++] = length;
    }
  }

  /**
   * Adds the bytes of a text.
   *
   * @param readable bytes from the address on that may be read
   */
  private void addBytes(long address, int length, int readable) {
    room(length);
    if (length > SHORT_TEXT || readable < SHORT_TEXT) {
      Mem.copy(address, text, textBytes, length);
    } else {
      for (int i = 0; i < length; i += Long.BYTES) {
        SliceFormat.putLong(text, textBytes + i, Mem.getLong(address + i));
      }
    }
    textBytes += length;
  }

  /** The length of a null is put with it. */
  private void addCodes(Column column, int[] order, int from, int to) {
    Dictionary dictionary = Objects.requireNonNull(column.shape().dictionary());
    Buffer validity = column.validity();
    for (int i = from; i < to; i++) {
      int row = order[i];
      if (validity == null || Mem.getBit(validity.address(), row)) {
        addBytes(dictionary.bytes(column.code(row)), rows + i - from);
      }
    }
  }

  /** Makes room for a text, and for as many bytes as one behind it may have written. */
  private void room(int length) {
    if (text.length - textBytes - Long.BYTES < length) {
      int wanted = Math.addExact(textBytes, Math.addExact(length, Long.BYTES));
      text = Arrays.copyOf(text, Math.max(wanted, Math.min(2 * text.length, 1 << 30)));
    }
  }

  /** Bytes that it holds, about. */
  long bytes() {
    return 8L * rows + textBytes;
  }

  /** Bytes of the arrays that it has. */
  long capacity() {
    long[] bits = nulls;
    return 8L * (numbers.length + high.length + (bits == null ? 0 : bits.length)) + text.length;
  }

  /** The bytes that a row of Spark's has for texts and such, beside its fields. */
  long sparkBytes() {
    if (storage == Storage.LONG128) {
      return 16L * rows;
    }
    long sum = 0;
    if (storage == Storage.BYTES) {
      for (int i = 0; i < rows; i++) {
        sum += numbers[i] + 7 & -8L;
      }
    }
    return sum;
  }

  /** The bytes that {@link #write} puts, but for slack. */
  int measure() {
    int head = 1 + (nulls == null ? 0 : SliceFormat.bitBytes(rows));
    int values = switch (storage) {
      case NONE -> 0;
      case FLOAT, DOUBLE -> Math.multiplyExact(storage.width(), rows);
      default -> 1 + measureIntegers();
    };
    int texts = storage == Storage.BYTES ? Math.addExact(Integer.BYTES, textBytes) : 0;
    return Math.addExact(Math.addExact(head, values), texts);
  }

  /** The bytes of integers, with their least. */
  private int measureIntegers() {
    if (storage == Storage.LONG128 && !fits()) {
      bits = SliceFormat.WIDE_BITS;
      return SliceFormat.bytes(bits, rows);
    }
    long low = rows == 0 ? 0 : numbers[0];
    long most = low;
    for (int i = 1; i < rows; i++) {
      low = Math.min(low, numbers[i]);
      most = Math.max(most, numbers[i]);
    }
    least = low;
    bits = SliceFormat.bits(low, most);
    if (bits % 8 != 0 && !hasMoreRuns(SliceFormat.mostRuns(bits, rows))) {
      bits = (bits + 7) & -8;
    }
    return Math.addExact(Long.BYTES, SliceFormat.bytes(bits, rows));
  }

  /** Whether there are more runs of equal values; looks no further than it has to. */
  private boolean hasMoreRuns(int most) {
    int runs = 1;
    for (int from = 1; from < rows && runs <= most; from += RUN_BLOCK) {
      int to = Math.min(rows, from + RUN_BLOCK);
      for (int i = from; i < to; i++) {
        runs += numbers[i] == numbers[i - 1] ? 0 : 1;
      }
    }
    return runs > most;
  }

  /** Puts the column, which has been measured, and is empty afterwards; the place behind it. */
  int write(byte[] to, int from) {
    int at = from;
    long[] isNull = nulls;
    to[at++] = (byte) (isNull == null ? 0 : 1);
    if (isNull != null) {
      for (int i = 0; i < SliceFormat.bitBytes(rows); i++) {
        long word = i >> 3 < isNull.length ? isNull[i >> 3] : 0;
        to[at++] = (byte) ~(word >> 8 * (i & 7));
      }
    }
    at = switch (storage) {
      case NONE -> at;
      case FLOAT -> writeFloats(to, at);
      case DOUBLE -> SliceFormat.putDifferences(to, at, Long.SIZE, numbers, 0, rows);
      default -> writeIntegers(to, at);
    };
    if (storage == Storage.BYTES) {
      SliceFormat.putInt(to, at, textBytes);
      System.arraycopy(text, 0, to, at + 4, textBytes);
      at += 4 + textBytes;
    }
    rows = 0;
    textBytes = 0;
    nulls = null;
    return at;
  }

  private int writeFloats(byte[] to, int at) {
    for (int i = 0; i < rows; i++) {
      SliceFormat.putInt(to, at + Integer.BYTES * i, (int) numbers[i]);
    }
    return at + Integer.BYTES * rows;
  }

  private boolean fits() {
    for (int i = 0; i < rows; i++) {
      if (high[i] != numbers[i] >> 63) {
        return false;
      }
    }
    return true;
  }

  private int writeIntegers(byte[] to, int from) {
    to[from] = (byte) bits;
    if (bits == SliceFormat.WIDE_BITS) {
      return writeWide(to, from + 1);
    }
    SliceFormat.putLong(to, from + 1, least);
    return SliceFormat.putDifferences(to, from + 1 + Long.BYTES, bits, numbers, least, rows);
  }

  private int writeWide(byte[] to, int from) {
    int at = from;
    for (int i = 0; i < rows; i++) {
      SliceFormat.putLong(to, at, numbers[i]);
      SliceFormat.putLong(to, at + 8, high[i]);
      at += 2 * Long.BYTES;
    }
    return at;
  }
}
