package io.aragonite.exec.device.cpu.window;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import java.math.BigInteger;

/**
 * A column of fixed width that is computed, a value a position. Positions may come in any order.
 */
final class WindowOutput {
  private final QueryMemory memory;
  private final DataType type;
  private final Storage storage;
  private final int count;
  private final Buffer values;

  /** A byte a position, 1 = not null; a bitmap could not be written by several workers. */
  private final Buffer present;

  /** Bounds of what the type holds, as 128 bits: unscaled for a decimal. */
  private final long limitHigh;

  private final long limitLow;

  WindowOutput(QueryMemory memory, DataType type, int count) {
    this.memory = memory;
    this.type = type;
    this.storage = Storage.of(type);
    this.count = count;
    if (storage.width() == 0 || storage == Storage.HANDLE) {
      throw new AragoniteException(
          ErrorCode.TYPE_UNSUPPORTED, "A window function cannot compute values of " + type + ".");
    }
    values = memory.allocate((long) count * storage.width());
    present = memory.allocate(count);
    BigInteger limit =
        switch (type.kind()) {
          case DECIMAL -> BigInteger.TEN.pow(type.precision());
          case INT8 -> BigInteger.ONE.shiftLeft(7);
          case INT16 -> BigInteger.ONE.shiftLeft(15);
          case INT32, DATE, INTERVAL_MONTH -> BigInteger.ONE.shiftLeft(31);
          default -> BigInteger.ONE.shiftLeft(63);
        };
    limitHigh = limit.shiftRight(64).longValue();
    limitLow = limit.longValue();
  }

  boolean isFloating() {
    return type.kind().isFloat();
  }

  void setNull(int position) {
    Mem.putByte(present.address() + position, (byte) 0);
    switch (storage.width()) {
      case 1 -> Mem.putByte(values.address() + position, (byte) 0);
      case 2 -> Mem.putShort(values.address() + position * 2L, (short) 0);
      case 4 -> Mem.putInt(values.address() + position * 4L, 0);
      case 8 -> Mem.putLong(values.address() + position * 8L, 0);
      default -> {
        Mem.putLong(values.address() + position * 16L, 0);
        Mem.putLong(values.address() + position * 16L + 8, 0);
      }
    }
  }

  void setFloating(int position, double value) {
    Mem.putByte(present.address() + position, (byte) 1);
    if (storage == Storage.FLOAT) {
      Mem.putFloat(values.address() + position * 4L, (float) value);
    } else {
      Mem.putDouble(values.address() + position * 8L, value);
    }
  }

  void setInteger(int position, long value) {
    setInteger(position, value >> 63, value, 0);
  }

  /**
   * @param high the high half of a 128-bit value
   * @param beyond 0 if the value fits 128 bits
   * @throws AragoniteException NUMERIC_OVERFLOW if the type does not hold the value
   */
  void setInteger(int position, long high, long low, long beyond) {
    if (isFloating()) {
      setFloating(position, high * 0x1p64 + unsigned(low));
      return;
    }
    boolean negative = high < 0;
    // Of a negative value the complement, which is one less than its size, is compared.
    long sizeHigh = negative ? ~high : high;
    long sizeLow = negative ? ~low : low;
    int order = Long.compare(sizeHigh, limitHigh);
    if (order == 0) {
      order = Long.compareUnsigned(sizeLow, limitLow);
    }
    boolean exactLimit = false;
    if (negative && type.kind() == TypeKind.DECIMAL && order < 0) {
      // 10^precision itself does not fit, although its complement is below the limit.
      exactLimit = sizeHigh == limitHigh && sizeLow == limitLow - 1;
    }
    if (beyond != 0 || order >= 0 || exactLimit) {
      throw new AragoniteException(
          ErrorCode.NUMERIC_OVERFLOW,
          "The result of a window function does not fit "
              + type
              + "; cast its argument to a wider type.");
    }
    Mem.putByte(present.address() + position, (byte) 1);
    switch (storage) {
      case BYTE -> Mem.putByte(values.address() + position, (byte) low);
      case SHORT -> Mem.putShort(values.address() + position * 2L, (short) low);
      case INT -> Mem.putInt(values.address() + position * 4L, (int) low);
      case LONG -> Mem.putLong(values.address() + position * 8L, low);
      default -> {
        Mem.putLong(values.address() + position * 16L, low);
        Mem.putLong(values.address() + position * 16L + 8, high);
      }
    }
  }

  private static double unsigned(long value) {
    return value >= 0 ? value : value + 0x1p64;
  }

  /** The column, once all positions are set. */
  Column finish() {
    long nulls = 0;
    for (int i = 0; i < count; i++) {
      nulls += Mem.getByte(present.address() + i) ^ 1;
    }
    Buffer validity = nulls == 0 ? null : memory.allocate((count + 63L) / 64 * 8);
    for (int i = 0; validity != null && i < count; i += 8) {
      int bits = 0;
      for (int k = 0; k < 8 && i + k < count; k++) {
        bits |= Mem.getByte(present.address() + i + k) << k;
      }
      Mem.putByte(validity.address() + (i >> 3), (byte) bits);
    }
    memory.free(present);
    ColumnShape shape = new ColumnShape(type, storage, validity != null, null, null);
    return new Column(shape, count, values, Buffer.EMPTY, validity, null);
  }
}
