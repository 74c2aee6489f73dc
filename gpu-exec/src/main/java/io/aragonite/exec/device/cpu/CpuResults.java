package io.aragonite.exec.device.cpu;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Allocator;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.ValueRange;
import java.math.BigInteger;
import org.jspecify.annotations.Nullable;

/** Columns made of accumulated 64-bit and 128-bit states. */
final class CpuResults {
  private CpuResults() {}

  /**
   * A column of 64-bit states in its own storage, with bounds measured where it has them.
   *
   * @param validity null if there are no nulls
   */
  static Column narrow(
      ColumnShape shape, long states, int count, @Nullable Buffer validity, Allocator allocator) {
    Storage storage = shape.storage();
    Buffer out = allocator.allocate((long) count * storage.width());
    switch (storage) {
      case BYTE, CODE8 -> {
        for (int i = 0; i < count; i++) {
          Mem.putByte(out.address() + i, (byte) Mem.getLong(states + 8L * i));
        }
      }
      case SHORT, CODE16 -> {
        for (int i = 0; i < count; i++) {
          Mem.putShort(out.address() + 2L * i, (short) Mem.getLong(states + 8L * i));
        }
      }
      case INT, CODE -> {
        for (int i = 0; i < count; i++) {
          Mem.putInt(out.address() + 4L * i, (int) Mem.getLong(states + 8L * i));
        }
      }
      case LONG, HANDLE -> Mem.copy(states, out.address(), 8L * count);
      default -> throw new IllegalArgumentException(storage.name());
    }
    boolean bounded =
        !storage.isCode() && storage != Storage.HANDLE && shape.type().kind() != TypeKind.BOOLEAN;
    ValueRange range = bounded ? range(states, count, validity) : shape.range();
    ColumnShape newShape =
        new ColumnShape(
            shape.type(),
            storage,
            shape.mayBeNull() || validity != null,
            shape.dictionary(),
            range);
    return new Column(newShape, count, out, Buffer.EMPTY, validity, null);
  }

  /** Bounds of the states that are not null; null if there are none. */
  static @Nullable ValueRange range(long states, int count, @Nullable Buffer validity) {
    long min = Long.MAX_VALUE;
    long max = Long.MIN_VALUE;
    for (int i = 0; i < count; i++) {
      if (validity == null || Mem.getBit(validity.address(), i)) {
        long value = Mem.getLong(states + 8L * i);
        min = Math.min(min, value);
        max = Math.max(max, value);
      }
    }
    return min > max ? null : new ValueRange(min, max);
  }

  /** Whether all 128-bit states that are not null fit 64 bits. */
  static boolean fitLong(long states, int count, @Nullable Buffer validity) {
    for (int i = 0; i < count; i++) {
      if (validity == null || Mem.getBit(validity.address(), i)) {
        if (Mem.getLong(states + 16L * i) >> 63 != Mem.getLong(states + 16L * i + 8)) {
          return false;
        }
      }
    }
    return true;
  }

  /** A column of 128-bit states. */
  static Column wide(
      DataType type, long states, int count, @Nullable Buffer validity, Allocator allocator) {
    Buffer out = allocator.allocate(16L * count);
    Mem.copy(states, out.address(), 16L * count);
    ColumnShape shape =
        new ColumnShape(type, Storage.LONG128, type.nullable() || validity != null, null, null);
    return new Column(shape, count, out, Buffer.EMPTY, validity, null);
  }

  /** The largest value that a type holds; its smallest is the negative, or that less one. */
  static BigInteger largest(DataType type) {
    return switch (type.kind()) {
      case BOOLEAN -> BigInteger.ONE;
      case INT8 -> BigInteger.valueOf(Byte.MAX_VALUE);
      case INT16 -> BigInteger.valueOf(Short.MAX_VALUE);
      case INT32, DATE, INTERVAL_MONTH -> BigInteger.valueOf(Integer.MAX_VALUE);
      case DECIMAL -> BigInteger.TEN.pow(type.precision()).subtract(BigInteger.ONE);
      default -> BigInteger.valueOf(Long.MAX_VALUE);
    };
  }

  /**
   * @throws AragoniteException NUMERIC_OVERFLOW if a sum does not fit its type
   */
  static void checkSums(
      DataType type, long states, boolean wide, int count, @Nullable Buffer validity) {
    BigInteger max = largest(type);
    BigInteger min =
        type.kind() == TypeKind.DECIMAL ? max.negate() : max.negate().subtract(BigInteger.ONE);
    boolean longBounds = max.bitLength() < 64;
    long longMax = longBounds ? max.longValue() : Long.MAX_VALUE;
    long longMin = longBounds ? min.longValue() : Long.MIN_VALUE;
    for (int i = 0; i < count; i++) {
      if (validity != null && !Mem.getBit(validity.address(), i)) {
        continue;
      }
      long low = Mem.getLong(states + (wide ? 16L : 8L) * i);
      long high = wide ? Mem.getLong(states + 16L * i + 8) : low >> 63;
      boolean fits;
      if (high == low >> 63) {
        fits = low >= longMin && low <= longMax;
      } else if (longBounds) {
        fits = false;
      } else {
        BigInteger value =
            BigInteger.valueOf(high)
                .shiftLeft(64)
                .or(
                    BigInteger.valueOf(low)
                        .and(BigInteger.ONE.shiftLeft(64).subtract(BigInteger.ONE)));
        fits = value.compareTo(min) >= 0 && value.compareTo(max) <= 0;
      }
      if (!fits) {
        throw new AragoniteException(
            ErrorCode.NUMERIC_OVERFLOW,
            "SUM does not fit its type "
                + type.withNullable(true)
                + "; cast its argument to a wider type.");
      }
    }
  }

  /** A column in which every row is null. */
  static Column nulls(ColumnShape declared, int count, Allocator allocator) {
    ColumnShape shape = declared.withMayBeNull(true);
    Buffer validity = allocator.allocate((count + 63) / 64 * 8L);
    Mem.fill(validity.address(), validity.size(), (byte) 0);
    Buffer values = Buffer.EMPTY;
    Buffer offsets = Buffer.EMPTY;
    if (shape.storage() == Storage.BYTES) {
      values = allocator.allocate(0);
      offsets = allocator.allocate(4L * (count + 1));
      Mem.fill(offsets.address(), offsets.size(), (byte) 0);
    } else if (shape.storage() != Storage.NONE) {
      values = allocator.allocate((long) count * shape.storage().width());
      Mem.fill(values.address(), values.size(), (byte) 0);
    }
    return new Column(shape, count, values, offsets, validity, null);
  }
}
