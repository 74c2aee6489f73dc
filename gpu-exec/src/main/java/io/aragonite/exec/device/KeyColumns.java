package io.aragonite.exec.device;

import io.aragonite.exec.memory.Buffer;
import java.util.List;

/**
 * Key words that need not be made, since the columns that they are packed of have them: row i's is
 * each column's value, less a value that stands for 0, shifted left, all of them together.
 *
 * @param columns one or two, whose bits do not meet
 * @param rows 32-bit row numbers into the columns, none of which is -1; EMPTY: all rows in order
 * @param count how many words
 */
public record KeyColumns(List<PackedColumn> columns, Buffer rows, int count) {
  /** Columns that a word may be packed of. */
  public static final int MOST = 2;

  /**
   * @param values signed integers
   * @param bytes of a value: 1, 2, 4 or 8
   * @param zero the value that stands for 0
   * @param shift by which values are shifted left
   */
  public record PackedColumn(Buffer values, int bytes, long zero, int shift) {}

  public KeyColumns {
    columns = List.copyOf(columns);
    if (columns.isEmpty() || columns.size() > MOST) {
      throw new IllegalArgumentException(columns.size() + " columns");
    }
  }

  /** Words of 64 bits, in order. */
  public static KeyColumns ofWords(Buffer words, int count) {
    return new KeyColumns(List.of(new PackedColumn(words, Long.BYTES, 0, 0)), Buffer.EMPTY, count);
  }
}
