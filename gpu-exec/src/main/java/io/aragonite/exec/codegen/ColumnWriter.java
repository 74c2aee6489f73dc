package io.aragonite.exec.codegen;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Allocator;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Int128;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.HostObjects;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Writes boxed values, row after row, into a new column. */
public final class ColumnWriter {
  private final ColumnShape shape;
  private final int rows;
  private final HostObjects hostObjects;
  private final Buffer values;
  private final @Nullable Buffer validity;
  private final @Nullable TextWriter text;
  private int row;
  private long bits;

  /**
   * @param shape of any storage but codes
   */
  public ColumnWriter(ColumnShape shape, int rows, Allocator allocator, HostObjects hostObjects) {
    this.shape = shape;
    this.rows = rows;
    this.hostObjects = hostObjects;
    boolean variable = shape.storage() == io.aragonite.exec.type.Storage.BYTES;
    this.values =
        variable ? Buffer.EMPTY : allocator.allocate((long) rows * shape.storage().width());
    this.text = variable ? new TextWriter(allocator, rows) : null;
    this.validity = shape.mayBeNull() ? allocator.allocate((rows + 63L) / 64 * 8) : null;
  }

  /** Appends a value in the form of {@link io.aragonite.exec.expr.Expr.Literal}. */
  public void add(@Nullable Object value) {
    if (value == null) {
      if (validity == null) {
        throw new AragoniteException(
            ErrorCode.INTERNAL, "A null came out of an expression of type " + shape.type() + ".");
      }
      if (text != null) {
        text.add(0, 0);
      }
    } else {
      bits |= 1L << row;
      put(value);
    }
    row++;
    if ((row & 63) == 0 || row == rows) {
      if (validity != null) {
        Mem.putLong(validity.address() + (row - 1 >> 6) * 8L, bits);
      }
      bits = 0;
    }
  }

  private void put(Object value) {
    long address = values.address();
    switch (shape.storage()) {
      case NONE -> throw new IllegalStateException("a value of type NULL");
      case BYTE ->
          Mem.putByte(
              address + row,
              value instanceof Boolean truth ? (byte) (truth ? 1 : 0) : (byte) integer(value));
      case SHORT -> Mem.putShort(address + 2L * row, (short) integer(value));
      case INT -> Mem.putInt(address + 4L * row, (int) integer(value));
      case LONG -> Mem.putLong(address + 8L * row, integer(value));
      case LONG128 ->
          Int128.put(
              address + 16L * row,
              ((BigDecimal) value).setScale(shape.type().scale()).unscaledValue());
      case FLOAT -> Mem.putFloat(address + 4L * row, ((Double) value).floatValue());
      case DOUBLE -> Mem.putDouble(address + 8L * row, (Double) value);
      case BYTES -> {
        byte[] bytes =
            value instanceof byte[] given
                ? given
                : ((String) value).getBytes(StandardCharsets.UTF_8);
        if (text != null) {
          text.add(bytes);
        }
      }
      case CODE, CODE8, CODE16 ->
          throw new IllegalStateException("boxed values are not written as codes");
      case HANDLE -> Mem.putLong(address + 8L * row, hostObjects.add(value));
    }
  }

  private long integer(Object value) {
    return value instanceof BigDecimal decimal
        ? decimal.setScale(shape.type().scale()).unscaledValue().longValueExact()
        : (Long) value;
  }

  /** The column, once all rows were added. */
  public Column finish() {
    return new Column(
        shape,
        rows,
        text == null ? values : text.bytes(),
        text == null ? Buffer.EMPTY : text.offsets(),
        validity,
        null);
  }
}
