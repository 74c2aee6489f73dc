package io.aragonite.exec.device.contract;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.SortDigit;
import io.aragonite.exec.device.SortDigit.DigitKind;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.ValueRange;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** sortDigit against its definition, a boxed value at a time; valueRange. */
class SortWordContractTest extends Contract {
  SortWordContractTest(Device device) {
    super(device);
  }

  private static boolean isInteger(Storage storage) {
    return switch (storage) {
      case BYTE, SHORT, INT, LONG, CODE, CODE8, CODE16 -> true;
      default -> false;
    };
  }

  private static List<DigitKind> kinds(Storage storage) {
    return switch (storage) {
      case BYTE, SHORT, INT, CODE, CODE8, CODE16 ->
          List.of(DigitKind.NULLS, DigitKind.RANGED, DigitKind.SIGNED);
      case LONG -> List.of(DigitKind.NULLS, DigitKind.RANGED, DigitKind.SIGNED);
      case LONG128 -> List.of(DigitKind.NULLS, DigitKind.HIGH, DigitKind.LOW);
      case FLOAT -> List.of(DigitKind.NULLS, DigitKind.FLOAT);
      case DOUBLE -> List.of(DigitKind.NULLS, DigitKind.DOUBLE);
      case BYTES -> List.of(DigitKind.NULLS, DigitKind.TEXT);
      case NONE, HANDLE -> List.of(DigitKind.NULLS);
    };
  }

  private static BigInteger integer(ColumnShape shape, Object value) {
    return switch (value) {
      case Boolean truth -> truth ? BigInteger.ONE : BigInteger.ZERO;
      case Long number -> BigInteger.valueOf(number);
      case BigDecimal decimal -> decimal.setScale(shape.type().scale()).unscaledValue();
      default -> BigInteger.valueOf(Objects.requireNonNull(shape.dictionary()).find(bytes(value)));
    };
  }

  private static byte[] bytes(Object value) {
    return value instanceof byte[] given
        ? given
        : ((String) value).getBytes(StandardCharsets.UTF_8);
  }

  private static long number(SortDigit digit, ColumnShape shape, @Nullable Object value) {
    if (digit.kind() == DigitKind.NULLS) {
      return (value == null) == digit.nullsFirst() ? 0 : 1;
    }
    if (value == null) {
      return digit.nullSlot() && !digit.nullsFirst() ? digit.max() - digit.min() + 1 : 0;
    }
    if (digit.kind() == DigitKind.RANGED) {
      long given = integer(shape, value).longValueExact();
      long place = digit.descending() ? digit.max() - given : given - digit.min();
      return place + (digit.nullSlot() && digit.nullsFirst() ? 1 : 0);
    }
    long number =
        switch (digit.kind()) {
          case SIGNED -> integer(shape, value).longValueExact() ^ Long.MIN_VALUE;
          case HIGH -> integer(shape, value).shiftRight(64).longValue() ^ Long.MIN_VALUE;
          case LOW -> integer(shape, value).longValue();
          case FLOAT -> {
            int bits = Float.floatToIntBits(((Double) value).floatValue() + 0f);
            yield (bits < 0 ? ~bits : bits ^ Integer.MIN_VALUE) & 0xffff_ffffL;
          }
          case DOUBLE -> {
            long bits = Double.doubleToLongBits((Double) value + 0.0);
            yield bits < 0 ? ~bits : bits ^ Long.MIN_VALUE;
          }
          default -> text(bytes(value), digit.round());
        };
    return digit.descending() ? ~number & mask(digit) : number;
  }

  private static long mask(SortDigit digit) {
    return digit.bits() == 64 ? -1L : (1L << digit.bits()) - 1;
  }

  private static long text(byte[] text, int round) {
    int from = 7 * round;
    int left = Math.max(0, text.length - from);
    long word = Math.min(8, left);
    for (int i = 0; i < Math.min(7, left); i++) {
      word |= (text[from + i] & 0xffL) << 56 - 8 * i;
    }
    return word;
  }

  private static @Nullable ValueRange range(ColumnShape shape, List<?> values) {
    ValueRange range = null;
    for (Object value : values) {
      if (value != null) {
        long number = integer(shape, value).longValueExact();
        ValueRange one = new ValueRange(number, number);
        range = range == null ? one : range.union(one);
      }
    }
    return range;
  }

  private @Nullable SortDigit digit(
      DigitKind kind, @Nullable ValueRange range, boolean nullable, int round) {
    boolean descending = random.nextBoolean();
    boolean nullsFirst = random.nextBoolean();
    if (kind != DigitKind.RANGED) {
      int bits = kind == DigitKind.NULLS ? 1 : kind == DigitKind.FLOAT ? 32 : 64;
      return new SortDigit(0, kind, 0, 0, bits, descending, nullsFirst, false, round);
    }
    if (range == null || range.max() - range.min() < 0) {
      return null;
    }
    long width = range.max() - range.min();
    if (width >= Long.MAX_VALUE - 1) {
      return null;
    }
    int bits = Math.max(1, 64 - Long.numberOfLeadingZeros(nullable ? width + 1 : width));
    return new SortDigit(
        0, kind, range.min(), range.max(), bits, descending, nullsFirst, nullable, 0);
  }

  @Test
  void sortDigit() {
    for (int size : SMALL_SIZES) {
      for (ColumnShape shape : shapes()) {
        for (Nulls nulls : Nulls.values()) {
          for (int form = 0; form < 4; form++) {
            List<@Nullable Object> values = values(shape, nulls, size);
            Column column = context.disguise(shape, values, form, random);
            for (DigitKind kind : kinds(shape.storage())) {
              ValueRange range = kind == DigitKind.RANGED ? range(shape, values) : null;
              SortDigit digit = digit(kind, range, nulls != Nulls.NONE, random.nextInt(3));
              if (digit != null) {
                check(digit, shape, values, column);
              }
            }
          }
        }
      }
    }
  }

  private void check(
      SortDigit digit, ColumnShape shape, List<@Nullable Object> values, Column column) {
    boolean direct = random.nextBoolean() || values.isEmpty();
    int[] rows = direct ? null : random.ints(values.size() + 5, 0, values.size()).toArray();
    int places = rows == null ? values.size() : rows.length;
    int from = random.nextInt(places + 1);
    int count = random.nextInt(places - from + 1);
    int shift = random.nextInt(64 - digit.bits() + 1);
    // What other digits have set stays.
    long others = digit.bits() == 64 ? 0 : ~(mask(digit) << shift) & 0x5A5A_5A5A_5A5A_5A5AL;
    Buffer words = longs(IntStream.range(0, count).mapToLong(i -> others).toArray());
    context
        .sort()
        .sortDigit(
            context, digit, column, rows == null ? null : ints(rows), from, count, shift, words);
    long[] expected = new long[count];
    for (int i = 0; i < count; i++) {
      Object value = values.get(rows == null ? from + i : rows[from + i]);
      expected[i] = others | number(digit, shape, value) << shift;
    }
    assertArrayEquals(expected, context.longs(words, count), () -> digit + " of " + shape);
  }

  @Test
  void valueRanges() {
    List<Column> columns = new ArrayList<>();
    List<@Nullable ValueRange> expected = new ArrayList<>();
    for (int size : SMALL_SIZES) {
      for (ColumnShape shape : shapes()) {
        if (!isInteger(shape.storage())) {
          continue;
        }
        for (Nulls nulls : Nulls.values()) {
          for (int form = 0; form < 4; form++) {
            List<@Nullable Object> values = new ArrayList<>(values(shape, nulls, size));
            Column column = context.disguise(shape, values, form, random);
            assertEquals(range(shape, values), context.scan().valueRange(context, column));
            columns.add(column);
            expected.add(range(shape, values));
            if (columns.size() > random.nextInt(6)) {
              assertEquals(expected, context.scan().valueRanges(context, columns));
              columns.clear();
              expected.clear();
            }
          }
        }
      }
    }
  }
}
