package io.aragonite.exec.codegen;

import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Mem;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * Operations on UTF-8 texts by address and length, for generated code. Those that return a text
 * return its address and leave its length in {@link KernelArgs#length}.
 */
public final class Texts {
  private static final long HIGH_BITS = 0x8080808080808080L;

  private Texts() {}

  static boolean equal(long a, int aLength, long b, int bLength) {
    if (aLength != bLength) {
      return false;
    }
    int i = 0;
    for (; i + 8 <= aLength; i += 8) {
      if (Mem.getLong(a + i) != Mem.getLong(b + i)) {
        return false;
      }
    }
    for (; i < aLength; i++) {
      if (Mem.getByte(a + i) != Mem.getByte(b + i)) {
        return false;
      }
    }
    return true;
  }

  /** Compares by unsigned bytes, which is the order of code points. */
  public static int compare(long a, int aLength, long b, int bLength) {
    int common = Math.min(aLength, bLength);
    int i = 0;
    for (; i + 8 <= common; i += 8) {
      long x = Mem.getLong(a + i);
      long y = Mem.getLong(b + i);
      if (x != y) {
        return Long.compareUnsigned(Long.reverseBytes(x), Long.reverseBytes(y));
      }
    }
    for (; i < common; i++) {
      int x = Mem.getByte(a + i) & 0xFF;
      int y = Mem.getByte(b + i) & 0xFF;
      if (x != y) {
        return x - y;
      }
    }
    return aLength - bLength;
  }

  /** Code points in so many bytes: all bytes but those that go on with one. */
  static long points(long address, int length) {
    long count = 0;
    int i = 0;
    for (; i + 8 <= length; i += 8) {
      long word = Mem.getLong(address + i);
      // A continuation byte is 10xxxxxx: its high bit is on and the next one off.
      count += 8 - Long.bitCount(word & ~(word << 1) & HIGH_BITS);
    }
    for (; i < length; i++) {
      count += (Mem.getByte(address + i) & 0xC0) != 0x80 ? 1 : 0;
    }
    return count;
  }

  /** The byte at which code point {@code points} (from 0) starts, at most {@code length}. */
  static int offset(long address, int length, long points) {
    long left = points;
    int i = 0;
    while (left >= 8 && i + 8 <= length) {
      long word = Mem.getLong(address + i);
      left -= 8 - Long.bitCount(word & ~(word << 1) & HIGH_BITS);
      i += 8;
    }
    while (i < length) {
      if ((Mem.getByte(address + i) & 0xC0) != 0x80 && left-- == 0) {
        return i;
      }
      i++;
    }
    return length;
  }

  /** SUBSTRING of text; {@code end} counts from 0 and is exclusive. */
  static long substring(long address, int length, long from, long end, KernelArgs a) {
    int begin = from <= 1 ? 0 : offset(address, length, from - 1);
    long count = end - Math.max(0, from - 1);
    a.length =
        count <= 0 || begin >= length
            ? 0
            : count >= length - begin
                ? length - begin
                : offset(address + begin, length - begin, count);
    return address + begin;
  }

  static long substringBytes(long address, int length, long from, long end, KernelArgs a) {
    int begin = (int) Math.clamp(from - 1, 0, length);
    a.length = (int) Math.clamp(end, begin, length) - begin;
    return address + begin;
  }

  /** Where SUBSTRING FOR ends, counted from 0. */
  static long end(long from, long count, KernelArgs a, Object e) {
    if (count < 0) {
      return Arith.negativeLength(count, a, e);
    }
    return count > Long.MAX_VALUE - Math.max(from, 0) ? Long.MAX_VALUE : from - 1 + count;
  }

  private static boolean isAscii(long address, int length) {
    long bits = 0;
    int i = 0;
    for (; i + 8 <= length; i += 8) {
      bits |= Mem.getLong(address + i);
    }
    for (; i < length; i++) {
      bits |= Mem.getByte(address + i);
    }
    return (bits & HIGH_BITS) == 0;
  }

  static long changeCase(long address, int length, boolean upper, KernelArgs a) {
    if (!isAscii(address, length)) {
      String text = KernelArgs.boxText(address, length);
      byte[] bytes =
          (upper ? text.toUpperCase(Locale.ROOT) : text.toLowerCase(Locale.ROOT))
              .getBytes(StandardCharsets.UTF_8);
      a.length = bytes.length;
      return a.heap.add(bytes);
    }
    long result = a.heap.allocate(length);
    int first = upper ? 'a' : 'A';
    for (int i = 0; i < length; i++) {
      byte b = Mem.getByte(address + i);
      Mem.putByte(result + i, b >= first && b < first + 26 ? (byte) (b ^ 0x20) : b);
    }
    a.length = length;
    return result;
  }

  static long concat(long x, int xLength, long y, int yLength, KernelArgs a, Object e) {
    long length = (long) xLength + yLength;
    if (length > 256L << 20) {
      throw a.error(
          e,
          ErrorCode.RESULT_TOO_LARGE,
          "a text of %,d bytes is longer than the limit of %,d".formatted(length, 256L << 20));
    }
    long result = a.heap.allocate(length);
    Mem.copy(x, result, xLength);
    Mem.copy(y, result + xLength, yLength);
    a.length = (int) length;
    return result;
  }

  /** TRIM of one ASCII character. */
  static long trim(
      long address, int length, long character, boolean leading, boolean trailing, KernelArgs a) {
    int begin = 0;
    int end = length;
    while (trailing && end > 0 && Mem.getByte(address + end - 1) == character) {
      end--;
    }
    while (leading && begin < end && Mem.getByte(address + begin) == character) {
      begin++;
    }
    a.length = end - begin;
    return address + begin;
  }

  /** Cuts a text to so many code points, and where asked to blanks off its end. */
  static long fit(long address, int length, int points, boolean strip, KernelArgs a) {
    int end = length <= points ? length : offset(address, length, points);
    while (strip && end > 0 && Mem.getByte(address + end - 1) == ' ') {
      end--;
    }
    a.length = end;
    return address;
  }
}
