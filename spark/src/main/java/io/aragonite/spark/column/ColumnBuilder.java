package io.aragonite.spark.column;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Int128;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.execution.vectorized.WritableColumnVector;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;

/** Puts values of Spark's rows and columns into one of our columns, in host memory. */
final class ColumnBuilder {
  /** A batch of the CPU's: most never grow. */
  private static final int FIRST_ROWS = 4096;

  private static final int TEXT_BYTES = 16;
  private static final int LINE = 64;

  private final ColumnShape shape;
  private final DataType type;
  private final int width;
  private final boolean variable;
  private final QueryMemory memory;
  private Buffer values = Buffer.EMPTY;
  private Buffer offsets = Buffer.EMPTY;
  private @Nullable Buffer validity;
  private int capacity;

  /** Rows that there is room for at first. */
  private int firstRows = FIRST_ROWS;

  /** Bytes of text that there is room for at first; negative: a guess. */
  private int textRoom = -1;

  private int rows;
  private int bytes;

  ColumnBuilder(DataType type, QueryMemory memory) {
    this.shape = ColumnShape.of(type);
    this.type = type;
    this.width = shape.storage().width();
    this.variable = type.kind().isVariable();
    this.memory = memory;
  }

  /** Makes room for all that is to come, in an empty column: nothing has to be moved later. */
  void reserve(int allRows, int allText) {
    textRoom = Math.max(1, allText);
    firstRows = 1;
    ensure(allRows);
  }

  /** The value of a field of a row. */
  void add(SpecializedGetters row, int field) {
    ensure(rows + 1);
    int at = rows++;
    if (row.isNullAt(field)) {
      addNull(at);
      endNoText(at);
      return;
    }
    long address = values.address() + (long) at * width;
    switch (type.kind()) {
      case BOOLEAN -> Mem.putByte(address, (byte) (row.getBoolean(field) ? 1 : 0));
      case INT8 -> Mem.putByte(address, row.getByte(field));
      case INT16 -> Mem.putShort(address, row.getShort(field));
      case INT32, DATE -> Mem.putInt(address, row.getInt(field));
      case INT64, TIMESTAMP, INSTANT -> Mem.putLong(address, row.getLong(field));
      case FLOAT32 -> Mem.putFloat(address, row.getFloat(field));
      case FLOAT64 -> Mem.putDouble(address, row.getDouble(field));
      case DECIMAL -> {
        if (width == Long.BYTES && row instanceof UnsafeRow) {
          Mem.putLong(address, row.getLong(field));
        } else {
          putDecimal(address, row.getDecimal(field, type.precision(), type.scale()));
        }
      }
      case VARCHAR -> addText(at, row.getUTF8String(field));
      case BINARY -> addText(at, UTF8String.fromBytes(row.getBinary(field)));
      default -> throw new IllegalStateException("no column of " + type);
    }
  }

  /** The values of some rows of a vector. */
  void add(ColumnVector vector, int from, int count) {
    if (vector instanceof SliceColumnVector slice) {
      add(slice, from, count);
      return;
    }
    ensure(rows + count);
    int at = rows;
    rows += count;
    boolean nulls = vector.hasNull();
    long address = values.address() + (long) at * width;
    for (int i = 0; i < count; i++) {
      if (nulls && vector.isNullAt(from + i)) {
        addNull(at + i);
        endNoText(at + i);
      } else if (variable) {
        addText(at + i, text(vector, from + i));
      } else {
        put(vector, from + i, address + (long) i * width);
      }
    }
  }

  /** The values of some rows of a slice. */
  void add(SliceColumnVector slice, int from, int count) {
    ensure(rows + count);
    int at = rows;
    rows += count;
    long address = values.address() + (long) at * width;
    switch (shape.storage()) {
      case NONE -> {}
      case FLOAT, DOUBLE -> {
        int start = slice.valuesStart() + from * width;
        Mem.copy(slice.bytes(), start, address, count * width);
      }
      case BYTE -> {
        for (int i = 0; i < count; i++) {
          Mem.putByte(address + i, (byte) slice.number(from + i));
        }
      }
      case SHORT -> {
        for (int i = 0; i < count; i++) {
          Mem.putShort(address + 2L * i, (short) slice.number(from + i));
        }
      }
      case INT -> {
        for (int i = 0; i < count; i++) {
          Mem.putInt(address + 4L * i, (int) slice.number(from + i));
        }
      }
      case LONG -> {
        for (int i = 0; i < count; i++) {
          Mem.putLong(address + 8L * i, slice.number(from + i));
        }
      }
      case LONG128 -> {
        for (int i = 0; i < count; i++) {
          Mem.putLong(address + 16L * i, slice.number(from + i));
          Mem.putLong(address + 16L * i + 8, slice.high(from + i));
        }
      }
      case BYTES -> addTexts(slice, from, count, at);
      default -> throw new IllegalStateException("no column of " + type);
    }
    if (slice.hasNull()) {
      for (int i = 0; i < count; i++) {
        if (slice.isNullAt(from + i)) {
          addNull(at + i);
        }
      }
    }
  }

  private void addTexts(SliceColumnVector slice, int from, int count, int at) {
    int start = slice.textOffset(from);
    int length = slice.textOffset(from + count) - start;
    if ((long) bytes + length > values.size()) {
      values = memory.grow(values, Math.max(2 * values.size(), (long) bytes + length));
    }
    Mem.copy(slice.bytes(), slice.textStart() + start, values.address() + bytes, length);
    int moved = bytes - start;
    bytes = Math.addExact(bytes, length);
    for (int i = 1; i <= count; i++) {
      Mem.putInt(offsets.address() + 4L * (at + i), slice.textOffset(from + i) + moved);
    }
  }

  private UTF8String text(ColumnVector vector, int row) {
    return type.kind() == TypeKind.BINARY
        ? UTF8String.fromBytes(vector.getBinary(row))
        : vector.getUTF8String(row);
  }

  private void put(ColumnVector vector, int row, long address) {
    switch (type.kind()) {
      case BOOLEAN -> Mem.putByte(address, (byte) (vector.getBoolean(row) ? 1 : 0));
      case INT8 -> Mem.putByte(address, vector.getByte(row));
      case INT16 -> Mem.putShort(address, vector.getShort(row));
      case INT32, DATE -> Mem.putInt(address, vector.getInt(row));
      case INT64, TIMESTAMP, INSTANT -> Mem.putLong(address, vector.getLong(row));
      case FLOAT32 -> Mem.putFloat(address, vector.getFloat(row));
      case FLOAT64 -> Mem.putDouble(address, vector.getDouble(row));
      case DECIMAL -> {
        // Spark's own vectors have decimals as the unscaled integers that they are.
        if (width != Long.BYTES || !(vector instanceof WritableColumnVector)) {
          putDecimal(address, vector.getDecimal(row, type.precision(), type.scale()));
        } else if (type.precision() <= Decimal.MAX_INT_DIGITS()) {
          Mem.putLong(address, vector.getInt(row));
        } else {
          Mem.putLong(address, vector.getLong(row));
        }
      }
      default -> throw new IllegalStateException("no column of " + type);
    }
  }

  private void putDecimal(long address, Decimal value) {
    if (width == Long.BYTES) {
      Mem.putLong(address, value.toUnscaledLong());
      return;
    }
    Int128.put(address, value.toJavaBigDecimal().unscaledValue());
  }

  private void addText(int at, UTF8String text) {
    int length = text.numBytes();
    if ((long) bytes + length > values.size()) {
      values = memory.grow(values, Math.max(2 * values.size(), (long) bytes + length));
    }
    text.writeToMemory(null, values.address() + bytes);
    bytes = Math.addExact(bytes, length);
    Mem.putInt(offsets.address() + 4L * (at + 1), bytes);
  }

  /** Of a null row the text has no bytes. */
  private void endNoText(int at) {
    if (variable) {
      Mem.putInt(offsets.address() + 4L * (at + 1), bytes);
    }
  }

  private void addNull(int at) {
    if (!shape.mayBeNull()) {
      throw new AragoniteException(
          ErrorCode.INTERNAL, "Spark gave a null in a column that it says has none.");
    }
    Buffer bits = validity;
    if (bits == null) {
      bits = memory.allocate(bitmapBytes(capacity));
      memory.fill(bits, (byte) -1);
      validity = bits;
    }
    long address = bits.address() + (at >> 3);
    Mem.putByte(address, (byte) (Mem.getByte(address) & ~(1 << (at & 7))));
  }

  private static long bitmapBytes(int rows) {
    return (rows + LINE - 1L) / LINE * Long.BYTES;
  }

  private void ensure(int wanted) {
    if (wanted <= capacity) {
      return;
    }
    int before = capacity;
    capacity = Math.max(wanted, Math.max(firstRows, 2 * capacity));
    if (variable) {
      offsets = memory.grow(offsets, 4L * (capacity + 1));
      if (before == 0) {
        Mem.putInt(offsets.address(), 0);
        values = memory.grow(values, textRoom < 0 ? (long) TEXT_BYTES * capacity : textRoom);
      }
    } else if (width > 0) {
      values = memory.grow(values, (long) width * capacity);
    }
    Buffer bits = validity;
    if (bits != null) {
      long had = bitmapBytes(before);
      Buffer larger = memory.grow(bits, bitmapBytes(capacity));
      Mem.fill(larger.address() + had, bitmapBytes(capacity) - had, (byte) -1);
      validity = larger;
    }
  }

  /** Bytes of text that are there. */
  int textBytes() {
    return bytes;
  }

  /** The column; its buffers are the caller's. */
  Column finish() {
    ensure(1);
    return new Column(
        shape,
        rows,
        variable ? values.slice(0, bytes) : width == 0 ? Buffer.EMPTY : values,
        offsets,
        validity,
        null);
  }
}
