package io.aragonite.adapter.copy;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.MemoryReservation;
import io.aragonite.exec.type.TimestampUnit;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Text of a delimited file, or of one of JSON, which values are added to. */
final class CsvText {
  private static final int SECONDS_OF_MINUTE = 60;
  private static final int MINUTES_OF_HOUR = 60;

  /** The longest number: 19 digits and a sign. */
  private static final int LONGEST = 20;

  /** Digits that an int has for sure. */
  private static final int INT_DIGITS = 9;

  /** The longest array there is. */
  private static final int MOST = Integer.MAX_VALUE - 8;

  private static final long[] POWERS = new long[19];
  private static final byte[] TENS = new byte[100];
  private static final byte[] ONES = new byte[100];

  static {
    POWERS[0] = 1;
    for (int i = 1; i < POWERS.length; i++) {
      POWERS[i] = 10 * POWERS[i - 1];
    }
    for (int i = 0; i < ONES.length; i++) {
      TENS[i] = (byte) ('0' + i / 10);
      ONES[i] = (byte) ('0' + i % 10);
    }
  }

  /** Bytes of a text at first, if nobody knows better. */
  static final int LEAST = 1 << 16;

  private final @Nullable MemoryReservation memory;
  private byte[] bytes;
  private int size;

  /**
   * @param expected bytes that will be added, about
   * @param memory what they count in
   */
  CsvText(int expected, @Nullable MemoryReservation memory) {
    if (memory != null) {
      memory.add(expected);
    }
    this.memory = memory;
    this.bytes = new byte[expected];
  }

  /** A text of some names, which counts nowhere. */
  static CsvText small() {
    return new CsvText(LEAST, null);
  }

  int size() {
    return size;
  }

  /** Puts what stands from a place on between quotes, if it is that text. */
  void quoteIf(byte[] text, int from, byte quote) {
    if (Arrays.equals(bytes, from, size, text, 0, text.length)) {
      size = from;
      add(quote);
      add(text);
      add(quote);
    }
  }

  void add(byte value) {
    reserve(1);
    bytes[size++] = value;
  }

  void add(byte[] value) {
    reserve(value.length);
    System.arraycopy(value, 0, bytes, size, value.length);
    size += value.length;
  }

  /** Bytes outside the heap. */
  void add(long from, int length) {
    reserve(length);
    Mem.copy(from, bytes, size, length);
    size += length;
  }

  /** Puts what stands from a place on between quotes, if it would be read as something else. */
  void quoteIfNeeded(int from, char delimiter, char quote, byte[] nullText) {
    if (CsvQuotes.areNeeded(bytes, from, size, delimiter, quote, nullText)) {
      byte[] value = Arrays.copyOfRange(bytes, from, size);
      size = from;
      add((byte) quote);
      for (byte one : value) {
        if (one == quote) {
          add((byte) quote);
        }
        add(one);
      }
      add((byte) quote);
    }
  }

  /** Takes back what stands from a place on. */
  byte[] takeBack(int from) {
    byte[] taken = since(from);
    size = from;
    return taken;
  }

  /** What stands from a place on. */
  byte[] since(int from) {
    return Arrays.copyOfRange(bytes, from, size);
  }

  void ascii(String value) {
    add(value.getBytes(StandardCharsets.US_ASCII));
  }

  /** An integer, as {@link Long#toString} has it. */
  void number(long value) {
    decimal(value, 0);
  }

  /** A number of so many digits behind the point. */
  void decimal(long unscaled, int scale) {
    if (unscaled == Long.MIN_VALUE) {
      ascii(Long.toString(unscaled)); // only whole numbers can be that
      return;
    }
    reserve(2 * LONGEST + scale);
    if (unscaled < 0) {
      bytes[size++] = '-';
    }
    long rest = Math.abs(unscaled);
    if (scale == 0) {
      digits(rest, digits(rest));
      return;
    }
    long whole = rest / POWERS[scale];
    digits(whole, digits(whole));
    bytes[size++] = '.';
    digits(rest - whole * POWERS[scale], scale);
  }

  private static int digits(long value) {
    // The logarithm to the base of two, times that of two to the base of ten.
    int digits = (Long.SIZE - Long.numberOfLeadingZeros(value | 1)) * 1233 >>> 12;
    return value >= POWERS[digits] ? digits + 1 : Math.max(1, digits);
  }

  /** Adds the last digits of a number, two at a time. */
  private void digits(long value, int count) {
    size += count;
    int at = size;
    long rest = value;
    int left = count;
    for (; left > INT_DIGITS; left -= 2) {
      long hundreds = rest / 100;
      at = two(at, (int) (rest - hundreds * 100));
      rest = hundreds;
    }
    int few = (int) rest; // whose division is quicker
    for (; left >= 2; left -= 2) {
      int hundreds = few / 100;
      at = two(at, few - hundreds * 100);
      few = hundreds;
    }
    if (left > 0) {
      bytes[at - 1] = (byte) ('0' + few);
    }
  }

  /** Puts two digits before a place. */
  private int two(int at, int number) {
    bytes[at - 1] = ONES[number];
    bytes[at - 2] = TENS[number];
    return at - 2;
  }

  void date(long epochDay) {
    LocalDate date = LocalDate.ofEpochDay(epochDay);
    if (date.getYear() < 1000 || date.getYear() > 9999) {
      ascii(date.toString());
      return;
    }
    number(date.getYear());
    add((byte) '-');
    two(date.getMonthValue());
    add((byte) '-');
    two(date.getDayOfMonth());
  }

  void timestamp(long value, TimestampUnit unit) {
    date(Math.floorDiv(value, unit.perDay()));
    add((byte) ' ');
    time(Math.floorMod(value, unit.perDay()), unit);
  }

  /** A time of day, with groups of three digits behind the seconds where there are some. */
  void time(long ofDay, TimestampUnit unit) {
    int seconds = (int) (ofDay / unit.perSecond());
    int minutes = seconds / SECONDS_OF_MINUTE;
    two(minutes / MINUTES_OF_HOUR);
    add((byte) ':');
    two(minutes % MINUTES_OF_HOUR);
    add((byte) ':');
    two(seconds % SECONDS_OF_MINUTE);
    long rest = ofDay % unit.perSecond();
    if (rest > 0) {
      add((byte) '.');
    }
    for (long width = unit.perSecond() / 1000; rest > 0; width /= 1000) {
      int three = (int) (rest / width);
      add((byte) ('0' + three / 100));
      two(three % 100);
      rest %= width;
    }
  }

  private void two(int number) {
    reserve(2);
    size += 2;
    var _ = two(size, number);
  }

  private void reserve(int more) {
    long needed = (long) size + more;
    if (needed > bytes.length) {
      if (needed > MOST) {
        throw new AragoniteException(
            ErrorCode.RESULT_TOO_LARGE,
            "Rows that are written together have over 2 GB as text; leave the column of the longest"
                + " texts out, or write the format parquet.");
      }
      int before = bytes.length;
      int after = (int) Math.max(needed, Math.min(MOST, before + (long) (before >> 1)));
      if (memory != null) {
        memory.add(after);
      }
      bytes = Arrays.copyOf(bytes, after);
      if (memory != null) {
        memory.remove(before);
      }
    }
  }

  /** All that was added. */
  byte[] bytes() {
    return Arrays.copyOf(bytes, size);
  }

  void writeTo(OutputStream out) throws IOException {
    out.write(bytes, 0, size);
  }
}
