package io.aragonite.exec.type;

/**
 * What the 64 bits of a TIMESTAMP count since 1970-01-01 00:00. The unit follows from the type's
 * precision: the coarsest that has all of its digits, since a finer one covers fewer years.
 */
public enum TimestampUnit {
  /** Precision 0 to 3. */
  MILLIS(3, 1),
  /** Precision 4 to 6. */
  MICROS(6, 1_000),
  /** Precision 7 to 9: the years 1677 to 2262. */
  NANOS(9, 1_000_000);

  private final int digits;
  private final long perMilli;

  TimestampUnit(int digits, long perMilli) {
    this.digits = digits;
    this.perMilli = perMilli;
  }

  /** The unit of a TIMESTAMP of so many digits of a fraction of a second. */
  public static TimestampUnit of(int precision) {
    return precision <= 3 ? MILLIS : precision <= 6 ? MICROS : NANOS;
  }

  /** Digits of a fraction of a second. */
  public int digits() {
    return digits;
  }

  public long perMilli() {
    return perMilli;
  }

  public long perSecond() {
    return 1_000 * perMilli;
  }

  public long perDay() {
    return 86_400_000 * perMilli;
  }

  /**
   * A value in another unit; what a coarser one lacks is cut off, down.
   *
   * @throws ArithmeticException if the other unit does not reach that far
   */
  public long to(TimestampUnit other, long value) {
    return other.perMilli >= perMilli
        ? Math.multiplyExact(value, other.perMilli / perMilli)
        : Math.floorDiv(value, perMilli / other.perMilli);
  }

  /** Whether another unit has all digits of a value. */
  public boolean isExact(TimestampUnit other, long value) {
    return other.perMilli >= perMilli || value % (perMilli / other.perMilli) == 0;
  }
}
