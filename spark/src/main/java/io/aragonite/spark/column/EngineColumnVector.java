package io.aragonite.spark.column;

import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Int128;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.Dictionary;
import java.math.BigDecimal;
import java.util.Objects;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarArray;
import org.apache.spark.sql.vectorized.ColumnarMap;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;

/**
 * One of our columns as Spark sees it, in host memory and without an indirection. It owns nothing:
 * the column's memory lives until the result that it is of moves on.
 */
public final class EngineColumnVector extends ColumnVector {
  private final Column column;
  private final Storage storage;
  private final long values;
  private final @Nullable Buffer validity;

  /**
   * @param type Spark's type of the column
   */
  public EngineColumnVector(DataType type, Column column) {
    super(type);
    this.column = column;
    this.storage = column.shape().storage();
    this.values = column.values().address();
    this.validity = column.validity();
  }

  /** The column that it is of. */
  Column column() {
    return column;
  }

  @Override
  public void close() {}

  @Override
  public boolean hasNull() {
    return validity != null || storage == Storage.NONE;
  }

  @Override
  public int numNulls() {
    int nulls = 0;
    for (int i = 0; i < column.rows(); i++) {
      nulls += isNullAt(i) ? 1 : 0;
    }
    return nulls;
  }

  @Override
  public boolean isNullAt(int row) {
    Buffer bits = validity;
    return storage == Storage.NONE || bits != null && !Mem.getBit(bits.address(), row);
  }

  /** An integer, a date or such, which may lie in fewer bytes than those of its type have. */
  private long number(int row) {
    return switch (storage) {
      case BYTE -> Mem.getByte(values + row);
      case SHORT -> Mem.getShort(values + 2L * row);
      case INT -> Mem.getInt(values + 4L * row);
      case LONG -> Mem.getLong(values + 8L * row);
      default -> throw new IllegalStateException("no integer in " + storage);
    };
  }

  @Override
  public boolean getBoolean(int row) {
    return number(row) != 0;
  }

  @Override
  public byte getByte(int row) {
    return (byte) number(row);
  }

  @Override
  public short getShort(int row) {
    return (short) number(row);
  }

  @Override
  public int getInt(int row) {
    return (int) number(row);
  }

  @Override
  public long getLong(int row) {
    return number(row);
  }

  @Override
  public float getFloat(int row) {
    return Mem.getFloat(values + 4L * row);
  }

  @Override
  public double getDouble(int row) {
    return Mem.getDouble(values + 8L * row);
  }

  @Override
  public @Nullable Decimal getDecimal(int row, int precision, int scale) {
    if (isNullAt(row)) {
      return null;
    }
    if (storage != Storage.LONG128) {
      return precision <= Decimal.MAX_LONG_DIGITS()
          ? Decimal.createUnsafe(number(row), precision, scale)
          : Decimal.apply(BigDecimal.valueOf(number(row), scale), precision, scale);
    }
    BigDecimal value = new BigDecimal(Int128.get(values + (long) row * Int128.BYTES), scale);
    return Decimal.apply(value, precision, scale);
  }

  @Override
  public @Nullable UTF8String getUTF8String(int row) {
    if (isNullAt(row)) {
      return null;
    }
    if (storage.isCode()) {
      Dictionary dictionary = Objects.requireNonNull(column.shape().dictionary());
      return UTF8String.fromBytes(dictionary.bytes(column.code(row)));
    }
    long offset = column.offsets().address() + 4L * row;
    int from = Mem.getInt(offset);
    return UTF8String.fromAddress(null, values + from, Mem.getInt(offset + 4) - from);
  }

  @Override
  public byte @Nullable [] getBinary(int row) {
    UTF8String bytes = getUTF8String(row);
    return bytes == null ? null : bytes.getBytes();
  }

  @Override
  public ColumnarArray getArray(int row) {
    throw new UnsupportedOperationException("no column of ours has arrays");
  }

  @Override
  public ColumnarMap getMap(int row) {
    throw new UnsupportedOperationException("no column of ours has maps");
  }

  @Override
  public ColumnVector getChild(int ordinal) {
    throw new UnsupportedOperationException("no column of ours has children");
  }
}
