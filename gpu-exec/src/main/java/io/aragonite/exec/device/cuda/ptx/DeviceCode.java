package io.aragonite.exec.device.cuda.ptx;

import io.aragonite.exec.expr.DateTimes;
import io.aragonite.exec.expr.LikePattern;
import io.aragonite.exec.memory.Mem;

/**
 * Java that is only there to be translated, where what the CPU runs would not suit: library calls,
 * objects, large tables. Loads of words are aligned here; {@link #text8} is for any address.
 */
final class DeviceCode {
  private static final long LOW_BITS = 0x7F7F7F7F7F7F7F7FL;

  private DeviceCode() {}

  /** Eight bytes of a text. */
  static long text8(long address) {
    return Mem.getLong(address);
  }

  static void copy(long from, long to, long bytes) {
    for (long i = 0; i < bytes; i++) {
      Mem.putByte(to + i, Mem.getByte(from + i));
    }
  }

  static void fill(long address, long bytes, byte value) {
    for (long i = 0; i < bytes; i++) {
      Mem.putByte(address + i, value);
    }
  }

  static long year(long days) {
    return DateTimes.year(days);
  }

  /** Java's {@code x % y} of doubles: exact, by subtracting shifted divisors bit by bit. */
  static double remainder(double x, double y) {
    long xBits = Double.doubleToRawLongBits(x);
    long yBits = Double.doubleToRawLongBits(y);
    int xExponent = (int) (xBits >>> 52) & 0x7FF;
    int yExponent = (int) (yBits >>> 52) & 0x7FF;
    long sign = xBits & Long.MIN_VALUE;
    if (Double.isNaN(y) || y == 0 || xExponent == 0x7FF) {
      return x * y / (x * y);
    }
    if (Long.compareUnsigned(xBits << 1, yBits << 1) <= 0) {
      return xBits << 1 == yBits << 1 ? Double.longBitsToDouble(sign) : x;
    }
    long a;
    if (xExponent == 0) {
      int shift = Long.numberOfLeadingZeros(xBits << 12);
      xExponent = -shift;
      a = xBits << shift + 1;
    } else {
      a = xBits;
    }
    a = a & 0xFFFFFFFFFFFFFL | 1L << 52;
    long b;
    if (yExponent == 0) {
      int shift = Long.numberOfLeadingZeros(yBits << 12);
      yExponent = -shift;
      b = yBits << shift + 1;
    } else {
      b = yBits;
    }
    b = b & 0xFFFFFFFFFFFFFL | 1L << 52;
    for (; xExponent > yExponent; xExponent--) {
      if (a >= b) {
        a -= b;
      }
      a <<= 1;
    }
    if (a >= b) {
      a -= b;
    }
    if (a == 0) {
      return Double.longBitsToDouble(sign);
    }
    int shift = Long.numberOfLeadingZeros(a) - 11;
    a <<= shift;
    xExponent -= shift;
    if (xExponent > 0) {
      a = a - (1L << 52) | (long) xExponent << 52;
    } else {
      a >>>= 1 - xExponent;
    }
    return Double.longBitsToDouble(a | sign);
  }

  // LIKE: see ByteMatcher, whose program this runs.

  /** Whether a text matches the pattern of a program (ByteMatcher.program). */
  static boolean like(long program, long address, int length) {
    long end = address + length;
    long prefix = program + Mem.getLong(program + 16);
    long at = matchAt(prefix, address, end);
    if (at < 0) {
      return false;
    }
    if (Mem.getLong(program) == 0) {
      return at == end;
    }
    long pieces = Mem.getLong(program + 8);
    for (long i = 1; i < pieces - 1; i++) {
      at = find(program + Mem.getLong(program + 16 + 8 * i), at, end);
      if (at < 0) {
        return false;
      }
    }
    return endsWith(program + Mem.getLong(program + 8 + 8 * pieces), at, end);
  }

  private static int token(long piece, long i) {
    return Mem.getInt(piece + 56 + 4 * i);
  }

  private static boolean standsAt(long piece, long address) {
    long count = Mem.getLong(piece);
    for (long i = 0; i < count; i++) {
      if ((Mem.getByte(address + i) & 0xFF) != token(piece, i)) {
        return false;
      }
    }
    return true;
  }

  private static long matchAt(long piece, long address, long end) {
    long count = Mem.getLong(piece);
    long at = address;
    for (long i = 0; i < count; i++) {
      if (at >= end) {
        return -1;
      }
      int token = token(piece, i);
      int b = Mem.getByte(at++) & 0xFF;
      if (token == LikePattern.ANY) {
        while (at < end && (Mem.getByte(at) & 0xC0) == 0x80) {
          at++;
        }
      } else if (token != b) {
        return -1;
      }
    }
    return at;
  }

  private static long find(long piece, long address, long end) {
    return Mem.getLong(piece + 8) != 0
        ? findLiteral(piece, address, end)
        : findPattern(piece, address, end);
  }

  private static long findPattern(long piece, long address, long end) {
    long minimum = Mem.getLong(piece + 16);
    for (long at = address; at <= end - minimum; at++) {
      if (at < end && (Mem.getByte(at) & 0xC0) == 0x80) {
        continue;
      }
      long matched = matchAt(piece, at, end);
      if (matched >= 0) {
        return matched;
      }
    }
    return -1;
  }

  private static long findLiteral(long piece, long address, long end) {
    long count = Mem.getLong(piece);
    long first = Mem.getLong(piece + 24);
    long firstBytes = Mem.getLong(piece + 32);
    long second = Mem.getLong(piece + 40);
    long secondBytes = Mem.getLong(piece + 48);
    long last = end - count;
    // Eight places at a time; places behind the last are cut off.
    for (long at = address; at <= last; at += 8) {
      long x = text8(at + first) ^ firstBytes;
      long y = text8(at + second) ^ secondBytes;
      long both = x | y;
      long hits = ~((both & LOW_BITS) + LOW_BITS | both | LOW_BITS);
      while (hits != 0) {
        long place = at + (Long.numberOfTrailingZeros(hits) >> 3);
        if (place > last) {
          return -1;
        }
        if (standsAt(piece, place)) {
          return place + count;
        }
        hits &= hits - 1;
      }
    }
    return -1;
  }

  private static boolean endsWith(long piece, long from, long end) {
    long minimum = Mem.getLong(piece + 16);
    if (Mem.getLong(piece + 8) != 0) {
      return end - from >= minimum && standsAt(piece, end - minimum);
    }
    long at = end;
    for (long i = Mem.getLong(piece) - 1; i >= 0; i--) {
      if (at <= from) {
        return false;
      }
      at--;
      int token = token(piece, i);
      int b = Mem.getByte(at) & 0xFF;
      if (token == LikePattern.ANY) {
        while (at > from && (Mem.getByte(at) & 0xC0) == 0x80) {
          at--;
        }
      } else if (token != b) {
        return false;
      }
    }
    return true;
  }
}
