package io.aragonite.exec.device.cuda.ptx;

import io.aragonite.exec.expr.DateTimes;
import io.aragonite.exec.expr.LikePattern;
import io.aragonite.exec.memory.Mem;

/**
 * Java that is only there to be translated, where what the CPU runs would not suit: library calls,
 * objects, large tables. Loads of words are aligned here.
 */
final class DeviceCode {
  /** Bytes of a text whose places are numbered in 32 bits. */
  private static final long MOST_SEARCHED = 1 << 30;

  private DeviceCode() {}

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
    return Mem.getLong(piece + 8) != 0 && end - address <= MOST_SEARCHED
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

  /**
   * Where the first match of a literal ends, or -1. Sixteen places at a time, of words that are
   * read once, and in 32 bits, as a GPU computes: what a search costs are its instructions.
   */
  private static long findLiteral(long piece, long address, long end) {
    long count = Mem.getLong(piece);
    long last = end - count;
    if (count == 0 || last < address) {
      return count == 0 ? address : -1;
    }
    long first = Mem.getLong(piece + 24);
    int firstBytes = Mem.getInt(piece + 32);
    int right = 8 * (int) (Mem.getLong(piece + 40) - first);
    int secondBytes = Mem.getInt(piece + 48);
    int left = 31 - right;
    // Places are those of the first anchor, from an aligned word on.
    long base = address + first & -8L;
    int from = (int) (address + first - base);
    int lastPlace = (int) (last + first - base);
    int lastWord = (int) ((end - 1 & -8L) - base);
    long word = Mem.getLong(base);
    for (int at = 0; at <= lastPlace; at += 16) {
      long word1 = Mem.getLong(base + Math.min(at + 8, lastWord));
      long word2 = Mem.getLong(base + Math.min(at + 16, lastWord));
      int a = (int) word;
      int b = (int) (word >>> 32);
      int c = (int) word1;
      int d = (int) (word1 >>> 32);
      int e = (int) word2;
      int hitsA = zeros(a ^ firstBytes | (a >>> right | b << 1 << left) ^ secondBytes);
      int hitsB = zeros(b ^ firstBytes | (b >>> right | c << 1 << left) ^ secondBytes);
      int hitsC = zeros(c ^ firstBytes | (c >>> right | d << 1 << left) ^ secondBytes);
      int hitsD = zeros(d ^ firstBytes | (d >>> right | e << 1 << left) ^ secondBytes);
      if ((hitsA | hitsB | hitsC | hitsD) != 0) {
        for (int half = 0; half < 16; half += 8) {
          long hits = half == 0 ? pair(hitsA, hitsB) : pair(hitsC, hitsD);
          while (hits != 0) {
            int place = at + half + (Long.numberOfTrailingZeros(hits) >> 3);
            long start = base + place - first;
            if (place >= from && place <= lastPlace && standsAt(piece, start)) {
              return start + count;
            }
            hits &= hits - 1;
          }
        }
      }
      word = word2;
    }
    return -1;
  }

  /** The top bits of bytes that are 0; and perhaps of some above one that is. */
  private static int zeros(int bytes) {
    return bytes - 0x01010101 & ~bytes & 0x80808080;
  }

  private static long pair(int low, int high) {
    return low & 0xFFFFFFFFL | (long) high << 32;
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
