package io.aragonite.exec.expr;

/** Units of EXTRACT, FLOOR and CEIL on dates and times. */
public enum TimeUnit {
  YEAR,
  QUARTER,
  MONTH,
  WEEK,
  DAY,
  HOUR,
  MINUTE,
  SECOND,
  MILLISECOND,
  MICROSECOND,
  NANOSECOND,
  /** Sunday = 1. */
  DOW,
  /** Monday = 1. */
  ISODOW,
  DOY,
  ISOYEAR,
  DECADE,
  CENTURY,
  MILLENNIUM,
  EPOCH
}
