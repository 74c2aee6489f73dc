package io.aragonite.exec.page;

import io.aragonite.exec.memory.Mem;

/** Moves a page's values, which lie without gaps, to the rows that are not null. */
public final class RowSpread {
  private RowSpread() {}

  /**
   * Moves the last value first, so that none is overwritten before it has been moved. Rows that are
   * null keep whatever is there.
   *
   * @param to address of the page's first row
   * @param row where the page's rows begin within the column
   * @param rows of the page
   * @param count values that are not null
   * @param validity bitmap of the column's rows
   * @param width of a value: 1, 2, 4, 8 or 16 bytes
   */
  public static void spread(long to, int row, int rows, int count, long validity, int width) {
    int from = count;
    for (int i = rows - 1; i >= from; i--) {
      if (Mem.getBit(validity, (long) row + i)) {
        from--;
        switch (width) {
          case 1 -> Mem.putByte(to + i, Mem.getByte(to + from));
          case 2 -> Mem.putShort(to + 2L * i, Mem.getShort(to + 2L * from));
          case 4 -> Mem.putInt(to + 4L * i, Mem.getInt(to + 4L * from));
          case 8 -> Mem.putLong(to + 8L * i, Mem.getLong(to + 8L * from));
          default -> {
            Mem.putLong(to + 16L * i, Mem.getLong(to + 16L * from));
            Mem.putLong(to + 16L * i + 8, Mem.getLong(to + 16L * from + 8));
          }
        }
      }
    }
  }

  /** Sets the rows that are null to 0; parameters as of {@link #spread}. */
  public static void clearNulls(long to, int row, int rows, long validity, int width) {
    for (int i = 0; i < rows; i++) {
      if (!Mem.getBit(validity, (long) row + i)) {
        Mem.fill(to + (long) i * width, width, (byte) 0);
      }
    }
  }
}
