package io.aragonite.exec.operator.multiway;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.expr.KeyHash;
import io.aragonite.exec.expr.KeyLayout;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.Dictionary;
import io.aragonite.exec.vector.ValueRange;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The 32-bit numbers that stand for the values of a key column in a trie.
 *
 * @param min the least
 * @param size numbers from {@code min} on
 */
record KeyRange(int min, long size) {
  /** Bits that tell the numbers apart. */
  int bits() {
    return Long.SIZE - Long.numberOfLeadingZeros(size - 1);
  }

  KeyLayout.KeyField part() {
    return new KeyLayout.KeyField(min, bits(), false);
  }

  /** Whether the column's values are numbers, or codes, of 64 bits at most. */
  static boolean suits(ColumnShape shape) {
    return switch (shape.storage()) {
      case BYTE, SHORT, INT, LONG, CODE, CODE8, CODE16 -> true;
      default -> isFloating(shape) && !KeyHash.zero();
    };
  }

  /** Whether a column has floating-point numbers, whose ranks tell nothing of their order. */
  static boolean isFloating(ColumnShape shape) {
    return shape.storage() == Storage.FLOAT || shape.storage() == Storage.DOUBLE;
  }

  /**
   * The values of a column, or its codes in a dictionary, as they are; null if they do not fit.
   *
   * @param column its rows, to be looked at if nothing is known of their bounds
   */
  static @Nullable KeyRange of(ExecContext context, ColumnShape shape, Supplier<Column> column) {
    if (isFloating(shape)) {
      return null;
    }
    ValueRange range = shape.range();
    if (shape.storage().isCode()) {
      Dictionary dictionary = shape.dictionary();
      range = dictionary == null ? null : new ValueRange(0, Math.max(0, dictionary.size() - 1));
    } else if (range == null || !fits(range)) {
      range = context.scan().valueRange(context, column.get());
      if (range == null) {
        range = new ValueRange(0, 0);
      }
    }
    return range == null || !fits(range)
        ? null
        : new KeyRange((int) range.min(), range.max() - range.min() + 1);
  }

  private static boolean fits(ValueRange range) {
    return range.min() >= Integer.MIN_VALUE && range.max() <= Integer.MAX_VALUE;
  }
}
