package io.aragonite.exec.expr;

import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.type.TimestampUnit;

/**
 * Dates, times and timestamps on the proleptic Gregorian calendar: days and milliseconds since
 * 1970-01-01, negative before. Units and results are Calcite's. Day and year arithmetic follows
 * Howard Hinnant's civil-date algorithms.
 */
public final class DateTimes {
  public static final long MILLIS_PER_DAY = 86_400_000L;

  private DateTimes() {}

  /** Year, month and day packed as {@code year << 9 | month << 5 | day}. */
  public static long civil(long days) {
    long z = days + 719_468;
    long era = Math.floorDiv(z, 146_097L);
    int doe = (int) (z - era * 146_097);
    int yoe = (doe - doe / 1460 + doe / 36_524 - doe / 146_096) / 365;
    int doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    int mp = (5 * doy + 2) / 153;
    int day = doy - (153 * mp + 2) / 5 + 1;
    int month = mp < 10 ? mp + 3 : mp - 9;
    long year = yoe + era * 400 + (month <= 2 ? 1 : 0);
    return year << 9 | month << 5 | day;
  }

  public static long year(long days) {
    return civil(days) >> 9;
  }

  public static int month(long days) {
    return (int) (civil(days) >> 5) & 15;
  }

  public static int day(long days) {
    return (int) civil(days) & 31;
  }

  /** Days since the epoch of a date; month 1 to 12. */
  public static long days(long year, int month, int day) {
    long y = month <= 2 ? year - 1 : year;
    long era = Math.floorDiv(y, 400L);
    int yoe = (int) (y - era * 400);
    int doy = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
    int doe = yoe * 365 + yoe / 4 - yoe / 100 + doy;
    return era * 146_097 + doe - 719_468;
  }

  public static int daysInMonth(long year, int month) {
    if (month == 2) {
      return (year & 3) == 0 && (Math.floorMod(year, 100L) != 0 || Math.floorMod(year, 400L) == 0)
          ? 29
          : 28;
    }
    return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
  }

  /** Adds months to a date; a day that the month lacks becomes its last. */
  public static long addMonths(long days, long months) {
    long civil = civil(days);
    long total = (civil >> 9) * 12 + ((civil >> 5) & 15) - 1 + months;
    long year = Math.floorDiv(total, 12L);
    int month = (int) Math.floorMod(total, 12L) + 1;
    return days(year, month, Math.min((int) civil & 31, daysInMonth(year, month)));
  }

  /** The smallest whole number that is not below {@code value / divisor}. */
  public static long ceilDiv(long value, long divisor) {
    long quotient = value / divisor;
    return quotient * divisor < value ? quotient + 1 : quotient;
  }

  public static long addMonthsToTimestamp(long millis, long months) {
    long day = Math.floorDiv(millis, MILLIS_PER_DAY);
    return addMonths(day, months) * MILLIS_PER_DAY + (millis - day * MILLIS_PER_DAY);
  }

  /** Whole months from {@code b} to {@code a}, dates. */
  static long monthsBetween(long a, long b) {
    return monthsBetweenTimestamps(a * MILLIS_PER_DAY, b * MILLIS_PER_DAY, TimestampUnit.MILLIS);
  }

  /** Whole months from {@code b} to {@code a}, timestamps; towards zero. */
  static long monthsBetweenTimestamps(long a, long b, TimestampUnit unit) {
    if (a < b) {
      return -monthsBetweenTimestamps(b, a, unit);
    }
    long civilA = civil(Math.floorDiv(a, unit.perDay()));
    long civilB = civil(Math.floorDiv(b, unit.perDay()));
    long months =
        ((civilA >> 9) - (civilB >> 9)) * 12 + ((civilA >> 5) & 15) - ((civilB >> 5) & 15);
    long dayA = civilA & 31;
    long dayB = civilB & 31;
    boolean short1 = dayA < dayB;
    boolean shortTime =
        dayA == dayB && Math.floorMod(a, unit.perDay()) < Math.floorMod(b, unit.perDay());
    return short1 || shortTime ? months - 1 : months;
  }

  /** EXTRACT from a date. */
  public static long extractDate(TimeUnit unit, long days) {
    return switch (unit) {
      case YEAR -> year(days);
      case QUARTER -> (month(days) + 2) / 3;
      case MONTH -> month(days);
      case DAY -> day(days);
      case DOW -> Math.floorMod(days + 4, 7L) + 1;
      case ISODOW -> Math.floorMod(days + 3, 7L) + 1;
      case DOY -> days - days(year(days), 1, 1) + 1;
      case WEEK -> (days - isoYearStart(isoYear(days))) / 7 + 1;
      case ISOYEAR -> isoYear(days);
      case DECADE -> year(days) / 10;
      case CENTURY -> centuries(year(days), 100);
      case MILLENNIUM -> centuries(year(days), 1000);
      case EPOCH -> days * 86_400;
      case HOUR, MINUTE, SECOND, MILLISECOND, MICROSECOND, NANOSECOND -> 0;
    };
  }

  private static long centuries(long year, int length) {
    return year > 0 ? (year + length - 1) / length : (year - length + 1) / length;
  }

  private static long isoYear(long days) {
    // The year of the week's Thursday.
    return year(days - Math.floorMod(days + 3, 7L) + 3);
  }

  private static long isoYearStart(long isoYear) {
    long fourth = days(isoYear, 1, 4);
    return fourth - Math.floorMod(fourth + 3, 7L);
  }

  /** EXTRACT from a time of day. */
  static long extractTime(TimeUnit unit, long value, TimestampUnit of) {
    return isShort(unit)
        ? extractTimestamp(unit, value, of)
        : extractTime(unit, value / of.perMilli());
  }

  /** EXTRACT from milliseconds of a day. */
  private static long extractTime(TimeUnit unit, long millis) {
    return switch (unit) {
      case HOUR -> millis / 3_600_000;
      case MINUTE -> millis / 60_000 % 60;
      case SECOND -> millis / 1000 % 60;
      case MILLISECOND -> millis % 60_000;
      case MICROSECOND -> millis % 60_000 * 1000;
      case NANOSECOND -> millis % 60_000 * 1_000_000;
      case EPOCH -> millis / 1000;
      default -> throw unitRefused(unit, "TIME");
    };
  }

  public static long extractTimestamp(TimeUnit unit, long millis) {
    return switch (unit) {
      case EPOCH -> Math.floorDiv(millis, 1000L);
      case HOUR, MINUTE, SECOND, MILLISECOND, MICROSECOND, NANOSECOND ->
          extractTime(unit, Math.floorMod(millis, MILLIS_PER_DAY));
      default -> extractDate(unit, Math.floorDiv(millis, MILLIS_PER_DAY));
    };
  }

  /** EXTRACT from an interval of months. */
  public static long extractMonths(TimeUnit unit, long months) {
    return switch (unit) {
      case YEAR -> months / 12;
      case QUARTER -> months % 12 / 3 + 1;
      case MONTH -> months % 12;
      case DECADE -> months / 120;
      case CENTURY -> months / 1200;
      case MILLENNIUM -> months / 12_000;
      case DAY, HOUR, MINUTE, SECOND, MILLISECOND, MICROSECOND, NANOSECOND -> 0;
      default -> throw unitRefused(unit, "an interval of months");
    };
  }

  /** EXTRACT from an interval of milliseconds. */
  public static long extractInterval(TimeUnit unit, long millis) {
    return switch (unit) {
      case DAY -> millis / MILLIS_PER_DAY;
      case HOUR -> millis % MILLIS_PER_DAY / 3_600_000;
      case MINUTE -> millis % 3_600_000 / 60_000;
      case SECOND -> millis % 60_000 / 1000;
      case MILLISECOND -> millis % 60_000;
      case MICROSECOND -> millis % 60_000 * 1000;
      case NANOSECOND -> millis % 60_000 * 1_000_000;
      case EPOCH -> millis / 1000;
      case YEAR, QUARTER, MONTH, DECADE, CENTURY, MILLENNIUM -> 0;
      default -> throw unitRefused(unit, "an interval of days");
    };
  }

  /** The start of the unit that a date is in; weeks start on Sunday. */
  public static long floorDate(TimeUnit unit, long days) {
    long year = year(days);
    return switch (unit) {
      case MILLENNIUM -> days(1000 * Math.floorDiv(year + 999, 1000L) - 999, 1, 1);
      case CENTURY -> days(100 * Math.floorDiv(year + 99, 100L) - 99, 1, 1);
      case DECADE -> days(10 * Math.floorDiv(year, 10L), 1, 1);
      case YEAR -> days(year, 1, 1);
      case ISOYEAR -> isoYearStart(isoYear(days));
      case QUARTER -> days(year, (month(days) - 1) / 3 * 3 + 1, 1);
      case MONTH -> days(year, month(days), 1);
      case WEEK -> days - Math.floorMod(days + 4, 7L);
      case DAY, HOUR, MINUTE, SECOND, MILLISECOND, MICROSECOND, NANOSECOND -> days;
      default -> throw unitRefused(unit, "FLOOR");
    };
  }

  /** The start of the next unit, or the date itself where it starts one. */
  public static long ceilDate(TimeUnit unit, long days) {
    long floor = floorDate(unit, days);
    if (floor == days) {
      return days;
    }
    return switch (unit) {
      case MILLENNIUM -> addMonths(floor, 12_000);
      case CENTURY -> addMonths(floor, 1200);
      case DECADE -> addMonths(floor, 120);
      case YEAR -> addMonths(floor, 12);
      case ISOYEAR -> isoYearStart(isoYear(days) + 1);
      case QUARTER -> addMonths(floor, 3);
      case MONTH -> addMonths(floor, 1);
      case WEEK -> floor + 7;
      default -> throw unitRefused(unit, "CEIL");
    };
  }

  public static long floorTimestamp(TimeUnit unit, long millis) {
    long width = timeWidth(unit);
    return width > 0
        ? millis - Math.floorMod(millis, width)
        : floorDate(unit, Math.floorDiv(millis, MILLIS_PER_DAY)) * MILLIS_PER_DAY;
  }

  public static long ceilTimestamp(TimeUnit unit, long millis) {
    long width = timeWidth(unit);
    if (width > 0) {
      return millis + Math.floorMod(-millis, width);
    }
    return ceilDate(unit, Math.floorDiv(millis + MILLIS_PER_DAY - 1, MILLIS_PER_DAY))
        * MILLIS_PER_DAY;
  }

  /** Milliseconds of a unit of fixed length, 0 for longer units. */
  private static long timeWidth(TimeUnit unit) {
    return switch (unit) {
      case DAY -> MILLIS_PER_DAY;
      case HOUR -> 3_600_000;
      case MINUTE -> 60_000;
      case SECOND -> 1000;
      case MILLISECOND, MICROSECOND, NANOSECOND -> 1;
      default -> 0;
    };
  }

  /** Units per {@code perMilli}-th of a millisecond of what is shorter than a millisecond. */
  private static long shortWidth(TimeUnit unit, long perMilli) {
    return unit == TimeUnit.MICROSECOND ? Math.max(1, perMilli / 1000) : 1;
  }

  static boolean isShort(TimeUnit unit) {
    return unit == TimeUnit.MICROSECOND || unit == TimeUnit.NANOSECOND;
  }

  /** {@link #extractTimestamp(TimeUnit, long)} of a timestamp that counts parts of milliseconds. */
  static long extractTimestamp(TimeUnit unit, long value, TimestampUnit of) {
    if (!isShort(unit)) {
      return extractTimestamp(unit, Math.floorDiv(value, of.perMilli()));
    }
    long perSecond = unit == TimeUnit.MICROSECOND ? 1_000_000 : 1_000_000_000;
    long ofMinute = Math.floorMod(value, 60 * of.perSecond());
    return perSecond >= of.perSecond()
        ? ofMinute * (perSecond / of.perSecond())
        : ofMinute / (of.perSecond() / perSecond);
  }

  /**
   * @throws ArithmeticException beyond the unit's range
   */
  static long floorTimestamp(TimeUnit unit, long value, TimestampUnit of) {
    long perMilli = of.perMilli();
    return isShort(unit)
        ? Math.subtractExact(value, Math.floorMod(value, shortWidth(unit, perMilli)))
        : Math.multiplyExact(floorTimestamp(unit, Math.floorDiv(value, perMilli)), perMilli);
  }

  /**
   * @throws ArithmeticException beyond the unit's range
   */
  static long ceilTimestamp(TimeUnit unit, long value, TimestampUnit of) {
    long perMilli = of.perMilli();
    if (isShort(unit)) {
      long width = shortWidth(unit, perMilli);
      return Math.multiplyExact(ceilDiv(value, width), width);
    }
    return Math.multiplyExact(ceilTimestamp(unit, ceilDiv(value, perMilli)), perMilli);
  }

  /**
   * @throws ArithmeticException beyond the unit's range
   */
  static long addMonthsToTimestamp(long value, long months, TimestampUnit of) {
    long perMilli = of.perMilli();
    long millis = addMonthsToTimestamp(Math.floorDiv(value, perMilli), months);
    return combine(millis, perMilli, Math.floorMod(value, perMilli));
  }

  /**
   * @throws ArithmeticException beyond the unit's range
   */
  static long addMillisToTimestamp(long value, long millis, TimestampUnit of) {
    long perMilli = of.perMilli();
    long sum = Math.addExact(Math.floorDiv(value, perMilli), millis);
    return combine(sum, perMilli, Math.floorMod(value, perMilli));
  }

  /**
   * {@code whole * factor + rest}. The product alone may be below the least long where the sum is
   * not, so it is the sum that is checked: one that has wrapped lies elsewhere.
   *
   * @param rest from 0 to factor - 1
   * @throws ArithmeticException if the sum does not fit
   */
  public static long combine(long whole, long factor, long rest) {
    long sum = whole * factor + rest;
    if (Math.floorDiv(sum, factor) != whole) {
      throw new ArithmeticException("long overflow");
    }
    return sum;
  }

  private static EvalException unitRefused(TimeUnit unit, String what) {
    return new EvalException(ErrorCode.INVALID_ARGUMENT, unit + " does not apply to " + what);
  }
}
