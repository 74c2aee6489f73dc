package io.aragonite.exec.codegen;

import io.aragonite.exec.expr.DateTimes;
import io.aragonite.exec.memory.Mem;

/**
 * Casts between texts and other values, for generated code. The usual forms are done here; for any
 * other, and for errors, the interpreter is asked. Texts are returned as {@link Texts} does.
 */
final class TextCasts {
  /** Digits that a long surely holds. */
  private static final int MAX_DIGITS = 18;

  /** Digits of which a double holds any number. */
  private static final int MAX_DOUBLE_DIGITS = 15;

  /** BigDecimal writes smaller numbers than this many places with an exponent. */
  private static final int MAX_PLAIN_SCALE = 6;

  private TextCasts() {}

  // To text

  private static int digits(long value) {
    int count = 1;
    for (long left = value; left >= 10; left /= 10) {
      count++;
    }
    return count;
  }

  /** Writes a number with leading zeros; returns where it ends. */
  private static long put(long address, long value, int digits) {
    long left = value;
    for (int i = digits - 1; i >= 0; i--) {
      long next = left / 10;
      Mem.putByte(address + i, (byte) ('0' + (left - next * 10)));
      left = next;
    }
    return address + digits;
  }

  private static long put(long address, char c) {
    Mem.putByte(address, (byte) c);
    return address + 1;
  }

  static long ofLong(long value, KernelArgs a, Object e) {
    if (value == Long.MIN_VALUE) {
      return a.castToText(e, KernelArgs.box(value));
    }
    long size = Math.abs(value);
    int digits = digits(size);
    int length = digits + (value < 0 ? 1 : 0);
    long result = a.heap.allocate(length);
    if (value < 0) {
      put(result, '-');
    }
    put(result + length - digits, size, digits);
    a.length = length;
    return result;
  }

  /**
   * A decimal, without a zero before its point.
   *
   * @param scale at least 1
   * @param unit ten to that power
   */
  static long ofDecimal(long value, int scale, long unit, KernelArgs a, Object e) {
    long size = Math.abs(value);
    if (size < 0 || (scale > MAX_PLAIN_SCALE && size < Arith.power(scale - MAX_PLAIN_SCALE))) {
      return a.castToText(e, KernelArgs.boxDecimal(value, scale));
    }
    long whole = size / unit;
    int digits = whole == 0 ? 0 : digits(whole);
    int sign = value < 0 ? 1 : 0;
    int length = sign + digits + 1 + scale;
    long result = a.heap.allocate(length);
    if (value < 0) {
      put(result, '-');
    }
    long at = put(result + sign, whole, digits);
    put(put(at, '.'), size - whole * unit, scale);
    a.length = length;
    return result;
  }

  private static int dateLength(long year) {
    return (year < 0 ? 1 : 0) + Math.max(4, digits(Math.abs(year))) + 6;
  }

  private static long putDate(long address, long civil) {
    long year = civil >> 9;
    long at = address;
    if (year < 0) {
      at = put(at, '-');
    }
    at = put(at, Math.abs(year), Math.max(4, digits(Math.abs(year))));
    at = put(put(at, '-'), civil >> 5 & 15, 2);
    return put(put(at, '-'), civil & 31, 2);
  }

  static long ofDate(long days, KernelArgs a) {
    long civil = DateTimes.civil(days);
    int length = dateLength(civil >> 9);
    long result = a.heap.allocate(length);
    putDate(result, civil);
    a.length = length;
    return result;
  }

  /**
   * With as many digits of a fraction of a second as it has.
   *
   * @param perSecond what a second has of the timestamp's unit
   * @param unitDigits digits of that
   */
  static long ofTimestamp(long value, long perSecond, int unitDigits, KernelArgs a) {
    long seconds = Math.floorDiv(value, perSecond);
    long days = Math.floorDiv(seconds, 86_400L);
    long time = seconds - days * 86_400L;
    long civil = DateTimes.civil(days);
    long fraction = value - seconds * perSecond;
    int digits = fraction == 0 ? 0 : unitDigits;
    while (digits > 0 && fraction % 10 == 0) {
      fraction /= 10;
      digits--;
    }
    int length = dateLength(civil >> 9) + 9 + (digits == 0 ? 0 : 1 + digits);
    long result = a.heap.allocate(length);
    long at = put(putDate(result, civil), ' ');
    at = put(put(at, time / 3600, 2), ':');
    at = put(put(at, time / 60 % 60, 2), ':');
    at = put(at, time % 60, 2);
    if (digits > 0) {
      put(put(at, '.'), fraction, digits);
    }
    a.length = length;
    return result;
  }

  // From text

  private static int skipBlanks(long address, int length) {
    int from = 0;
    while (from < length && Mem.getByte(address + from) == ' ') {
      from++;
    }
    return from;
  }

  private static int cutBlanks(long address, int from, int length) {
    int to = length;
    while (to > from && Mem.getByte(address + to - 1) == ' ') {
      to--;
    }
    return to;
  }

  private static boolean isSign(byte c) {
    return c == '-' || c == '+';
  }

  /** The digits from a place on as a number, a point left out; -1 if there is anything else. */
  private static long number(long address, int from, int to, boolean point, KernelArgs a) {
    long value = 0;
    int fraction = -1;
    int count = 0;
    for (int i = from; i < to; i++) {
      int c = Mem.getByte(address + i);
      if (c == '.' && point && fraction < 0) {
        fraction = 0;
      } else if (c < '0' || c > '9' || count == MAX_DIGITS) {
        return -1;
      } else {
        value = 10 * value + (c - '0');
        count++;
        fraction += fraction < 0 ? 0 : 1;
      }
    }
    a.length = Math.max(fraction, 0);
    return count == 0 ? -1 : value;
  }

  static long toLong(long address, int length, long min, long max, KernelArgs a, Object e) {
    return toDecimal(address, length, 0, false, min, max, a, e);
  }

  /** A decimal of 64 bits, rounded half away from zero. */
  static long toDecimal(
      long address,
      int length,
      int scale,
      boolean point,
      long min,
      long max,
      KernelArgs a,
      Object e) {
    int from = skipBlanks(address, length);
    int to = cutBlanks(address, from, length);
    boolean signed = from < to && isSign(Mem.getByte(address + from));
    long size = number(address, signed ? from + 1 : from, to, point, a);
    int missing = scale - a.length;
    if (size >= 0 && missing <= MAX_DIGITS && (missing <= 0 || size < Arith.power(18 - missing))) {
      long scaled =
          missing >= 0
              ? size * Arith.power(missing)
              : Arith.divideHalfUp(size, Arith.power(-missing));
      long value = signed && Mem.getByte(address + from) == '-' ? -scaled : scaled;
      if (value >= min && value <= max) {
        return value;
      }
    }
    return a.castFromText(e, address, length);
  }

  /** Exact where the digits and the power of ten are (Clinger's fast path). */
  static double toDouble(long address, int length, KernelArgs a, Object e) {
    int from = skipBlanks(address, length);
    int to = cutBlanks(address, from, length);
    boolean signed = from < to && isSign(Mem.getByte(address + from));
    long size = number(address, signed ? from + 1 : from, to, true, a);
    if (size >= 0 && size < Arith.power(MAX_DOUBLE_DIGITS)) {
      double value = size / Arith.doublePower(a.length);
      return signed && Mem.getByte(address + from) == '-' ? -value : value;
    }
    return a.castToDouble(e, address, length);
  }

  /** A date of four, two and two digits. */
  static long toDate(long address, int length, KernelArgs a, Object e) {
    if (length == 10 && Mem.getByte(address + 4) == '-' && Mem.getByte(address + 7) == '-') {
      long year = number(address, 0, 4, false, a);
      long month = number(address, 5, 7, false, a);
      long day = number(address, 8, 10, false, a);
      if (year > 0
          && month >= 1
          && month <= 12
          && day >= 1
          && day <= DateTimes.daysInMonth(year, (int) month)) {
        return DateTimes.days(year, (int) month, (int) day);
      }
    }
    return a.castFromText(e, address, length);
  }
}
