package io.aragonite.exec.operator.sort;

import io.aragonite.exec.column.Column;
import io.aragonite.exec.column.ColumnBatch;
import io.aragonite.exec.column.ColumnShape;
import io.aragonite.exec.column.ValueRange;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.operator.sort.Digit.Kind;
import io.aragonite.exec.plan.SortKey;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.type.TypeKind;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Several digits in one 64-bit word, the first the most significant. An order is a list of words.
 *
 * @param digits not empty; a TEXT digit is alone
 * @param bits bits in use, from the lowest
 */
record SortWord(List<Digit> digits, int bits) {
  boolean isText() {
    return digits.getFirst().kind() == Kind.TEXT;
  }

  SortWord nextRound() {
    return new SortWord(List.of(digits.getFirst().nextRound()), bits);
  }

  /**
   * The words of an order.
   *
   * @param shapes what is known of the columns
   * @param rows the rows to be sorted, whose true bounds make words narrower; null: not there yet
   */
  static List<SortWord> of(
      List<ColumnShape> shapes, List<SortKey> keys, @Nullable ColumnBatch rows) {
    List<Digit> digits = new ArrayList<>();
    for (SortKey key : keys) {
      Column column = rows == null ? null : rows.column(key.column());
      addDigits(shapes.get(key.column()), key, column, digits);
    }
    List<SortWord> words = new ArrayList<>();
    List<Digit> word = new ArrayList<>();
    int bits = 0;
    for (Digit digit : digits) {
      if (bits + digit.bits() > 64) {
        words.add(new SortWord(List.copyOf(word), bits));
        word.clear();
        bits = 0;
      }
      word.add(digit);
      bits += digit.bits();
    }
    if (!word.isEmpty()) {
      words.add(new SortWord(List.copyOf(word), bits));
    }
    return words;
  }

  private static void addDigits(
      ColumnShape shape, SortKey key, @Nullable Column column, List<Digit> digits) {
    boolean nulls =
        column == null
            ? shape.mayBeNull()
            : column.validity() != null || (column.rowIds() != null && shape.mayBeNull());
    switch (shape.storage()) {
      case NONE -> {}
      case HANDLE ->
          throw new AragoniteException(
              ErrorCode.TYPE_UNSUPPORTED,
              "Values of type " + shape.type() + " have no order; sort by something else.");
      case FLOAT -> add(digits, key, Kind.FLOAT, 32, nulls);
      case DOUBLE -> add(digits, key, Kind.DOUBLE, 64, nulls);
      case BYTES -> add(digits, key, Kind.TEXT, 64, nulls);
      case LONG128 -> {
        add(digits, key, Kind.HIGH, 64, nulls);
        add(digits, key, Kind.LOW, 64, false);
      }
      default -> addInteger(shape, key, column, nulls, digits);
    }
  }

  private static void addInteger(
      ColumnShape shape, SortKey key, @Nullable Column column, boolean nulls, List<Digit> digits) {
    ValueRange range = rangeOf(shape);
    if (column != null && shape.storage() != Storage.BYTE) {
      ValueRange found = SortEncoder.range(column);
      if (found == null) {
        return; // all null
      }
      range = found;
    }
    if (range == null) {
      add(digits, key, Kind.SIGNED, 64, nulls);
      return;
    }
    long width = range.max() - range.min();
    if (width < 0 || width >= Long.MAX_VALUE - 1) {
      add(digits, key, Kind.SIGNED, 64, nulls);
      return;
    }
    int bits = 64 - Long.numberOfLeadingZeros(nulls ? width + 1 : width);
    if (bits > 0) {
      digits.add(
          new Digit(
              key.column(),
              Kind.RANGED,
              range.min(),
              range.max(),
              bits,
              key.descending(),
              key.nullsFirst(),
              nulls,
              0));
    }
  }

  private static @Nullable ValueRange rangeOf(ColumnShape shape) {
    if (shape.dictionary() != null) {
      return new ValueRange(0, Math.max(0, shape.dictionary().size() - 1));
    }
    if (shape.range() != null) {
      return shape.range();
    }
    if (shape.type().kind() == TypeKind.BOOLEAN) {
      return new ValueRange(0, 1);
    }
    return switch (shape.storage()) {
      case BYTE -> new ValueRange(Byte.MIN_VALUE, Byte.MAX_VALUE);
      case SHORT -> new ValueRange(Short.MIN_VALUE, Short.MAX_VALUE);
      case INT -> new ValueRange(Integer.MIN_VALUE, Integer.MAX_VALUE);
      default -> null;
    };
  }

  private static void add(List<Digit> digits, SortKey key, Kind kind, int bits, boolean nulls) {
    if (nulls) {
      digits.add(digit(key, Kind.NULLS, 1));
    }
    digits.add(digit(key, kind, bits));
  }

  private static Digit digit(SortKey key, Kind kind, int bits) {
    return new Digit(key.column(), kind, 0, 0, bits, key.descending(), key.nullsFirst(), false, 0);
  }
}
