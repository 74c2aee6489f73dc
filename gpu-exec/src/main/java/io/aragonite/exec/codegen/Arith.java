package io.aragonite.exec.codegen;

import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.expr.DateTimes;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;

/**
 * Arithmetic that generated code calls. 128-bit values come and go as high and low words; errors
 * name the expression {@code e}.
 */
final class Arith {
  private static final long EXACT_DOUBLE = 1L << 53;
  private static final double[] POWERS = new double[23];
  private static final long[] HIGH_LIMITS = new long[39];
  private static final long[] LOW_LIMITS = new long[39];

  /** Years of the days from {@link #FIRST_DAY}, which is 1900-01-01, to 2099-12-31. */
  private static final short[] YEARS = new short[73_049];

  private static final int FIRST_DAY = -25_567;

  static {
    for (int i = 0; i < POWERS.length; i++) {
      POWERS[i] = Double.parseDouble("1e" + i);
    }
    for (int i = 0; i < HIGH_LIMITS.length; i++) {
      BigInteger limit = BigInteger.TEN.pow(i);
      HIGH_LIMITS[i] = limit.shiftRight(64).longValue();
      LOW_LIMITS[i] = limit.longValue();
    }
    for (int i = 0; i < YEARS.length; i++) {
      YEARS[i] = (short) DateTimes.year(FIRST_DAY + i);
    }
  }

  private Arith() {}

  /** Ten to a power from 0 to 18. */
  static long power(int exponent) {
    return LOW_LIMITS[exponent];
  }

  /** Ten to a power from 0 to 22. */
  static double doublePower(int exponent) {
    return POWERS[exponent];
  }

  static long add(long x, long y, KernelArgs a, Object e) {
    long sum = x + y;
    if (((x ^ sum) & (y ^ sum)) < 0) {
      throw a.overflow(e);
    }
    return sum;
  }

  static long subtract(long x, long y, KernelArgs a, Object e) {
    long difference = x - y;
    if (((x ^ y) & (x ^ difference)) < 0) {
      throw a.overflow(e);
    }
    return difference;
  }

  static long multiply(long x, long y, KernelArgs a, Object e) {
    long low = x * y;
    if (Math.multiplyHigh(x, y) != low >> 63) {
      throw a.overflow(e);
    }
    return low;
  }

  /**
   * {@code whole * factor + rest}; a sum that has wrapped is found where it should not be.
   *
   * @param rest from 0 to factor - 1
   */
  static long combine(long whole, long factor, long rest, KernelArgs a, Object e) {
    long sum = whole * factor + rest;
    if (Math.floorDiv(sum, factor) != whole) {
      throw a.overflow(e);
    }
    return sum;
  }

  static long fit(long value, long min, long max, KernelArgs a, Object e) {
    if (value < min || value > max) {
      throw a.overflow(e);
    }
    return value;
  }

  static long fit(long high, long low, long min, long max, KernelArgs a, Object e) {
    if (high != low >> 63 || low < min || low > max) {
      throw a.overflow(e);
    }
    return low;
  }

  /** The high word of a value that has at most so many digits. */
  static long fitDigits(long high, long low, int digits, KernelArgs a, Object e) {
    long h = high < 0 ? (low == 0 ? -high : ~high) : high;
    long l = high < 0 ? -low : low;
    long limit = HIGH_LIMITS[digits];
    if (h > limit || h < 0 || (h == limit && Long.compareUnsigned(l, LOW_LIMITS[digits]) >= 0)) {
      throw a.overflow(e);
    }
    return high;
  }

  static long divide(long x, long y, KernelArgs a, Object e) {
    if (y == 0) {
      throw a.divisionByZero(e);
    }
    if (y == -1 && x == Long.MIN_VALUE) {
      throw a.overflow(e);
    }
    return x / y;
  }

  static long remainder(long x, long y, KernelArgs a, Object e) {
    if (y == 0) {
      throw a.divisionByZero(e);
    }
    return x % y;
  }

  static double remainder(double x, double y, KernelArgs a, Object e) {
    if (y == 0) {
      throw a.divisionByZero(e);
    }
    return x % y;
  }

  static long divideHalfUp(long x, long y, KernelArgs a, Object e) {
    if (y == 0) {
      throw a.divisionByZero(e);
    }
    return divideHalfUp(x, y);
  }

  /** Rounds half away from zero. */
  static long divideHalfUp(long x, long y) {
    long quotient = x / y;
    long rest = Math.abs(x - quotient * y);
    // rest >= |y| - rest, without overflow
    if (rest >= Math.abs(y) - rest && rest != 0) {
      return (x ^ y) < 0 ? quotient - 1 : quotient + 1;
    }
    return quotient;
  }

  static long addHigh(long xh, long xl, long yh, long yl) {
    long low = xl + yl;
    return xh + yh + (Long.compareUnsigned(low, xl) < 0 ? 1 : 0);
  }

  static long subtractHigh(long xh, long xl, long yh, long yl) {
    return xh - yh - (Long.compareUnsigned(xl, yl) < 0 ? 1 : 0);
  }

  /** As {@link #addHigh(long, long, long, long)}; a sum beyond 128 bits is an overflow. */
  static long addHigh(long xh, long xl, long yh, long yl, KernelArgs a, Object e) {
    long high = addHigh(xh, xl, yh, yl);
    if (((xh ^ high) & (yh ^ high)) < 0) {
      throw a.overflow(e);
    }
    return high;
  }

  /** As {@link #subtractHigh(long, long, long, long)}, checked. */
  static long subtractHigh(long xh, long xl, long yh, long yl, KernelArgs a, Object e) {
    long high = subtractHigh(xh, xl, yh, yl);
    if (((xh ^ yh) & (xh ^ high)) < 0) {
      throw a.overflow(e);
    }
    return high;
  }

  /**
   * A 128-bit decimal times a 64-bit one, without its last {@code drop} digits (18 at most),
   * rounded half away from zero. The low word is returned, the high one goes to the register.
   *
   * @param digits what the result may have
   */
  static long timesWide(
      long high, long low, long factor, int drop, int digits, KernelArgs a, Object e) {
    boolean negative = (high ^ factor) < 0;
    long h = high < 0 ? (low == 0 ? -high : ~high) : high;
    long l = high < 0 ? -low : low;
    long f = Math.abs(factor);
    long carry = Math.unsignedMultiplyHigh(l, f);
    long top = h * f + carry;
    if (h < 0
        || f < 0
        || Math.unsignedMultiplyHigh(h, f) != 0
        || Long.compareUnsigned(top, carry) < 0
        || top < 0) {
      // Beyond 127 bits, which may yet fit without the last digits.
      return timesBoxed(high, low, factor, drop, digits, a, e);
    }
    long bottom = l * f;
    if (drop > 0) {
      bottom = divideWide(top, bottom, LOW_LIMITS[drop], true, a);
      top = a.high;
    }
    if (negative) {
      top = bottom == 0 ? -top : ~top;
      bottom = -bottom;
    }
    a.high = fitDigits(top, bottom, digits, a, e);
    return bottom;
  }

  private static long timesBoxed(
      long high, long low, long factor, int drop, int digits, KernelArgs a, Object e) {
    BigInteger product =
        new BigDecimal(
                BatchRow.decimal(high, low, 0).unscaledValue().multiply(BigInteger.valueOf(factor)),
                drop)
            .setScale(0, RoundingMode.HALF_UP)
            .unscaledValue();
    if (product.abs().compareTo(BigInteger.TEN.pow(digits)) >= 0) {
      throw a.overflow(e);
    }
    a.high = product.shiftRight(64).longValue();
    return product.longValue();
  }

  /** The high word of a 128-bit value times a 64-bit one; the product fits. */
  static long timesHigh(long high, long low, long factor) {
    long carry = Math.unsignedMultiplyHigh(low, factor) - (factor < 0 ? low : 0);
    return high * factor + carry;
  }

  /**
   * As {@link #divideWide(long, long, long, boolean, KernelArgs)}, rounding half away from zero.
   */
  static long divideWide(long high, long low, long divisor, KernelArgs a, Object e) {
    if (divisor == 0) {
      throw a.divisionByZero(e);
    }
    return divideWide(high, low, divisor, true, a);
  }

  /**
   * Divides 128 bits by 64, rounding half away from zero or towards zero; the high word goes to the
   * register.
   */
  static long divideWide(long high, long low, long divisor, boolean round, KernelArgs a) {
    boolean negative = (high ^ divisor) < 0;
    long h = high < 0 ? (low == 0 ? -high : ~high) : high;
    long l = high < 0 ? -low : low;
    long d = Math.abs(divisor);
    long quotientHigh = Long.divideUnsigned(h, d);
    long rest = h - quotientHigh * d;
    long quotientLow;
    if (rest == 0) {
      quotientLow = Long.divideUnsigned(l, d);
      rest = l - quotientLow * d;
    } else {
      quotientLow = divideUnsigned(rest, l, d);
      rest = l - quotientLow * d;
    }
    // rest >= d - rest, unsigned
    if (round && Long.compareUnsigned(rest, d - rest) >= 0) {
      quotientLow++;
      quotientHigh += quotientLow == 0 ? 1 : 0;
    }
    if (negative) {
      quotientHigh = quotientLow == 0 ? -quotientHigh : ~quotientHigh;
      quotientLow = -quotientLow;
    }
    a.high = quotientHigh;
    return quotientLow;
  }

  /** Divides 128 bits by a positive power of ten, rounding down; the high word as above. */
  static long floorWide(long high, long low, long divisor, KernelArgs a) {
    long quotient = divideWide(high, low, divisor, false, a);
    // Towards zero is up for what is negative, if there is a remainder: its low word is enough.
    if (high < 0 && quotient * divisor != low) {
      a.high -= quotient == 0 ? 1 : 0;
      quotient--;
    }
    return quotient;
  }

  /** Divides 128 bits by a positive power of ten, rounding up; the high word as above. */
  static long ceilWide(long high, long low, long divisor, KernelArgs a) {
    long quotient = divideWide(high, low, divisor, false, a);
    if (high >= 0 && quotient * divisor != low) {
      quotient++;
      a.high += quotient == 0 ? 1 : 0;
    }
    return quotient;
  }

  /**
   * The 64-bit quotient of an unsigned 128-bit value by a larger divisor than its high word: two
   * steps of 32 bits (Warren, Hacker's Delight, divlu).
   */
  private static long divideUnsigned(long high, long low, long divisor) {
    int shift = Long.numberOfLeadingZeros(divisor);
    long d = divisor << shift;
    long d1 = d >>> 32;
    long d0 = d & 0xFFFFFFFFL;
    long h = shift == 0 ? high : high << shift | low >>> 64 - shift;
    long l = low << shift;
    long l1 = l >>> 32;
    long l0 = l & 0xFFFFFFFFL;
    long q1 = digit(h, l1, d1, d0);
    long h1 = (h << 32 | l1) - q1 * d;
    long q0 = digit(h1, l0, d1, d0);
    return (q1 << 32) + q0;
  }

  private static long digit(long high, long next, long d1, long d0) {
    long q = Long.divideUnsigned(high, d1);
    long rest = high - q * d1;
    while (q >>> 32 != 0 || Long.compareUnsigned(q * d0, rest << 32 | next) > 0) {
      q--;
      rest += d1;
      if (rest >>> 32 != 0) {
        break;
      }
    }
    return q;
  }

  static int compare(long xh, long xl, long yh, long yl) {
    return xh != yh ? (xh < yh ? -1 : 1) : Long.compareUnsigned(xl, yl);
  }

  static double toDouble(long unscaled, int scale) {
    return Math.abs(unscaled) <= EXACT_DOUBLE && scale < POWERS.length && unscaled != Long.MIN_VALUE
        ? unscaled / POWERS[scale]
        : BigDecimal.valueOf(unscaled, scale).doubleValue();
  }

  static double toDouble(long high, long low, int scale) {
    if (high == low >> 63) {
      return toDouble(low, scale);
    }
    return BatchRow.decimal(high, low, scale).doubleValue();
  }

  static long toLong(double value, long min, long max, KernelArgs a, Object e) {
    if (!(value >= -0x1p63 && value < 0x1p63)) {
      throw a.overflow(e);
    }
    return fit((long) nearest(value), min, max, a, e);
  }

  /** A value as one of 32 bits, which is finite if the value is. */
  static double toReal(double value, KernelArgs a, Object e) {
    double size = Math.abs(value);
    // from half a step beyond the greatest on, values are rounded to infinity
    if (size >= 0x1.ffffffp127 && size <= Double.MAX_VALUE) {
      throw a.overflow(e);
    }
    return (float) value;
  }

  /**
   * The whole number that is nearest, of two the even one: Math.rint by a sum, of which GPUs have
   * the instructions. Those from 2^52 on have no fraction.
   */
  private static double nearest(double value) {
    double size = Math.abs(value);
    if (!(size < 0x1p52)) {
      return value;
    }
    double whole = (size + 0x1p52) - 0x1p52;
    return value < 0 ? -whole : whole;
  }

  /** The year of a date, by a table for the dates that occur. */
  static long year(long days) {
    long index = days - FIRST_DAY;
    return index >= 0 && index < YEARS.length ? YEARS[(int) index] : DateTimes.year(days);
  }

  static long negativeLength(long length, KernelArgs a, Object e) {
    throw a.error(
        e, ErrorCode.INVALID_ARGUMENT, "the length " + length + " of a substring is negative");
  }
}
