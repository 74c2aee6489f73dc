package io.aragonite.spark.column;

import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.Dictionary;
import java.util.Objects;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.hash.Murmur3_x86_32;
import org.jspecify.annotations.Nullable;

/**
 * Spark's Murmur3 hashes of rows, column by column: a row's hash is that of its last column with
 * the hash of those before it as seed, and a null leaves it as it is.
 */
public final class RowHashes {
  private long[] numbers = {};

  /** Takes a column of a fragment's batch into the hashes of its rows. */
  public void add(EngineColumnVector vector, int rows, int[] hashes) {
    Column column = vector.column();
    DataType type = vector.dataType();
    switch (Storage.of(column.shape().type())) {
      case NONE -> {}
      case BYTES -> addTexts(column, rows, hashes);
      case LONG128 -> addWide(vector, (DecimalType) type, rows, hashes);
      default -> {
        read(column, rows);
        canonical(type, rows);
        addNumbers(column.validity(), type, rows, hashes);
      }
    }
  }

  /** The values, which may lie in fewer bytes than those of their type have. */
  private void read(Column column, int rows) {
    if (numbers.length < rows) {
      numbers = new long[rows];
    }
    long address = column.values().address();
    switch (column.shape().storage()) {
      case BYTE -> {
        for (int i = 0; i < rows; i++) {
          numbers[i] = Mem.getByte(address + i);
        }
      }
      case SHORT -> {
        for (int i = 0; i < rows; i++) {
          numbers[i] = Mem.getShort(address + 2L * i);
        }
      }
      case INT, FLOAT -> {
        for (int i = 0; i < rows; i++) {
          numbers[i] = Mem.getInt(address + 4L * i);
        }
      }
      case LONG, DOUBLE -> {
        for (int i = 0; i < rows; i++) {
          numbers[i] = Mem.getLong(address + 8L * i);
        }
      }
      default -> throw new IllegalStateException("no number in " + column.shape());
    }
  }

  /** Of floats, one zero and one NaN. */
  private void canonical(DataType type, int rows) {
    if (type instanceof DoubleType) {
      for (int i = 0; i < rows; i++) {
        double value = Double.longBitsToDouble(numbers[i]);
        numbers[i] = value == 0 ? 0 : Double.doubleToLongBits(value);
      }
    } else if (type instanceof FloatType) {
      for (int i = 0; i < rows; i++) {
        float value = Float.intBitsToFloat((int) numbers[i]);
        numbers[i] = value == 0 ? 0 : Float.floatToIntBits(value);
      }
    }
  }

  private void addNumbers(
      @Nullable Buffer validity, DataType type, int rows, int[] hashes) {
    boolean longs =
        type instanceof DecimalType
            || type instanceof DoubleType
            || type.equals(DataTypes.LongType)
            || type.equals(DataTypes.TimestampType)
            || type.equals(DataTypes.TimestampNTZType);
    for (int i = 0; i < rows; i++) {
      if (validity == null || Mem.getBit(validity.address(), i)) {
        hashes[i] =
            longs
                ? Murmur3_x86_32.hashLong(numbers[i], hashes[i])
                : Murmur3_x86_32.hashInt((int) numbers[i], hashes[i]);
      }
    }
  }

  private static void addTexts(Column column, int rows, int[] hashes) {
    Buffer validity = column.validity();
    boolean codes = column.shape().storage().isCode();
    for (int i = 0; i < rows; i++) {
      if (validity != null && !Mem.getBit(validity.address(), i)) {
        continue;
      }
      if (codes) {
        Dictionary dictionary = Objects.requireNonNull(column.shape().dictionary());
        hashes[i] = hash(dictionary.bytes(column.code(i)), hashes[i]);
      } else {
        long offset = column.offsets().address() + 4L * i;
        int from = Mem.getInt(offset);
        hashes[i] =
            Murmur3_x86_32.hashUnsafeBytes(
                null, column.values().address() + from, Mem.getInt(offset + 4) - from, hashes[i]);
      }
    }
  }

  /** Decimals of more digits than a long has are hashed by the bytes of the integer. */
  private static void addWide(EngineColumnVector vector, DecimalType type, int rows, int[] hashes) {
    for (int i = 0; i < rows; i++) {
      Decimal value = vector.getDecimal(i, type.precision(), type.scale());
      if (value != null) {
        byte[] unscaled = value.toJavaBigDecimal().unscaledValue().toByteArray();
        hashes[i] = hash(unscaled, hashes[i]);
      }
    }
  }

  private static int hash(byte[] bytes, int seed) {
    return Murmur3_x86_32.hashUnsafeBytes(bytes, Platform.BYTE_ARRAY_OFFSET, bytes.length, seed);
  }
}
