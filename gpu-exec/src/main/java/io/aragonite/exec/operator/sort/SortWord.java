package io.aragonite.exec.operator.sort;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.SortDigit;
import io.aragonite.exec.device.SortDigit.DigitKind;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.plan.SortKey;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.ValueRange;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Several digits in one 64-bit word, the first the most significant. An order is a list of words.
 *
 * @param digits not empty; a TEXT digit is alone
 * @param bits bits in use, from the lowest
 */
record SortWord(List<SortDigit> digits, int bits) {
  boolean isText() {
    return digits.getFirst().kind() == DigitKind.TEXT;
  }

  SortWord nextRound() {
    return new SortWord(List.of(digits.getFirst().nextRound()), bits);
  }

  /** The words of an order by what is known of the columns. */
  static List<SortWord> of(List<ColumnShape> shapes, List<SortKey> keys) {
    List<SortDigit> digits = new ArrayList<>();
    for (SortKey key : keys) {
      ColumnShape shape = shapes.get(key.column());
      addDigits(shape, key, shape.mayBeNull(), rangeOf(shape), digits);
    }
    return words(digits);
  }

  /** The words of an order of some rows, narrower by their true bounds. */
  static List<SortWord> of(ExecContext context, ColumnBatch rows, List<SortKey> keys) {
    List<Column> scanned = new ArrayList<>();
    for (SortKey key : keys) {
      Column column = rows.column(key.column());
      if (isScanned(column.shape().storage())) {
        scanned.add(column);
      }
    }
    Iterator<@Nullable ValueRange> found =
        scanned.isEmpty()
            ? Collections.emptyIterator()
            : context.scan().valueRanges(context, scanned).iterator();
    List<SortDigit> digits = new ArrayList<>();
    for (SortKey key : keys) {
      Column column = rows.column(key.column());
      ColumnShape shape = column.shape();
      boolean nulls = column.validity() != null || (column.rowIds() != null && shape.mayBeNull());
      ValueRange range = rangeOf(shape);
      if (isScanned(shape.storage())) {
        range = found.next();
        if (range == null) {
          continue; // all null
        }
      }
      addDigits(shape, key, nulls, range, digits);
    }
    return words(digits);
  }

  /** Whether a column's values are looked at to find its bounds. */
  private static boolean isScanned(Storage storage) {
    return switch (storage) {
      case SHORT, INT, LONG, CODE, CODE16 -> true;
      default -> false;
    };
  }

  /** Words of rows; the first is that of row (or place in {@code rows}) {@code from}. */
  void encode(
      ExecContext context,
      ColumnBatch batch,
      @Nullable Buffer rows,
      int from,
      int count,
      Buffer out) {
    context.scan().fill(context, out, 8, 0, count);
    int shift = bits;
    for (SortDigit digit : digits) {
      shift -= digit.bits();
      Column column = batch.column(digit.column());
      context.sort().sortDigit(context, digit, column, rows, from, count, shift, out);
    }
  }

  private static List<SortWord> words(List<SortDigit> digits) {
    List<SortWord> words = new ArrayList<>();
    List<SortDigit> word = new ArrayList<>();
    int bits = 0;
    for (SortDigit digit : digits) {
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
      ColumnShape shape,
      SortKey key,
      boolean nulls,
      @Nullable ValueRange range,
      List<SortDigit> digits) {
    switch (shape.storage()) {
      case NONE -> {}
      case HANDLE ->
          throw new AragoniteException(
              ErrorCode.TYPE_UNSUPPORTED,
              "Values of type " + shape.type() + " have no order; sort by something else.");
      case FLOAT -> add(digits, key, DigitKind.FLOAT, 32, nulls);
      case DOUBLE -> add(digits, key, DigitKind.DOUBLE, 64, nulls);
      case BYTES -> add(digits, key, DigitKind.TEXT, 64, nulls);
      case LONG128 -> {
        add(digits, key, DigitKind.HIGH, 64, nulls);
        add(digits, key, DigitKind.LOW, 64, false);
      }
      default -> addInteger(key, nulls, range, digits);
    }
  }

  private static void addInteger(
      SortKey key, boolean nulls, @Nullable ValueRange range, List<SortDigit> digits) {
    if (range == null) {
      add(digits, key, DigitKind.SIGNED, 64, nulls);
      return;
    }
    long width = range.max() - range.min();
    if (width < 0 || width >= Long.MAX_VALUE - 1) {
      add(digits, key, DigitKind.SIGNED, 64, nulls);
      return;
    }
    int bits = 64 - Long.numberOfLeadingZeros(nulls ? width + 1 : width);
    if (bits > 0) {
      digits.add(
          new SortDigit(
              key.column(),
              DigitKind.RANGED,
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

  private static void add(
      List<SortDigit> digits, SortKey key, DigitKind kind, int bits, boolean nulls) {
    if (nulls) {
      digits.add(digit(key, DigitKind.NULLS, 1));
    }
    digits.add(digit(key, kind, bits));
  }

  private static SortDigit digit(SortKey key, DigitKind kind, int bits) {
    return new SortDigit(
        key.column(), kind, 0, 0, bits, key.descending(), key.nullsFirst(), false, 0);
  }
}
