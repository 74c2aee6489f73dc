package io.aragonite.exec.expr;

import io.aragonite.exec.error.ErrorCode;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * What {@code date_part} and {@code date_trunc} take out of dates and times, with the names that
 * PostgreSQL, DuckDB and SQL Server have for it.
 */
public enum DatePart {
  YEAR("years", "yr", "yrs", "yy", "yyyy", "y"),
  QUARTER("quarters", "qq"),
  MONTH("months", "mon", "mons", "mm"),
  WEEK("weeks", "weekofyear", "ww", "w"),
  DAY("days", "dayofmonth", "dd", "d"),
  HOUR("hours", "hr", "hrs", "hh", "h"),
  MINUTE("minutes", "min", "mins", "mi", "m"),
  SECOND("seconds", "sec", "secs", "ss", "s"),
  MILLISECOND("milliseconds", "ms", "msec", "msecs", "msecond", "mseconds"),
  MICROSECOND("microseconds", "us", "usec", "usecs", "usecond", "useconds"),
  NANOSECOND("nanoseconds"),
  DECADE("decades", "dec", "decs"),
  CENTURY("centuries", "cent", "c"),
  MILLENNIUM("millennia", "millenniums", "millenium", "mil", "mils"),
  /** Sunday = 0. */
  DOW("dayofweek", "weekday"),
  /** Monday = 1. */
  ISODOW,
  DOY("dayofyear"),
  ISOYEAR,
  /** {@code 202401}, of the ISO year and week. */
  YEARWEEK,
  EPOCH,
  /** Days since 4714 BC. */
  JULIAN("jd"),
  /** 1 for AD, 0 for BC. */
  ERA;

  private static final Map<String, DatePart> NAMES = names();

  private final List<String> others;

  DatePart(String... others) {
    this.others = List.of(others);
  }

  private static Map<String, DatePart> names() {
    Map<String, DatePart> names = new HashMap<>();
    for (DatePart part : values()) {
      names.put(part.name(), part);
      part.others.forEach(name -> names.put(name.toUpperCase(Locale.ROOT), part));
    }
    return names;
  }

  /** The part of a name in any case. */
  public static Optional<DatePart> of(String name) {
    return Optional.ofNullable(NAMES.get(name.toUpperCase(Locale.ROOT)));
  }

  /**
   * The ordinal of the part of a name.
   *
   * @throws EvalException INVALID_ARGUMENT
   */
  static long ordinalOf(String name) {
    DatePart part = NAMES.get(name.toUpperCase(Locale.ROOT));
    if (part == null) {
      throw new EvalException(
          ErrorCode.INVALID_ARGUMENT,
          "'%s' is no unit of time; use 'year', 'month', 'day', 'hour' or the like"
              .formatted(name));
    }
    if (part == ERA) {
      throw new EvalException(
          ErrorCode.INVALID_ARGUMENT, "a unit 'era' must be a literal; write era(x)");
    }
    return part.ordinal();
  }
}
