package io.aragonite.exec.type;

/** The kinds of SQL types that columns have. */
public enum TypeKind {
  /** The type of a bare NULL: every value is null, nothing is stored. */
  NULL,
  BOOLEAN,
  INT8,
  INT16,
  INT32,
  INT64,
  FLOAT32,
  FLOAT64,
  /** Exact decimal of up to 38 digits; an unscaled integer of 64 or 128 bits. */
  DECIMAL,
  /** Days since 1970-01-01, 32 bits. */
  DATE,
  /** Microseconds since midnight, 64 bits, whatever the precision. */
  TIME,
  /** Time since 1970-01-01 00:00 in a {@link TimestampUnit}, 64 bits, without a time zone. */
  TIMESTAMP,
  /**
   * A moment, whatever the clock of a place shows: time since 1970-01-01 00:00 UTC in a {@link
   * TimestampUnit}, 64 bits. Only its text and its parts need a time zone.
   */
  INSTANT,
  /** Months, 32 bits. */
  INTERVAL_MONTH,
  /** Milliseconds, 64 bits. */
  INTERVAL_DAY,
  /** UTF-8 text of a declared length, kept as it was given (no padding is added or removed). */
  CHAR,
  /** UTF-8 text. */
  VARCHAR,
  /** Bytes; BINARY and VARBINARY alike. */
  BINARY,
  /**
   * A value that only host functions understand (ARRAY, MAP, MULTISET, ROW, VARIANT and the like):
   * columns carry handles, the objects stay on the host. It can be passed on and returned, not
   * compared.
   */
  OPAQUE;

  /** The name that users know, without precision. */
  public String sqlName() {
    return switch (this) {
      case INT8 -> "TINYINT";
      case INT16 -> "SMALLINT";
      case INT32 -> "INTEGER";
      case INT64 -> "BIGINT";
      case FLOAT32 -> "REAL";
      case FLOAT64 -> "DOUBLE";
      case INSTANT -> "TIMESTAMP WITH TIME ZONE";
      case INTERVAL_MONTH -> "INTERVAL MONTH";
      case INTERVAL_DAY -> "INTERVAL DAY";
      default -> name();
    };
  }

  public boolean isInteger() {
    return this == INT8 || this == INT16 || this == INT32 || this == INT64;
  }

  public boolean isFloat() {
    return this == FLOAT32 || this == FLOAT64;
  }

  public boolean isNumeric() {
    return isInteger() || isFloat() || this == DECIMAL;
  }

  /** A moment, with or without a time zone: values count units from 1970. */
  public boolean isTimestamp() {
    return this == TIMESTAMP || this == INSTANT;
  }

  public boolean isText() {
    return this == CHAR || this == VARCHAR;
  }

  /** Text or bytes: values of varying length. */
  public boolean isVariable() {
    return isText() || this == BINARY;
  }

  /** Whether values are intervals, of days or of months. */
  public boolean isInterval() {
    return this == INTERVAL_DAY || this == INTERVAL_MONTH;
  }
}
