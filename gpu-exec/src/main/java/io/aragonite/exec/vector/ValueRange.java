package io.aragonite.exec.vector;

/**
 * Bounds of the values of a column of integers, dates or 64-bit decimals (unscaled), both
 * inclusive. They are true bounds, not estimates: code is specialised on them (narrow arithmetic
 * without overflow checks, packed keys, direct addressing).
 */
public record ValueRange(long min, long max) {
  public ValueRange {
    if (min > max) {
      throw new IllegalArgumentException("range " + min + " to " + max + " is empty");
    }
  }

  /** Whether signed integers of so many bytes hold all values: 1, 2, 4 or 8. */
  public boolean fits(int bytes) {
    int cut = Long.SIZE - Byte.SIZE * bytes;
    return min << cut >> cut == min && max << cut >> cut == max;
  }

  public ValueRange union(ValueRange other) {
    return new ValueRange(Math.min(min, other.min), Math.max(max, other.max));
  }
}
