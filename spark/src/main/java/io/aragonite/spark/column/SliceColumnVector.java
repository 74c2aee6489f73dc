package io.aragonite.spark.column;

import io.aragonite.exec.memory.Int128;
import io.aragonite.exec.type.Storage;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarArray;
import org.apache.spark.sql.vectorized.ColumnarMap;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;

/** A column of a slice, read where it lies: in the bytes of the row that it came as. */
public final class SliceColumnVector extends ColumnVector {
  private final byte[] bytes;
  private final Storage storage;
  private final int rows;
  private final int nulls;
  private final int values;

  /** Bits from one value to the next. */
  private final int bits;

  /** The bits that are a value's. */
  private final long mask;

  private final long least;
  private final int end;
  private int @Nullable [] offsets;

  private SliceColumnVector(DataType type, Storage storage, byte[] bytes, int from, int rows) {
    super(type);
    this.bytes = bytes;
    this.storage = storage;
    this.rows = rows;
    int at = from + 1;
    nulls = bytes[from] == 0 ? -1 : at;
    at += nulls < 0 ? 0 : SliceFormat.bitBytes(rows);
    long base = 0;
    if (storage == Storage.NONE) {
      bits = 0;
    } else if (storage == Storage.FLOAT || storage == Storage.DOUBLE) {
      bits = Byte.SIZE * storage.width();
    } else {
      bits = bytes[at++] & 0xFF;
      if (bits != SliceFormat.WIDE_BITS) {
        base = SliceFormat.getLong(bytes, at);
        at += Long.BYTES;
      }
    }
    mask = SliceFormat.mask(bits);
    least = base;
    values = at;
    at += SliceFormat.bytes(bits, rows);
    end = storage == Storage.BYTES ? at + 4 + SliceFormat.getInt(bytes, at) : at;
  }

  /**
   * The columns of a slice, valid as long as the row is.
   *
   * @param row with the slice's bytes in its one field
   */
  public static SliceBatch batch(
      UnsafeRow row, List<DataType> types, List<io.aragonite.exec.type.DataType> engineTypes) {
    byte[] bytes = (byte[]) row.getBaseObject();
    int at = start(row);
    int rows = SliceFormat.getInt(bytes, at);
    at += Integer.BYTES;
    List<ColumnVector> vectors = new ArrayList<>();
    for (int i = 0; i < types.size(); i++) {
      SliceColumnVector vector =
          new SliceColumnVector(
              types.get(i), Storage.of(engineTypes.get(i)), bytes, at, rows);
      vectors.add(vector);
      at = vector.end;
    }
    return new SliceBatch(vectors.toArray(new ColumnVector[0]), rows, row);
  }

  /** How many rows are in a slice, of which a row has the bytes. */
  public static int rows(UnsafeRow row) {
    return SliceFormat.getInt((byte[]) row.getBaseObject(), start(row));
  }

  private static int start(UnsafeRow row) {
    long place = row.getBaseOffset() - Platform.BYTE_ARRAY_OFFSET + (row.getLong(0) >>> 32);
    return Math.toIntExact(place);
  }

  /** A value of integers, the low half of 128 bits, or the length of a text. */
  long number(int row) {
    return least + SliceFormat.difference(bytes, values, bits, mask, row);
  }

  /** The high half of 128 bits. */
  long high(int row) {
    return bits == SliceFormat.WIDE_BITS
        ? SliceFormat.getLong(bytes, values + 2 * Long.BYTES * row + Long.BYTES)
        : number(row) >> 63;
  }

  /** The bytes of its texts and wide numbers in rows of Spark's, beside their fields. */
  long sparkBytes() {
    return storage == Storage.LONG128 ? 16L * rows : textBytes();
  }

  /** Bytes of all its texts. */
  int textBytes() {
    return storage == Storage.BYTES ? end - textStart() : 0;
  }

  byte[] bytes() {
    return bytes;
  }

  /** Where the bytes of texts begin. */
  int textStart() {
    return values + SliceFormat.bytes(bits, rows) + 4;
  }

  /** Where values begin. */
  int valuesStart() {
    return values;
  }

  /** Where a row's text begins, from {@link #textStart} on; of the row behind the last: the end. */
  int textOffset(int row) {
    return offsets()[row];
  }

  @Override
  public void close() {}

  @Override
  public boolean hasNull() {
    return nulls >= 0 || storage == Storage.NONE;
  }

  @Override
  public int numNulls() {
    int count = 0;
    for (int i = 0; i < rows; i++) {
      count += isNullAt(i) ? 1 : 0;
    }
    return count;
  }

  @Override
  public boolean isNullAt(int row) {
    return storage == Storage.NONE || nulls >= 0 && !SliceFormat.bit(bytes, nulls, row);
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
    return Float.intBitsToFloat(SliceFormat.getInt(bytes, values + 4 * row));
  }

  @Override
  public double getDouble(int row) {
    return Double.longBitsToDouble(SliceFormat.getLong(bytes, values + 8 * row));
  }

  @Override
  public @Nullable Decimal getDecimal(int row, int precision, int scale) {
    if (isNullAt(row)) {
      return null;
    }
    if (precision <= Decimal.MAX_LONG_DIGITS()) {
      return Decimal.createUnsafe(number(row), precision, scale);
    }
    BigDecimal value = new BigDecimal(Int128.of(high(row), number(row)), scale);
    return Decimal.apply(value, precision, scale);
  }

  @Override
  public @Nullable UTF8String getUTF8String(int row) {
    if (isNullAt(row)) {
      return null;
    }
    int[] starts = offsets();
    return UTF8String.fromBytes(bytes, textStart() + starts[row], starts[row + 1] - starts[row]);
  }

  private int[] offsets() {
    int[] known = offsets;
    if (known == null) {
      known = new int[rows + 1];
      for (int i = 0; i < rows; i++) {
        known[i + 1] = known[i] + (int) number(i);
      }
      offsets = known;
    }
    return known;
  }

  @Override
  public byte @Nullable [] getBinary(int row) {
    UTF8String text = getUTF8String(row);
    return text == null ? null : text.getBytes();
  }

  @Override
  public ColumnarArray getArray(int row) {
    throw new UnsupportedOperationException("no slice has arrays");
  }

  @Override
  public ColumnarMap getMap(int row) {
    throw new UnsupportedOperationException("no slice has maps");
  }

  @Override
  public ColumnVector getChild(int ordinal) {
    throw new UnsupportedOperationException("no slice has children");
  }
}
