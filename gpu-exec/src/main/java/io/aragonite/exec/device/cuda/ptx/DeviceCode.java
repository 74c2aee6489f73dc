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
    boolean searchable = length <= MOST_SEARCHED;
    long count;
    for (long i = 1; i < pieces - 1; i += count) {
      long slot = program + 16 + 8 * i;
      long piece = program + Mem.getLong(slot);
      long literals = Mem.getLong(piece + 8);
      boolean literal = literals != 0 && searchable;
      count = literal ? literals : 1;
      at = literal ? findLiterals(program, slot, count, at, end) : findPattern(piece, at, end);
      if (at < 0) {
        return false;
      }
    }
    return endsWith(program + Mem.getLong(program + 8 + 8 * pieces), at, end);
  }

  private static int token(long piece, long i) {
    return Mem.getInt(piece + 72 + 4 * i);
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
   * Where the first match of literals that follow each other ends, or -1. Sixteen places at a time,
   * of words that are read once, and in 32 bits, as a GPU computes: what a search costs are its
   * instructions. A thread that has found a literal goes on with the next one in the same loop as
   * its neighbours, which would wait for it otherwise.
   *
   * @param slot where a program has the place of the first literal
   */
  private static long findLiterals(long program, long slot, long count, long address, long end) {
    long lastSlot = slot + 8 * (count - 1);
    long piece = program + Mem.getLong(slot);
    // Places are those of the first anchor, from an aligned word on.
    long base = address + Mem.getLong(piece + 24) & -8L;
    int lastWord = (int) ((end - 1 & -8L) - base);
    int first = (int) Mem.getLong(piece + 24);
    int from = (int) (address - base) + first;
    int last = lastPlace(piece, base, end);
    int firstBytes = Mem.getInt(piece + 32);
    int secondBytes = Mem.getInt(piece + 48);
    int apart = bitsApart(piece);
    if (from > last) {
      return -1;
    }
    int at = 0;
    long word = Mem.getLong(base);
    while (at <= last) {
      long word1 = Mem.getLong(base + Math.min(at + 8, lastWord));
      long word2 = Mem.getLong(base + Math.min(at + 16, lastWord));
      int hits =
          hits(word, word1, firstBytes, secondBytes, apart)
              | hits(word1, word2, firstBytes, secondBytes, apart) >>> 2;
      if (hits != 0) {
        int place = firstMatch(piece, hits, base, at, from, last, end);
        if (place <= last) {
          long matched = base + place - first + Mem.getLong(piece);
          if (slot == lastSlot) {
            return matched;
          }
          slot += 8;
          piece = program + Mem.getLong(slot);
          first = (int) Mem.getLong(piece + 24);
          from = (int) (matched - base) + first;
          last = lastPlace(piece, base, end);
          firstBytes = Mem.getInt(piece + 32);
          secondBytes = Mem.getInt(piece + 48);
          apart = bitsApart(piece);
          if (from > last) {
            return -1;
          }
          at = from & -8;
          word = Mem.getLong(base + at);
          continue;
        }
      }
      at += 16;
      word = word2;
    }
    return -1;
  }

  private static int bitsApart(long piece) {
    return 8 * (int) (Mem.getLong(piece + 40) - Mem.getLong(piece + 24));
  }

  /** The last place of a literal's first anchor, by its distance from an address. */
  private static int lastPlace(long piece, long base, long end) {
    return (int) (end - base - Mem.getLong(piece) + Mem.getLong(piece + 24));
  }

  /**
   * Places of eight at which both anchors may be: byte {@code b} of the first four has the bit
   * {@code 8 * b + 3}, of the last four {@code 8 * b + 2}.
   *
   * @param apart bits from the first anchor to the second
   */
  private static int hits(long word, long next, int firstBytes, int secondBytes, int apart) {
    int low = (int) word;
    int high = (int) (word >>> 32);
    long behind = word >>> 32 | next << 32;
    int hitsLow = zeros(low ^ firstBytes | (int) (word >>> apart) ^ secondBytes);
    int hitsHigh = zeros(high ^ firstBytes | (int) (behind >>> apart) ^ secondBytes);
    return hitsLow >>> 4 | hitsHigh >>> 5;
  }

  /** The top bits of bytes that are 0; and perhaps of some above one that is. */
  private static int zeros(int bytes) {
    return bytes - 0x01010101 & ~bytes & 0x80808080;
  }

  /**
   * The first of sixteen places at which a literal stands, or one behind the last place.
   *
   * @param hits byte {@code b} of the {@code w}-th four has the bit {@code 8 * b + 3 - w}
   */
  private static int firstMatch(
      long piece, int hits, long base, int at, int from, int last, long end) {
    long first = Mem.getLong(piece + 24);
    int found = last + 1;
    for (int left = hits; left != 0; left &= left - 1) {
      int bit = Long.numberOfTrailingZeros(left);
      int place = at + (3 - (bit & 3) << 2) + (bit >> 3);
      if (place >= from && place < found && literalAt(piece, base + place - first, end)) {
        found = place;
      }
    }
    return found;
  }

  /** Whether a literal of one byte at least stands at an address; there is room for it. */
  private static boolean literalAt(long piece, long address, long end) {
    int count = (int) Mem.getLong(piece);
    int head = Mem.getInt(piece + 56) ^ fourBytes(address, end);
    int tail = Mem.getInt(piece + 60) ^ fourBytes(address + Math.max(count - 4, 0), end);
    if (((head | tail) & Mem.getInt(piece + 64)) != 0) {
      return false;
    }
    for (int i = 4; i < count - 4; i++) {
      if ((Mem.getByte(address + i) & 0xFF) != token(piece, i)) {
        return false;
      }
    }
    return true;
  }

  /** Bytes from an address on; what lies behind the end is anything. */
  private static int fourBytes(long address, long end) {
    long low = Mem.getInt(address & -4L) & 0xFFFFFFFFL;
    long high = Mem.getInt(Math.min(address + 3, end - 1) & -4L);
    return (int) ((low | high << 32) >>> 8 * (int) (address & 3));
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
