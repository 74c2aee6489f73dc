package io.aragonite.exec.device.cpu.window;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.RowIds;

/** Reads and compares values of a column in host memory, through its indirection. */
final class WindowValues {
  private final Storage storage;
  private final long values;
  private final long offsets;
  private final long validity;
  private final long ids;

  WindowValues(Column column) {
    storage = column.shape().storage();
    values = column.values().address();
    offsets = column.offsets().address();
    validity = column.validity() == null ? 0 : column.validity().address();
    RowIds rowIds = column.rowIds();
    ids = rowIds == null ? 0 : rowIds.ids().address();
    if (storage == Storage.HANDLE) {
      throw new AragoniteException(
          ErrorCode.TYPE_UNSUPPORTED,
          "Values of type " + column.shape().type() + " cannot be compared in a window.");
    }
  }

  /** The row of the data, -1 for a null that is not stored. */
  private int data(int row) {
    return ids == 0 ? row : Mem.getInt(ids + row * 4L);
  }

  boolean isNull(int row) {
    int data = data(row);
    return storage == Storage.NONE || data < 0 || (validity != 0 && !Mem.getBit(validity, data));
  }

  /** An integer-like value; the low half of a 128-bit one. */
  long integer(int row) {
    int data = data(row);
    return switch (storage) {
      case INT, CODE -> Mem.getInt(values + data * 4L);
      case LONG -> Mem.getLong(values + data * 8L);
      case LONG128 -> Mem.getLong(values + data * 16L);
      case SHORT, CODE16 -> Mem.getShort(values + data * 2L);
      case BYTE, CODE8 -> Mem.getByte(values + data);
      default -> throw new IllegalStateException(storage + " is no integer");
    };
  }

  /** The high half of an integer-like value. */
  long high(int row) {
    return storage == Storage.LONG128
        ? Mem.getLong(values + data(row) * 16L + 8)
        : integer(row) >> 63;
  }

  double floating(int row) {
    int data = data(row);
    return storage == Storage.FLOAT
        ? Mem.getFloat(values + data * 4L)
        : Mem.getDouble(values + data * 8L);
  }

  boolean isFloating() {
    return storage == Storage.FLOAT || storage == Storage.DOUBLE;
  }

  /** Compares two values that are not null; -0.0 equals 0.0, NaN equals itself and is greatest. */
  int compare(int a, int b) {
    switch (storage) {
      case NONE -> {
        return 0;
      }
      case FLOAT, DOUBLE -> {
        // Adding 0.0 turns -0.0 into 0.0.
        return Double.compare(floating(a) + 0.0, floating(b) + 0.0);
      }
      case LONG128 -> {
        int high = Long.compare(high(a), high(b));
        return high != 0 ? high : Long.compareUnsigned(integer(a), integer(b));
      }
      case BYTES -> {
        return compareBytes(data(a), data(b));
      }
      default -> {
        return Long.compare(integer(a), integer(b));
      }
    }
  }

  private int compareBytes(int a, int b) {
    int fromA = Mem.getInt(offsets + a * 4L);
    int fromB = Mem.getInt(offsets + b * 4L);
    int lengthA = Mem.getInt(offsets + a * 4L + 4) - fromA;
    int lengthB = Mem.getInt(offsets + b * 4L + 4) - fromB;
    int common = Math.min(lengthA, lengthB);
    for (int i = 0; i < common; i++) {
      int byteA = Mem.getByte(values + fromA + i) & 0xff;
      int byteB = Mem.getByte(values + fromB + i) & 0xff;
      if (byteA != byteB) {
        return byteA < byteB ? -1 : 1;
      }
    }
    return Integer.compare(lengthA, lengthB);
  }

  /** Whether two values differ, nulls being equal. */
  boolean differ(int a, int b) {
    boolean nullA = isNull(a);
    boolean nullB = isNull(b);
    return nullA || nullB ? nullA != nullB : compare(a, b) != 0;
  }
}
