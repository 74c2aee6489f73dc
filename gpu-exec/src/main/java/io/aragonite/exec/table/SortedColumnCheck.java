package io.aragonite.exec.table;

import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import java.util.List;

/** Whether a column in host memory is sorted. */
public final class SortedColumnCheck {
  private SortedColumnCheck() {}

  /**
   * Whether the values of a column of integers never descend and none is null; false for columns of
   * other storage.
   *
   * @param pieces in order, without indirection
   */
  public static boolean is(List<Column> pieces) {
    long last = Long.MIN_VALUE;
    for (Column piece : pieces) {
      Storage storage = piece.shape().storage();
      int rows = piece.dataRows();
      long address = piece.values().address();
      Storage widest = Storage.of(piece.shape().type());
      boolean integers = widest == Storage.INT || widest == Storage.LONG;
      if (!integers || !storage.isInteger() || hasNulls(piece, rows)) {
        return false;
      }
      for (long row = 0; row < rows; row++) {
        long value =
            switch (storage) {
              case BYTE -> Mem.getByte(address + row);
              case SHORT -> Mem.getShort(address + 2 * row);
              case INT -> Mem.getInt(address + 4 * row);
              default -> Mem.getLong(address + 8 * row);
            };
        if (value < last) {
          return false;
        }
        last = value;
      }
    }
    return true;
  }

  private static boolean hasNulls(Column piece, int rows) {
    Buffer bits = piece.validity();
    for (int row = 0; bits != null && row < rows; row++) {
      if (!Mem.getBit(bits.address(), row)) {
        return true;
      }
    }
    return false;
  }
}
