package io.aragonite.exec.expr;

/**
 * The built-in operations. Unless said otherwise an operation is strict (null if any argument is
 * null), and errors are raised only for rows and branches that are really evaluated: a CASE guards
 * its branches, AND and OR need not evaluate what cannot change the result but may.
 *
 * <p>Exact arithmetic: integer operands and result have the kind of the result type (the planner
 * inserts casts); overflow is NUMERIC_OVERFLOW. Decimal operands may have any precision and scale;
 * the exact result is rounded half up (away from zero) to the scale of the result type, and a value
 * of more digits than its precision is NUMERIC_OVERFLOW. Floats follow Java; DIVIDE and MOD of
 * exact numbers by zero are DIVISION_BY_ZERO, of floats too (as Calcite does for MOD, IEEE for
 * DIVIDE). Comparisons take two values of the same kind (decimals of any scales, text against text
 * by bytes).
 */
public enum Op {
  PLUS,
  MINUS,
  TIMES,
  DIVIDE,
  /** Remainder with the sign of the dividend. */
  MOD,
  NEGATE,
  ABS,
  SIGN,

  EQ,
  NE,
  LT,
  LE,
  GT,
  GE,
  /** Never null. */
  IS_DISTINCT_FROM,
  /** Never null. */
  IS_NOT_DISTINCT_FROM,
  /** {@code IN_LIST(value, literal...)}: SQL's IN with its nulls. */
  IN_LIST,

  /** Any number of arguments, three-valued. */
  AND,
  /** Any number of arguments, three-valued. */
  OR,
  NOT,
  IS_NULL,
  IS_NOT_NULL,
  IS_TRUE,
  IS_NOT_TRUE,
  IS_FALSE,
  IS_NOT_FALSE,

  /** {@code CASE(condition, value, condition, value, ..., otherwise)}. */
  CASE,
  COALESCE,

  /**
   * To the call's type; a value that does not fit is INVALID_CAST or NUMERIC_OVERFLOW. Decimals are
   * rounded half away from zero, floats that become integers half to even.
   */
  CAST,
  /** As CAST, but null where CAST fails. */
  TRY_CAST,

  /** {@code LIKE(text, pattern[, escape])}, case-sensitive. */
  LIKE,
  /** As LIKE, case ignored. */
  ILIKE,
  /** {@code SIMILAR TO}. */
  SIMILAR,
  UPPER,
  LOWER,
  INITCAP,
  /** Code points of a text. */
  CHAR_LENGTH,
  OCTET_LENGTH,
  /**
   * {@code SUBSTRING(text or bytes, from[, for])}, counting from 1 in code points or bytes,
   * SQL:2016.
   */
  SUBSTRING,
  /** Any number of arguments, null if one is. */
  CONCAT,
  /** {@code TRIM(characters, text)}; characters is a set of one or more code points. */
  TRIM_BOTH,
  TRIM_LEADING,
  TRIM_TRAILING,
  /** {@code POSITION(needle, text[, from])}, 0 if absent. */
  POSITION,
  /** {@code REPLACE(text, search, replacement)}. */
  REPLACE,
  /** {@code OVERLAY(text, replacement, from[, for])}. */
  OVERLAY,
  LEFT,
  RIGHT,
  LPAD,
  RPAD,
  REVERSE,
  REPEAT,

  /** {@code FORMAT(x, specification)} of an INT64, a FLOAT64 or a VARCHAR. */
  FORMAT,
  ASCII,
  CHR,

  POWER,
  SQRT,
  CBRT,
  EXP,
  LN,
  LOG10,
  SIN,
  COS,
  TAN,
  COT,
  ASIN,
  ACOS,
  ATAN,
  ATAN2,
  SINH,
  COSH,
  TANH,
  DEGREES,
  RADIANS,
  PI,
  FLOOR,
  CEIL,
  /** {@code ROUND(x[, digits])}, half away from zero. */
  ROUND,
  /** {@code TRUNCATE(x[, digits])}. */
  TRUNCATE,
  BIT_AND,
  BIT_OR,
  BIT_XOR,
  BIT_NOT,
  /** {@code BIT_COUNT(a)}: how many of the 64 bits of an INT64 are set. */
  BIT_COUNT,
  /** {@code GCD(a, b)} of two INT64, never negative. */
  GCD,
  /** {@code LCM(a, b)} of two INT64, never negative. */
  LCM,

  /**
   * {@code EXTRACT(unit, datetime or interval)}; unit is a literal with the name of a {@link
   * TimeUnit}.
   */
  EXTRACT,
  /** {@code DATE_PART(name)}: the ordinal of the {@link DatePart} that a text names. */
  DATE_PART,
  /** {@code FLOOR_TIME(unit, datetime)}. */
  FLOOR_TIME,
  /** {@code CEIL_TIME(unit, datetime)}. */
  CEIL_TIME,
  /**
   * {@code DATETIME_PLUS(date | time | timestamp, interval)}; months clip to the last day of the
   * month; of hours a date counts whole days towards zero; a negated interval subtracts.
   */
  DATETIME_PLUS,
  /** {@code DATETIME_MINUS(a, b)}: the interval type of the call from b to a. */
  DATETIME_MINUS,
  /**
   * {@code LOCAL_TIME(zone, instant)}: the TIMESTAMP that clocks of a zone show, a literal with the
   * name of {@link ZoneOffsets#of}.
   */
  LOCAL_TIME,
  /**
   * {@code LOCAL_TO_INSTANT(zone, timestamp)}: when clocks of a zone show it. Of a time that they
   * show twice the later instant, of one that they skip by the offset before.
   */
  LOCAL_TO_INSTANT,
  /**
   * {@code INSTANT_FLOOR(zone, unit, instant)}: when the hour or minute of a zone's clocks began.
   * Clocks show some hours twice, so the time goes back by what has passed of the unit.
   */
  INSTANT_FLOOR,
  /** {@code INSTANT_CEIL(zone, unit, instant)}: when the next one begins, if none begins now. */
  INSTANT_CEIL,
  /** {@code INSTANT_TEXT(zone, instant)}: the local time with its offset, {@code +01:00}. */
  INSTANT_TEXT,
  /** {@code INSTANT_OF_TEXT(zone, text)}: by the offset or zone in the text, else by the zone. */
  INSTANT_OF_TEXT,
  /** {@link #INSTANT_OF_TEXT}, but null where the text is none. */
  TRY_INSTANT_OF_TEXT,

  /** {@code UUID_OF_TEXT(text)}: the canonical text of the UUID that a text is. */
  UUID_OF_TEXT,
  /** {@link #UUID_OF_TEXT}, but null where the text is none. */
  TRY_UUID_OF_TEXT,
  GREATEST,
  LEAST;

  /** Whether what fails is null. */
  public boolean isTried() {
    return this == TRY_CAST || this == TRY_INSTANT_OF_TEXT || this == TRY_UUID_OF_TEXT;
  }

  /** Of a comparison the one that is true where this is false; null makes both unknown. */
  public Op negatedComparison() {
    return switch (this) {
      case EQ -> NE;
      case NE -> EQ;
      case LT -> GE;
      case GE -> LT;
      case LE -> GT;
      case GT -> LE;
      default -> throw new IllegalStateException(this + " is no comparison");
    };
  }

  /**
   * Of a comparison the one that says the same with its sides exchanged; what is no comparison is
   * itself.
   */
  public Op flippedComparison() {
    return switch (this) {
      case LT -> GT;
      case GT -> LT;
      case LE -> GE;
      case GE -> LE;
      default -> this;
    };
  }
}
