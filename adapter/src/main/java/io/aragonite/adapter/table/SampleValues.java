package io.aragonite.adapter.table;

import java.io.DataOutput;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A column's values in some rows: as numbers where they fit 64 bits, texts as codes of them. */
final class SampleValues {
  /** Larger ones are not kept for other processes, in bytes. */
  private static final int MOST_BYTES = 256 << 10;

  private enum Form {
    INTEGERS,
    DECIMALS,
    BOOLEANS,
    DOUBLES,
    TEXTS,
    OTHERS
  }

  private final Form form;
  private final int scale;

  /** Unscaled, bits of doubles, or places of texts, with the number of texts for null. */
  private final long[] numbers;

  private final BitSet nulls;
  private final @Nullable Object[] others;

  /** The texts in UTF-8, each behind the other, and where they end. */
  private final byte[] utf8;

  private final int[] ends;
  private final @Nullable String[] texts;

  private SampleValues(
      Form form,
      int scale,
      long[] numbers,
      BitSet nulls,
      @Nullable Object[] others,
      byte[] utf8,
      int[] ends) {
    this.form = form;
    this.scale = scale;
    this.numbers = numbers;
    this.nulls = nulls;
    this.others = others;
    this.utf8 = utf8;
    this.ends = ends;
    this.texts = new @Nullable String[ends.length];
  }

  /**
   * @param values in the form of literals
   */
  static SampleValues of(@Nullable Object[] values) {
    BitSet nulls = new BitSet(values.length);
    Object first = null;
    for (int i = 0; i < values.length; i++) {
      if (values[i] == null) {
        nulls.set(i);
      } else if (first == null) {
        first = values[i];
      }
    }
    return switch (first) {
      case null -> numbers(Form.INTEGERS, 0, values, nulls);
      case Long number -> numbers(Form.INTEGERS, 0, values, nulls);
      case BigDecimal decimal -> numbers(Form.DECIMALS, decimal.scale(), values, nulls);
      case Boolean truth -> numbers(Form.BOOLEANS, 0, values, nulls);
      case Double number -> numbers(Form.DOUBLES, 0, values, nulls);
      case String text -> texts(values, nulls);
      default -> others(values, nulls);
    };
  }

  private static SampleValues numbers(
      Form form, int scale, @Nullable Object[] values, BitSet nulls) {
    long[] numbers = new long[values.length];
    for (int i = 0; i < numbers.length; i++) {
      switch (values[i]) {
        case null -> {}
        case Long number -> numbers[i] = number;
        case Boolean truth -> numbers[i] = truth ? 1 : 0;
        case Double number -> numbers[i] = Double.doubleToRawLongBits(number);
        case BigDecimal decimal -> {
          if (decimal.scale() != scale || decimal.unscaledValue().bitLength() >= Long.SIZE) {
            return others(values, nulls);
          }
          numbers[i] = decimal.unscaledValue().longValue();
        }
        default -> throw new IllegalArgumentException(values[i].getClass().getName());
      }
    }
    return new SampleValues(form, scale, numbers, nulls, new Object[0], new byte[0], new int[0]);
  }

  private static SampleValues texts(@Nullable Object[] values, BitSet nulls) {
    Map<Object, Integer> places = new HashMap<>();
    long[] codes = new long[values.length];
    int[] ends = new int[values.length];
    StringBuilder all = new StringBuilder();
    for (int i = 0; i < codes.length; i++) {
      Object value = values[i];
      if (value != null) {
        Integer place = places.get(value);
        if (place == null) {
          place = places.size();
          places.put(value, place);
          all.append((String) value);
          ends[place] = all.length();
        }
        codes[i] = place;
      }
    }
    int count = places.size();
    ends = Arrays.copyOf(ends, count);
    for (int i = nulls.nextSetBit(0); i >= 0; i = nulls.nextSetBit(i + 1)) {
      codes[i] = count;
    }
    byte[] utf8 = all.toString().getBytes(StandardCharsets.UTF_8);
    if (utf8.length != all.length()) { // places of bytes are not those of characters
      int at = 0;
      int from = 0;
      for (int i = 0; i < count; i++) {
        int to = ends[i];
        at += all.substring(from, to).getBytes(StandardCharsets.UTF_8).length;
        from = to;
        ends[i] = at;
      }
      if (at != utf8.length) { // half of a pair of surrogates ended a text
        return others(values, nulls);
      }
    }
    return new SampleValues(Form.TEXTS, 0, codes, nulls, new Object[0], utf8, ends);
  }

  private static SampleValues others(@Nullable Object[] values, BitSet nulls) {
    return new SampleValues(Form.OTHERS, 0, new long[0], nulls, values, new byte[0], new int[0]);
  }

  int count() {
    return form == Form.OTHERS ? others.length : numbers.length;
  }

  /** Rows with a null; not to be changed. */
  BitSet nulls() {
    return nulls;
  }

  /** A value in the form of a literal. */
  @Nullable Object get(int row) {
    if (form == Form.OTHERS) {
      return others[row];
    }
    if (nulls.get(row)) {
      return null;
    }
    long number = numbers[row];
    return switch (form) {
      case INTEGERS -> (Object) number;
      case DECIMALS -> BigDecimal.valueOf(number, scale);
      case BOOLEANS -> number != 0;
      case DOUBLES -> Double.longBitsToDouble(number);
      case TEXTS -> text((int) number);
      case OTHERS -> throw new IllegalStateException();
    };
  }

  private String text(int place) {
    String text = texts[place];
    if (text == null) {
      int from = place == 0 ? 0 : ends[place - 1];
      text = new String(utf8, from, ends[place] - from, StandardCharsets.UTF_8);
      texts[place] = text;
    }
    return text;
  }

  /** Of integers and decimals, by which their numbers compare; -1 of others. */
  int scale() {
    return form == Form.INTEGERS || form == Form.DECIMALS ? scale : -1;
  }

  /** An integer, or an unscaled decimal, that is not null. */
  long number(int row) {
    return numbers[row];
  }

  /** How many different values {@link #place} tells apart, null among them; 0 if it does not. */
  int places() {
    return form == Form.TEXTS ? ends.length + 1 : 0;
  }

  /** Which of the different values a row has. */
  int place(int row) {
    return (int) numbers[row];
  }

  /** Whether they are few bytes, and of a form that is kept. */
  boolean isKept() {
    long bytes = 8L * numbers.length + utf8.length + 4L * ends.length;
    return form != Form.OTHERS && bytes <= MOST_BYTES;
  }

  void write(DataOutput out) throws IOException {
    out.writeByte(form.ordinal());
    out.writeByte(scale);
    long[] bits = nulls.toLongArray();
    ByteBuffer bytes =
        ByteBuffer.allocate(
            Integer.BYTES * (4 + ends.length)
                + Long.BYTES * (numbers.length + bits.length)
                + utf8.length);
    bytes.putInt(numbers.length).putInt(bits.length).putInt(ends.length).putInt(utf8.length);
    for (long number : numbers) {
      bytes.putLong(number);
    }
    for (long word : bits) {
      bytes.putLong(word);
    }
    for (int end : ends) {
      bytes.putInt(end);
    }
    bytes.put(utf8);
    out.write(bytes.array());
  }

  /**
   * @throws IOException if they are no such values
   */
  static SampleValues read(ByteBuffer in) throws IOException {
    int form = in.get();
    int scale = in.get();
    check(form >= 0 && form < Form.OTHERS.ordinal() && scale >= 0);
    int[] sizes = {in.getInt(), in.getInt(), in.getInt(), in.getInt()};
    long bytes = 0;
    for (int i = 0; i < sizes.length; i++) {
      check(sizes[i] >= 0);
      bytes += (long) sizes[i] * (i < 2 ? Long.BYTES : i == 2 ? Integer.BYTES : 1);
    }
    check(bytes <= in.remaining());
    long[] numbers = new long[sizes[0]];
    long[] bits = new long[sizes[1]];
    in.asLongBuffer().get(numbers).get(bits);
    in.position(in.position() + Long.BYTES * (numbers.length + bits.length));
    int[] ends = new int[sizes[2]];
    in.asIntBuffer().get(ends);
    in.position(in.position() + Integer.BYTES * ends.length);
    byte[] utf8 = new byte[sizes[3]];
    in.get(utf8);
    BitSet nulls = BitSet.valueOf(bits);
    check(nulls.length() <= numbers.length);
    if (form == Form.TEXTS.ordinal()) {
      check(areTexts(numbers, nulls, ends, utf8.length));
    } else {
      check(ends.length == 0 && utf8.length == 0);
    }
    return new SampleValues(Form.values()[form], scale, numbers, nulls, new Object[0], utf8, ends);
  }

  private static boolean areTexts(long[] codes, BitSet nulls, int[] ends, int bytes) {
    int before = 0;
    for (int end : ends) {
      if (end < before || end > bytes) {
        return false;
      }
      before = end;
    }
    for (int i = 0; i < codes.length; i++) {
      if (nulls.get(i) ? codes[i] != ends.length : codes[i] < 0 || codes[i] >= ends.length) {
        return false;
      }
    }
    return true;
  }

  private static void check(boolean sound) throws IOException {
    if (!sound) {
      throw new IOException("values that no sample has");
    }
  }
}
