package io.aragonite.adapter.format.csv;

import io.aragonite.exec.expr.DateTimes;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TimestampUnit;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Parses values from text in native memory. A method returns whether the text is a value of its
 * type; the value is then in a field. Spaces around a value are ignored. Not safe for several
 * threads.
 */
public final class ValueParser {
  private static final int[] TENS = {1, 10, 100, 1_000, 10_000, 100_000};

  private static final double[] POWERS = new double[23];
  private static final long[] LONG_POWERS = new long[19];
  private static final BigInteger[] BIG_POWERS = new BigInteger[39];

  static {
    double power = 1;
    for (int i = 0; i < POWERS.length; i++, power *= 10) {
      POWERS[i] = power;
    }
    for (int i = 0; i < LONG_POWERS.length; i++) {
      LONG_POWERS[i] = i == 0 ? 1 : 10 * LONG_POWERS[i - 1];
    }
    for (int i = 0; i < BIG_POWERS.length; i++) {
      BIG_POWERS[i] = BigInteger.TEN.pow(i);
    }
  }

  /** The integer, unscaled decimal (its low word), days, milliseconds, 0 or 1. */
  long value;

  /** The high word of a decimal. */
  long high;

  double number;

  /** Digits before and behind the point of the last number. */
  int wholeDigits;

  int fractionDigits;

  /** Whether some time had digits that its type does not keep, which are cut off. */
  boolean cut;

  /** Nanoseconds of the last time behind its milliseconds. */
  private int nanos;

  /** Digits of the last time's fraction of a second. */
  int timeDigits;

  /** Whether there was an offset in figures behind the timestamp. */
  boolean hasOffset;

  /** Whether there was a Z behind it. */
  boolean hasZ;

  /** Whether the last number was written with an exponent, or is not finite. */
  boolean special;

  private long from;
  private long to;

  private void trim(long start, long end) {
    from = start;
    to = end;
    while (from < to && Mem.getByte(from) == ' ') {
      from++;
    }
    while (from < to && Mem.getByte(to - 1) == ' ') {
      to--;
    }
  }

  private static int digit(long at) {
    return Mem.getByte(at) - '0';
  }

  private static boolean isDigit(int digit) {
    return digit >= 0 && digit <= 9;
  }

  /**
   * A value of a type that is no text.
   *
   * @param declared whether the type was declared, which allows more forms
   */
  boolean parse(DataType type, long from, long to, boolean declared) {
    return switch (type.kind()) {
      case BOOLEAN -> bool(from, to, declared);
      case INT8 -> integer(from, to, false) && value == (byte) value;
      case INT16 -> integer(from, to, false) && value == (short) value;
      case INT32 -> integer(from, to, false) && value == (int) value;
      case INT64 -> integer(from, to, !declared);
      case FLOAT32 -> single(from, to);
      case FLOAT64 -> floating(from, to);
      case DECIMAL -> decimal(from, to, type.precision(), type.scale());
      case DATE -> date(from, to);
      case TIME -> time(from, to);
      case TIMESTAMP -> timestamp(from, to, type.timestampUnit());
      case INSTANT -> timestamp(from, to, type.timestampUnit()) && (hasOffset || hasZ);
      default -> throw new IllegalStateException(type.toString());
    };
  }

  /**
   * An integer of 64 bits.
   *
   * @param strict whether zeros in front are refused, which a number has no use for, but a code
   *     does
   */
  boolean integer(long start, long end, boolean strict) {
    trim(start, end);
    long at = from;
    boolean negative = at < to && Mem.getByte(at) == '-';
    if (negative || (at < to && Mem.getByte(at) == '+')) {
      at++;
    }
    if (at == to || (strict && to - at > 1 && Mem.getByte(at) == '0')) {
      return false;
    }
    long result = 0;
    for (int count = 0; at < to; at++) {
      int digit = digit(at);
      if (!isDigit(digit)) {
        return false;
      }
      if (count < 18) {
        result = 10 * result - digit;
        count += result == 0 ? 0 : 1;
      } else {
        if (result < Long.MIN_VALUE / 10 || 10 * result < Long.MIN_VALUE + digit) {
          return false;
        }
        result = 10 * result - digit;
      }
    }
    if (!negative && result == Long.MIN_VALUE) {
      return false;
    }
    value = negative ? result : -result;
    return true;
  }

  /** A number in positional notation, its digits counted; its value is not computed. */
  private boolean digits() {
    long at = from;
    if (at < to && (Mem.getByte(at) == '-' || Mem.getByte(at) == '+')) {
      at++;
    }
    long digitsFrom = at;
    while (at < to && isDigit(digit(at))) {
      at++;
    }
    wholeDigits = (int) (at - digitsFrom);
    fractionDigits = 0;
    if (at < to && Mem.getByte(at) == '.') {
      long point = at++;
      while (at < to && isDigit(digit(at))) {
        at++;
      }
      fractionDigits = (int) (at - point - 1);
    }
    return at == to && wholeDigits + fractionDigits > 0;
  }

  /** A decimal that the type can hold without rounding. */
  boolean decimal(long start, long end, int precision, int scale) {
    trim(start, end);
    if (!digits()) {
      return false;
    }
    boolean negative = Mem.getByte(from) == '-';
    if (wholeDigits + Math.max(scale, fractionDigits) > 18) {
      return bigDecimal(precision, scale);
    }
    long result = 0;
    for (long at = from; at < to; at++) {
      int digit = digit(at);
      if (isDigit(digit)) {
        result = 10 * result + digit;
      }
    }
    if (fractionDigits > scale) {
      long rest = LONG_POWERS[fractionDigits - scale];
      if (result % rest != 0) {
        return false;
      }
      result /= rest;
    } else {
      result *= LONG_POWERS[scale - fractionDigits];
    }
    if (precision < LONG_POWERS.length && result >= LONG_POWERS[precision]) {
      return false;
    }
    value = negative ? -result : result;
    high = value >> 63;
    return true;
  }

  private boolean bigDecimal(int precision, int scale) {
    BigDecimal decimal = new BigDecimal(text());
    if (decimal.scale() > scale) {
      decimal = decimal.stripTrailingZeros();
      if (decimal.scale() > scale) {
        return false;
      }
    }
    BigInteger unscaled = decimal.setScale(scale).unscaledValue();
    if (unscaled.abs().compareTo(BIG_POWERS[precision]) >= 0) {
      return false;
    }
    value = unscaled.longValue();
    high = unscaled.shiftRight(64).longValue();
    return true;
  }

  private String text() {
    byte[] bytes = new byte[(int) (to - from)];
    Mem.copy(from, bytes, 0, bytes.length);
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  /** A number, rounded to the nearest that 64 bits can hold. */
  boolean floating(long start, long end) {
    return floating(start, end, false);
  }

  /** A number, rounded once to the nearest that 32 bits can hold. */
  boolean single(long start, long end) {
    return floating(start, end, true);
  }

  private boolean floating(long start, long end, boolean single) {
    trim(start, end);
    special = false;
    long at = from;
    boolean negative = at < to && Mem.getByte(at) == '-';
    if (negative || (at < to && Mem.getByte(at) == '+')) {
      at++;
    }
    long mantissa = 0;
    int significant = 0;
    int count = 0;
    int exponent = 0;
    boolean point = false;
    for (; at < to; at++) {
      int digit = digit(at);
      if (isDigit(digit)) {
        count++;
        if (significant < 19) {
          mantissa = 10 * mantissa + digit;
        }
        significant += mantissa == 0 ? 0 : 1;
        exponent -= point ? 1 : 0;
      } else if (digit == '.' - '0' && !point) {
        point = true;
      } else {
        break;
      }
    }
    if (count == 0) {
      return notFinite(at, negative, point);
    }
    if (at < to) {
      special = true;
      int written = exponent(at);
      if (written == Integer.MIN_VALUE) {
        return false;
      }
      exponent += written;
    }
    long limit = single ? 1L << 24 : 1L << 53;
    int most = single ? 10 : 22;
    if (significant <= 18 && mantissa <= limit && exponent >= -most && exponent <= most) {
      // Both operands are exact, so that the result is rounded once, as it must be.
      double result;
      if (single) {
        float power = (float) POWERS[Math.abs(exponent)];
        result = exponent < 0 ? (float) mantissa / power : (float) mantissa * power;
      } else {
        double power = POWERS[Math.abs(exponent)];
        result = exponent < 0 ? mantissa / power : mantissa * power;
      }
      number = negative ? -result : result;
    } else {
      number = single ? Float.parseFloat(text()) : Double.parseDouble(text());
    }
    return Double.isFinite(number); // digits of a number beyond the type's range are none of it
  }

  /** The exponent that is written from {@code at} on, or MIN_VALUE if it is not one. */
  private int exponent(long at) {
    if ((Mem.getByte(at++) | 0x20) != 'e') {
      return Integer.MIN_VALUE;
    }
    boolean negative = at < to && Mem.getByte(at) == '-';
    if (negative || (at < to && Mem.getByte(at) == '+')) {
      at++;
    }
    if (at == to) {
      return Integer.MIN_VALUE;
    }
    int result = 0;
    for (; at < to; at++) {
      int digit = digit(at);
      if (!isDigit(digit)) {
        return Integer.MIN_VALUE;
      }
      result = Math.min(100_000, 10 * result + digit);
    }
    return negative ? -result : result;
  }

  private boolean notFinite(long at, boolean negative, boolean point) {
    special = true;
    if (point || to - at < 3 || to - at > 8) {
      return false;
    }
    long signed = from;
    from = at;
    String word = text().toLowerCase(Locale.ROOT);
    from = signed;
    switch (word) {
      case "nan" -> number = Double.NaN;
      case "inf", "infinity" ->
          number = negative ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY;
      default -> {
        return false;
      }
    }
    return true;
  }

  /** {@code true} or {@code false}, and if it is declared also t, f, yes, no, y, n, 1 and 0. */
  boolean bool(long start, long end, boolean declared) {
    trim(start, end);
    if (to - from > 5 || to == from) {
      return false;
    }
    @Nullable Boolean found =
        switch (text().toLowerCase(Locale.ROOT)) {
          case "true" -> true;
          case "false" -> false;
          case "t", "yes", "y", "1" -> declared ? true : null;
          case "f", "no", "n", "0" -> declared ? false : null;
          default -> null;
        };
    value = found != null && found ? 1 : 0;
    return found != null;
  }

  private int number(long at, int digits) {
    int result = 0;
    for (int i = 0; i < digits; i++) {
      int digit = digit(at + i);
      if (!isDigit(digit)) {
        return -1;
      }
      result = 10 * result + digit;
    }
    return result;
  }

  /** {@code yyyy-MM-dd}. */
  boolean date(long start, long end) {
    trim(start, end);
    return to - from == 10 && date();
  }

  /** The date in the first ten bytes. */
  private boolean date() {
    if (Mem.getByte(from + 4) != '-' || Mem.getByte(from + 7) != '-') {
      return false;
    }
    int year = number(from, 4);
    int month = number(from + 5, 2);
    int day = number(from + 8, 2);
    if (year < 1 || month < 1 || month > 12 || day < 1 || day > days(year, month)) {
      return false;
    }
    value = epochDay(year, month, day);
    return true;
  }

  private static int days(int year, int month) {
    boolean leap = (year & 3) == 0 && (year % 100 != 0 || year % 400 == 0);
    return month == 2
        ? (leap ? 29 : 28)
        : month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
  }

  /** Days since 1970-01-01 in the proleptic Gregorian calendar; years begin in March here. */
  private static long epochDay(int year, int month, int day) {
    int y = month <= 2 ? year - 1 : year;
    int dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return 365L * y + y / 4 - y / 100 + y / 400 + dayOfYear - 719_468;
  }

  /** {@code HH:mm[:ss[.fraction]]}, cut to milliseconds. */
  boolean time(long start, long end) {
    trim(start, end);
    if (!time()) {
      return false;
    }
    value = TimestampUnit.MILLIS.to(TimestampUnit.MICROS, value) + nanos / 1_000;
    cut |= nanos % 1_000 != 0;
    return true;
  }

  /** The time in milliseconds, and {@link #nanos} beside. */
  private boolean time() {
    nanos = 0;
    timeDigits = 0;
    long length = to - from;
    if (length < 5 || Mem.getByte(from + 2) != ':') {
      return false;
    }
    int hour = number(from, 2);
    int minute = number(from + 3, 2);
    int second = 0;
    int millis = 0;
    if (length > 5) {
      if (length < 8 || Mem.getByte(from + 5) != ':') {
        return false;
      }
      second = number(from + 6, 2);
      if (length > 8) {
        if (length == 9
            || length > 18
            || (Mem.getByte(from + 8) != '.' && Mem.getByte(from + 8) != ',')) {
          return false;
        }
        int digits = (int) length - 9;
        if (number(from + 9, digits) < 0) {
          return false;
        }
        millis = number(from + 9, Math.min(3, digits)) * (digits == 1 ? 100 : digits == 2 ? 10 : 1);
        timeDigits = digits;
        nanos = digits > 3 ? number(from + 12, digits - 3) * TENS[9 - digits] : 0;
      }
    }
    if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59) {
      return false;
    }
    value = ((hour * 60L + minute) * 60 + second) * 1000 + millis;
    return true;
  }

  /**
   * A date, or a date and a time behind a space or T, and then maybe Z or an offset from UTC, to
   * which it is converted; one that is beyond the unit's range is none.
   */
  boolean timestamp(long start, long end, TimestampUnit unit) {
    nanos = 0;
    timeDigits = 0;
    hasOffset = false;
    hasZ = false;
    if (!timestamp(start, end)) {
      return false;
    }
    long nanosOfUnit = 1_000_000 / unit.perMilli();
    cut |= nanos % nanosOfUnit != 0;
    try {
      value = DateTimes.combine(value, unit.perMilli(), nanos / nanosOfUnit);
      return true;
    } catch (ArithmeticException e) {
      return false;
    }
  }

  /** Milliseconds, and {@link #nanos} beside. */
  private boolean timestamp(long start, long end) {
    trim(start, end);
    if (to - from < 10 || !date()) {
      return false;
    }
    long millis = value * 86_400_000;
    from += 10;
    if (from == to) {
      value = millis;
      return true;
    }
    byte separator = Mem.getByte(from++);
    if (separator != ' ' && separator != 'T') {
      return false;
    }
    long offset = 0;
    for (long at = Math.min(to, from + 5); at < to; at++) {
      byte sign = Mem.getByte(at);
      if (sign == 'Z' && at + 1 == to) {
        to = at;
        hasZ = true;
      } else if (sign == '+' || sign == '-') {
        int seconds = offset(at + 1);
        if (seconds < 0) {
          return false;
        }
        offset = sign == '+' ? seconds : -seconds;
        hasOffset = true;
        to = at;
      }
    }
    if (!time()) {
      return false;
    }
    value += millis - offset * 1_000;
    return true;
  }

  /** Seconds of an offset {@code HH[[:]mm[[:]ss]]}, or -1. */
  private int offset(long at) {
    long length = to - at;
    boolean colons = length > 2 && Mem.getByte(at + 2) == ':';
    int step = colons ? 3 : 2;
    int fields = length == 2 ? 1 : length == step + 2 ? 2 : length == 2L * step + 2 ? 3 : 0;
    if (fields == 0 || (colons && fields == 3 && Mem.getByte(at + 5) != ':')) {
      return -1;
    }
    int hours = number(at, 2);
    int minutes = fields > 1 ? number(at + step, 2) : 0;
    int seconds = fields > 2 ? number(at + 2L * step, 2) : 0;
    return hours < 0 || hours > 18 || minutes < 0 || minutes > 59 || seconds < 0 || seconds > 59
        ? -1
        : 3600 * hours + 60 * minutes + seconds;
  }

  /** Looks at a number's form: {@link #wholeDigits}, {@link #fractionDigits}, {@link #special}. */
  boolean numberForm(long start, long end) {
    trim(start, end);
    special = false;
    return digits() || floating(start, end);
  }

  /** Whether a number has zeros in front that a number would not be written with. */
  boolean hasLeadingZero(long start, long end) {
    trim(start, end);
    long at = from;
    if (at < to && (Mem.getByte(at) == '-' || Mem.getByte(at) == '+')) {
      at++;
    }
    return to - at > 1 && Mem.getByte(at) == '0' && isDigit(digit(at + 1));
  }
}
