package io.aragonite.adapter.copy;

import io.aragonite.exec.type.TimestampUnit;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.util.Arrays;

/** Text of a delimited file, or of one of JSON, which values are added to. */
final class CsvText {
  private static final int SECONDS_OF_MINUTE = 60;
  private static final int MINUTES_OF_HOUR = 60;

  /** The longest number: 19 digits and a sign. */
  private static final int LONGEST = 20;

  private byte[] bytes = new byte[1 << 16];
  private int size;

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
    int digits = Math.max(scale + 1, digits(rest));
    int end = size + digits + (scale > 0 ? 1 : 0);
    int at = end;
    for (int i = 0; i < digits; i++) {
      if (i == scale && scale > 0) {
        bytes[--at] = '.';
      }
      bytes[--at] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
    size = end;
  }

  private static int digits(long value) {
    int digits = 1;
    for (long rest = value / 10; rest > 0; rest /= 10) {
      digits++;
    }
    return digits;
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
    add((byte) ('0' + number / 10));
    add((byte) ('0' + number % 10));
  }

  private void reserve(int more) {
    if (size + more > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(size + more, bytes.length * 2));
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
