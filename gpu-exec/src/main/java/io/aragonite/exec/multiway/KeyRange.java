package io.aragonite.exec.multiway;

import io.aragonite.exec.column.Column;
import io.aragonite.exec.column.ColumnShape;
import io.aragonite.exec.column.Dictionary;
import io.aragonite.exec.column.ValueRange;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.expr.KeyLayout;
import io.aragonite.exec.type.Storage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * How the values of a key column become 32-bit numbers in a trie: as they are, or their codes in a
 * dictionary. So tries of one column are the same whatever query they are made for, and numbers
 * compare as the values do.
 *
 * @param min the least, less one if there may be nulls, whose place is below
 * @param size numbers from {@code min} on
 */
record KeyRange(int min, long size, boolean mayBeNull) {
  /** Bits that tell the numbers apart. */
  int bits() {
    return Long.SIZE - Long.numberOfLeadingZeros(size - 1);
  }

  KeyLayout.Part part() {
    return new KeyLayout.Part(mayBeNull ? min + 1L : min, bits(), mayBeNull);
  }

  /** Whether the column's values are numbers, or codes, of 64 bits at most. */
  static boolean suits(ColumnShape shape) {
    return switch (shape.storage()) {
      case BYTE, SHORT, INT, LONG, CODE -> true;
      default -> false;
    };
  }

  /**
   * The numbers of a column, null if they do not fit.
   *
   * @param column its rows, to be looked at if nothing is known of their bounds
   */
  static @Nullable KeyRange of(ExecContext context, ColumnShape shape, Supplier<Column> column) {
    ValueRange range = shape.range();
    if (shape.storage() == Storage.CODE) {
      Dictionary dictionary = shape.dictionary();
      range = dictionary == null ? null : new ValueRange(0, Math.max(0, dictionary.size() - 1));
    } else if (range == null || !fits(range)) {
      range = context.device().primitives().valueRange(context, column.get());
      if (range == null) {
        range = new ValueRange(0, 0);
      }
    }
    if (range == null || !fits(range)) {
      return null;
    }
    boolean nulls = shape.mayBeNull();
    int min = (int) range.min() - (nulls ? 1 : 0);
    return new KeyRange(min, range.max() - min + 1, nulls);
  }

  /** Whether all are numbers of 32 bits, with room for nulls below them. */
  private static boolean fits(ValueRange range) {
    return range.min() > Integer.MIN_VALUE && range.max() < Integer.MAX_VALUE;
  }
}
