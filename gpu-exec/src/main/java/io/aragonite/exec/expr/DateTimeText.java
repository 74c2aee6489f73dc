package io.aragonite.exec.expr;

import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.type.TimestampUnit;

/**
 * Dates, times and intervals from text and to text, in Calcite's forms; intervals in PostgreSQL's.
 */
final class DateTimeText {
  private DateTimeText() {}

  static String date(long days) {
    StringBuilder text = new StringBuilder(10);
    appendDate(text, days);
    return text.toString();
  }

  /** With as many digits of a fraction of a second as it has. */
  static String time(long micros) {
    StringBuilder text = new StringBuilder(15);
    appendTime(text, micros, TimestampUnit.MICROS, digits(micros, TimestampUnit.MICROS));
    return text.toString();
  }

  /** With as many digits of a fraction of a second as it has. */
  static String timestamp(long value, TimestampUnit unit) {
    StringBuilder text = new StringBuilder(29);
    appendDate(text, Math.floorDiv(value, unit.perDay()));
    long ofDay = Math.floorMod(value, unit.perDay());
    appendTime(text.append(' '), ofDay, unit, digits(ofDay, unit));
    return text.toString();
  }

  private static int digits(long ofDay, TimestampUnit unit) {
    long fraction = ofDay % unit.perSecond();
    int digits = fraction == 0 ? 0 : unit.digits();
    for (; digits > 0 && fraction % 10 == 0; digits--) {
      fraction /= 10;
    }
    return digits;
  }

  /** {@code 1 year 2 mons}, as PostgreSQL writes it. */
  static String months(long months) {
    StringBuilder text = new StringBuilder(20);
    count(text, months / 12, "year");
    count(text, months % 12, "mon");
    return text.isEmpty() ? "00:00:00" : text.toString();
  }

  /** {@code 1 day 02:03:04.5}, as PostgreSQL writes it. */
  static String interval(long millis) {
    StringBuilder text = new StringBuilder(24);
    count(text, millis / DateTimes.MILLIS_PER_DAY, "day");
    long ofDay = millis % DateTimes.MILLIS_PER_DAY;
    if (ofDay != 0 || text.isEmpty()) {
      text.append(text.isEmpty() ? "" : " ").append(ofDay < 0 ? "-" : "");
      long size = Math.abs(ofDay);
      appendTime(text, size, TimestampUnit.MILLIS, digits(size, TimestampUnit.MILLIS));
    }
    return text.toString();
  }

  private static void count(StringBuilder text, long count, String unit) {
    if (count != 0) {
      text.append(text.isEmpty() ? "" : " ").append(count).append(' ').append(unit);
      text.append(count == 1 ? "" : "s");
    }
  }

  private static void appendDate(StringBuilder text, long days) {
    long civil = DateTimes.civil(days);
    long year = civil >> 9;
    if (year < 0) {
      text.append('-');
    }
    append(text, Math.abs(year), 4);
    append(text.append('-'), civil >> 5 & 15, 2);
    append(text.append('-'), civil & 31, 2);
  }

  private static void appendTime(
      StringBuilder text, long ofDay, TimestampUnit unit, int precision) {
    long seconds = ofDay / unit.perSecond();
    append(text, seconds / 3600, 2);
    append(text.append(':'), seconds / 60 % 60, 2);
    append(text.append(':'), seconds % 60, 2);
    if (precision > 0) {
      StringBuilder fraction = new StringBuilder(9);
      append(fraction, ofDay % unit.perSecond(), unit.digits());
      text.append('.').append(fraction, 0, precision);
    }
  }

  private static void append(StringBuilder text, long value, int width) {
    String digits = Long.toString(value);
    text.repeat("0", Math.max(0, width - digits.length())).append(digits);
  }

  /** A date; a time behind it is left out. */
  static long parseDate(String text) {
    Scanner in = new Scanner(text, "DATE");
    long days = in.date();
    if (in.dayTime() >= 0) {
      in.zone();
    }
    in.end();
    return days;
  }

  /**
   * A time of day, in microseconds; more digits are an error. A date in front of it, and a zone
   * behind both, are left out, as in PostgreSQL.
   */
  static long parseTime(String text) {
    Scanner in = new Scanner(text, "TIME");
    in.unit = TimestampUnit.NANOS;
    long nanos = in.beginsWithDate() ? in.timeBehindDate() : in.time();
    in.end();
    if (!TimestampUnit.NANOS.isExact(TimestampUnit.MICROS, nanos)) {
      throw new EvalException(
          ErrorCode.INVALID_ARGUMENT,
          "'%s' has digits behind the microseconds, which TIME does not keep; cut them off, or make it a TIMESTAMP(9)"
              .formatted(in.text));
    }
    return TimestampUnit.NANOS.to(TimestampUnit.MICROS, nanos);
  }

  /**
   * A date, and after a blank or a T a time, of which seconds may be left out; digits that the unit
   * lacks are rounded. A zone behind the time says nothing, as in PostgreSQL.
   *
   * @throws ArithmeticException beyond the unit's range
   */
  static long parseTimestamp(String text, TimestampUnit unit) {
    return timestamp(new Scanner(text, "TIMESTAMP"), unit, true);
  }

  /** The same without a zone, which the caller has read. */
  static long parseLocalTimestamp(String text, TimestampUnit unit) {
    return timestamp(new Scanner(text, "TIMESTAMP"), unit, false);
  }

  private static long timestamp(Scanner in, TimestampUnit unit, boolean zone) {
    in.unit = unit;
    long days = in.date();
    long ofDay = in.dayTime();
    if (ofDay >= 0 && zone) {
      in.zone();
    }
    in.end();
    return ofDay == unit.perDay() // 24:00
        ? DateTimes.combine(days + 1, unit.perDay(), 0)
        : DateTimes.combine(days, unit.perDay(), Math.max(0, ofDay));
  }

  /** {@code 1 year 2 mons}; the standard's {@code [+-]years[-months]}, or months alone. */
  static long parseMonths(String text) {
    Scanner in = new Scanner(text, "INTERVAL YEAR TO MONTH");
    IntervalText counted = IntervalText.parse(text.strip());
    if (counted != null) {
      return sum(counted, true, in);
    }
    boolean negative = in.sign();
    long months = in.number(9);
    if (in.accept('-')) {
      months = months * 12 + in.number(2);
    }
    in.end();
    return negative ? -months : months;
  }

  /**
   * {@code 1 day 2 hours}; the standard's {@code [+-]days [hours:minutes:seconds.fraction]}, or a
   * time alone.
   */
  static long parseInterval(String text) {
    Scanner in = new Scanner(text, "INTERVAL DAY TO SECOND");
    IntervalText counted = IntervalText.parse(text.strip());
    if (counted != null) {
      return sum(counted, false, in);
    }
    boolean negative = in.sign();
    long millis;
    if (text.indexOf(':') >= 0 && text.strip().indexOf(' ') < 0) {
      millis = in.clock(9);
    } else {
      millis = in.number(9) * DateTimes.MILLIS_PER_DAY;
      if (in.accept(' ')) {
        millis += in.clock(2);
      }
    }
    in.end();
    return negative ? -millis : millis;
  }

  private static long sum(IntervalText counted, boolean months, Scanner in) {
    try {
      if (counted.sum(!months) != 0) {
        throw new EvalException(
            ErrorCode.INVALID_ARGUMENT,
            "'%s' has %s, which %s does not hold; an interval has years and months, or days and time, so take two"
                .formatted(in.text, months ? "days or time" : "years or months", in.type));
      }
      return counted.sum(months);
    } catch (ArithmeticException e) {
      throw in.refused();
    }
  }

  /** Reads the parts of a trimmed text; anything unexpected is INVALID_DATETIME. */
  private static final class Scanner {
    private final String text;
    private final String type;
    private int at;

    /** What times count. */
    private TimestampUnit unit = TimestampUnit.MILLIS;

    Scanner(String text, String type) {
      this.text = text.strip();
      this.type = type;
    }

    EvalException refused() {
      String shown = text.length() > 100 ? text.substring(0, 100) + "…" : text;
      return new EvalException(
          ErrorCode.INVALID_DATETIME, "'" + shown + "' is not a value of " + type);
    }

    private static boolean isDigit(char c) {
      return c >= '0' && c <= '9';
    }

    boolean accept(char c) {
      if (at < text.length() && text.charAt(at) == c) {
        at++;
        return true;
      }
      return false;
    }

    void blanks() {
      while (at < text.length() && text.charAt(at) == ' ') {
        at++;
      }
    }

    boolean sign() {
      if (accept('-')) {
        return true;
      }
      accept('+');
      return false;
    }

    void expect(char c) {
      if (!accept(c)) {
        throw refused();
      }
    }

    long number(int maxDigits) {
      int start = at;
      long value = 0;
      while (at < text.length() && isDigit(text.charAt(at))) {
        value = value * 10 + (text.charAt(at++) - '0');
        if (at - start > maxDigits) {
          throw refused();
        }
      }
      if (at == start) {
        throw refused();
      }
      return value;
    }

    long date() {
      long year = number(4);
      boolean slashes = accept('/');
      if (!slashes) {
        expect('-');
      }
      long month = number(2);
      expect(slashes ? '/' : '-');
      long day = number(2);
      if (month < 1 || month > 12 || day < 1 || day > DateTimes.daysInMonth(year, (int) month)) {
        throw refused();
      }
      return DateTimes.days(year, (int) month, (int) day);
    }

    /** The time behind a date, -1 if there is none; 24:00 is the end of the day. */
    long dayTime() {
      if (!accept(' ') && !accept('T')) {
        return -1;
      }
      blanks();
      long ofDay = clock(2);
      if (ofDay > unit.perDay()) {
        throw refused();
      }
      return ofDay;
    }

    /** {@code Z}, {@code UTC} or an offset, if one is there. */
    void zone() {
      blanks();
      if (accept('Z')) {
        return;
      }
      if (text.startsWith("UTC", at)) {
        at += 3;
      } else if (accept('+') || accept('-')) {
        number(2);
        for (int parts = 0; parts < 2 && accept(':'); parts++) {
          number(2);
        }
      }
    }

    /** Whether there are hyphens or slashes before any colon. */
    boolean beginsWithDate() {
      int digits = 0;
      while (digits < text.length() && isDigit(text.charAt(digits))) {
        digits++;
      }
      return digits > 0
          && digits < text.length()
          && (text.charAt(digits) == '-' || text.charAt(digits) == '/');
    }

    long timeBehindDate() {
      var _ = date();
      long ofDay = dayTime();
      if (ofDay < 0 || ofDay == unit.perDay()) {
        throw refused();
      }
      zone();
      return ofDay;
    }

    long time() {
      long ofDay = clock(2);
      if (ofDay >= unit.perDay()) {
        throw refused();
      }
      return ofDay;
    }

    /** Hours, minutes, seconds and a fraction, rounded to the unit. */
    long clock(int hourDigits) {
      long hours = number(hourDigits);
      expect(':');
      long minutes = number(2);
      long seconds = 0;
      long fraction = 0;
      if (accept(':')) {
        seconds = number(2);
        if (accept('.')) {
          fraction = fraction();
        }
      }
      if (minutes > 59 || seconds > 59) {
        throw refused();
      }
      return ((hours * 60 + minutes) * 60 + seconds) * unit.perSecond() + fraction;
    }

    private long fraction() {
      long value = 0;
      int digits = 0;
      while (at < text.length() && isDigit(text.charAt(at))) {
        int digit = (text.charAt(at++) - '0');
        if (digits < unit.digits()) {
          value = value * 10 + digit;
        } else if (digits == unit.digits() && digit >= 5) {
          value++;
        }
        digits++;
      }
      for (; digits < unit.digits(); digits++) {
        value *= 10;
      }
      return value;
    }

    void end() {
      if (at != text.length()) {
        throw refused();
      }
    }
  }
}
