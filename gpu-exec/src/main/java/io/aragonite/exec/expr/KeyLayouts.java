package io.aragonite.exec.expr;

import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.Dictionary;
import io.aragonite.exec.vector.ValueRange;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides how key columns become a word: packed where what is known of their values fits 64 bits,
 * hashed otherwise. A packed word makes comparing keys unnecessary.
 */
public final class KeyLayouts {
  private KeyLayouts() {}

  /** The layout of grouping keys. */
  public static KeyLayout choose(List<ColumnShape> keys) {
    return choose(keys, keys);
  }

  /**
   * The layout that both sides of a join use.
   *
   * @param left shapes of one side's keys
   * @param right shapes of the other's, of the same types but for nullability and text lengths
   */
  public static KeyLayout choose(List<ColumnShape> left, List<ColumnShape> right) {
    List<KeyLayout.KeyField> parts = new ArrayList<>();
    int bits = 0;
    for (int i = 0; i < left.size(); i++) {
      KeyLayout.KeyField part = part(left.get(i), right.get(i));
      if (part == null) {
        return KeyLayout.HASHED;
      }
      bits += part.bits();
      if (bits > Long.SIZE) {
        return KeyLayout.HASHED;
      }
      parts.add(part);
    }
    return new KeyLayout(true, parts);
  }

  private static KeyLayout.@Nullable KeyField part(ColumnShape left, ColumnShape right) {
    boolean mayBeNull = left.mayBeNull() || right.mayBeNull();
    boolean none = left.storage() == Storage.NONE;
    if (none != (right.storage() == Storage.NONE)) {
      return part(none ? right : left, none ? right : left);
    }
    if (none) {
      return new KeyLayout.KeyField(0, 0, true);
    }
    if (left.storage().isCode() || right.storage().isCode()) {
      Dictionary dictionary = left.dictionary();
      if (dictionary == null || dictionary != right.dictionary()) {
        return null;
      }
      return part(new ValueRange(0, Math.max(0, dictionary.size() - 1)), mayBeNull);
    }
    ValueRange a = range(left);
    ValueRange b = range(right);
    if (a == null
        || b == null
        || left.type().scale() != right.type().scale()
        || left.type().kind().isNumeric() != right.type().kind().isNumeric()) {
      return null;
    }
    return part(a.union(b), mayBeNull);
  }

  private static KeyLayout.@Nullable KeyField part(ValueRange range, boolean mayBeNull) {
    long span = range.max() - range.min();
    if (mayBeNull && span == -1L) {
      return null;
    }
    long largest = mayBeNull ? span + 1 : span;
    int bits = Long.SIZE - Long.numberOfLeadingZeros(largest);
    // A full word needs no offset, and then the word is the value itself.
    return new KeyLayout.KeyField(
        bits == Long.SIZE && !mayBeNull ? 0 : range.min(), bits, mayBeNull);
  }

  /** The bounds of a column of integer-like values in at most 64 bits; null for any other. */
  static @Nullable ValueRange range(ColumnShape shape) {
    DataType type = shape.type();
    ValueRange width =
        switch (type.kind()) {
          case BOOLEAN -> new ValueRange(0, 1);
          case INT8,
              INT16,
              INT32,
              INT64,
              DATE,
              TIME,
              TIMESTAMP,
              INSTANT,
              INTERVAL_MONTH,
              INTERVAL_DAY ->
              new ValueRange(Numbers.min(type.kind()), Numbers.max(type.kind()));
          case DECIMAL -> {
            if (shape.storage() == Storage.LONG128) {
              yield null;
            }
            if (type.precision() > DataType.MAX_LONG_PRECISION) {
              yield new ValueRange(Long.MIN_VALUE, Long.MAX_VALUE);
            }
            long limit = Numbers.powerOfTen(type.precision()).longValue() - 1;
            yield new ValueRange(-limit, limit);
          }
          default -> null;
        };
    return width == null || shape.range() == null ? width : shape.range();
  }
}
