package io.aragonite.exec.expr;

import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.limit.StopCheck;
import java.util.Arrays;
import java.util.Locale;

/** Functions of text, counting in code points. */
final class TextFunctions {
  /** The longest text that a function makes, in UTF-16 units. */
  private static final long MAX_LENGTH = 256L << 20;

  private TextFunctions() {}

  static int length(String text) {
    return text.codePointCount(0, text.length());
  }

  /** Compares by code points, which is the order of the UTF-8 bytes. */
  static int compare(String a, String b) {
    int length = Math.min(a.length(), b.length());
    for (int i = 0; i < length; i++) {
      char x = a.charAt(i);
      char y = b.charAt(i);
      if (x != y) {
        boolean surrogateX = Character.isSurrogate(x);
        return surrogateX == Character.isSurrogate(y)
            ? Character.compare(x, y)
            : surrogateX ? 1 : -1;
      }
    }
    return Integer.compare(a.length(), b.length());
  }

  /** The part from the code point at {@code from} (from 0) to before the one at {@code to}. */
  static String slice(String text, long from, long to) {
    int length = length(text);
    int begin = (int) Math.clamp(from, 0, length);
    int end = (int) Math.clamp(to, begin, length);
    int first = text.offsetByCodePoints(0, begin);
    return text.substring(first, text.offsetByCodePoints(first, end - begin));
  }

  static String substring(String text, long from) {
    return slice(text, from - 1, Long.MAX_VALUE);
  }

  static String substring(String text, long from, long length) {
    return slice(text, from - 1, substringEnd(from, length));
  }

  static byte[] substring(byte[] bytes, long from, long end) {
    int begin = (int) Math.clamp(from - 1, 0, bytes.length);
    return Arrays.copyOfRange(bytes, begin, (int) Math.clamp(end, begin, bytes.length));
  }

  /** Where SUBSTRING ends, counted from 0. */
  static long substringEnd(long from, long length) {
    if (length < 0) {
      throw new EvalException(
          ErrorCode.INVALID_ARGUMENT, "the length " + length + " of a substring is negative");
    }
    return length > Long.MAX_VALUE - Math.max(from, 0) ? Long.MAX_VALUE : from - 1 + length;
  }

  static String initcap(String text) {
    StringBuilder result = new StringBuilder(text.length());
    boolean start = true;
    for (int i = 0; i < text.length(); ) {
      int point = text.codePointAt(i);
      i += Character.charCount(point);
      if (Character.isLetterOrDigit(point)) {
        result.appendCodePoint(start ? Character.toUpperCase(point) : Character.toLowerCase(point));
        start = false;
      } else {
        result.appendCodePoint(point);
        start = true;
      }
    }
    return result.toString();
  }

  static String upper(String text) {
    return text.toUpperCase(Locale.ROOT);
  }

  static String lower(String text) {
    return text.toLowerCase(Locale.ROOT);
  }

  static String trim(String characters, String text, boolean leading, boolean trailing) {
    if (characters.isEmpty()) {
      throw new EvalException(ErrorCode.INVALID_ARGUMENT, "TRIM needs at least one character");
    }
    int begin = 0;
    int end = text.length();
    while (trailing && end > 0 && characters.indexOf(text.codePointBefore(end)) >= 0) {
      end -= Character.charCount(text.codePointBefore(end));
    }
    while (leading && begin < end && characters.indexOf(text.codePointAt(begin)) >= 0) {
      begin += Character.charCount(text.codePointAt(begin));
    }
    return text.substring(begin, end);
  }

  static byte[] trim(byte[] set, byte[] bytes, boolean leading, boolean trailing) {
    int begin = 0;
    int end = bytes.length;
    while (trailing && end > 0 && contains(set, bytes[end - 1])) {
      end--;
    }
    while (leading && begin < end && contains(set, bytes[begin])) {
      begin++;
    }
    return Arrays.copyOfRange(bytes, begin, end);
  }

  private static boolean contains(byte[] set, byte wanted) {
    for (byte b : set) {
      if (b == wanted) {
        return true;
      }
    }
    return false;
  }

  /** POSITION from a code point counted from 1; negative: backwards from the end. */
  static long position(String needle, String text, long from) {
    int length = length(text);
    if (from == 0) {
      throw new EvalException(
          ErrorCode.INVALID_ARGUMENT, "POSITION counts from 1 or, from the end, from -1");
    }
    int found;
    if (from > 0) {
      if (from > length) {
        return from == 1 && needle.isEmpty() ? 1 : 0;
      }
      found = text.indexOf(needle, text.offsetByCodePoints(0, (int) from - 1));
    } else {
      long begin = from + length;
      if (begin < 0) {
        return 0;
      }
      found = text.lastIndexOf(needle, text.offsetByCodePoints(0, (int) begin));
    }
    return found < 0 ? 0 : text.codePointCount(0, found) + 1L;
  }

  static long position(byte[] needle, byte[] bytes, long from) {
    if (from <= 0) {
      throw new EvalException(ErrorCode.INVALID_ARGUMENT, "POSITION in bytes counts from 1");
    }
    StopCheck stopCheck = StopCheck.current();
    for (long i = from - 1; i + needle.length <= bytes.length; i++) {
      stopCheck.work(1);
      int begin = (int) i;
      if (Arrays.equals(bytes, begin, begin + needle.length, needle, 0, needle.length)) {
        return i + 1;
      }
    }
    return 0;
  }

  static String replace(String text, String search, String replacement) {
    if (search.isEmpty()) {
      return text;
    }
    checkLength(
        text.length()
            + (long) (text.length() / search.length())
                * Math.max(0, replacement.length() - search.length()));
    return text.replace(search, replacement);
  }

  static String overlay(String text, String replacement, long from, long length) {
    checkLength((long) text.length() + replacement.length());
    if (from < 1) {
      throw new EvalException(
          ErrorCode.INVALID_ARGUMENT, "OVERLAY from " + from + " starts before the text");
    }
    return slice(text, 0, from - 1)
        + replacement
        + slice(text, Math.min(from, Integer.MAX_VALUE) - 1 + length, Long.MAX_VALUE);
  }

  static byte[] overlay(byte[] bytes, byte[] replacement, long from, long length) {
    if (from < 1) {
      throw new EvalException(
          ErrorCode.INVALID_ARGUMENT, "OVERLAY from " + from + " starts before the bytes");
    }
    checkLength((long) bytes.length + replacement.length);
    byte[] head = substring(bytes, 1, from - 1);
    byte[] tail = substring(bytes, Math.min(from, Integer.MAX_VALUE) + length, Long.MAX_VALUE);
    byte[] result = Arrays.copyOf(head, head.length + replacement.length + tail.length);
    System.arraycopy(replacement, 0, result, head.length, replacement.length);
    System.arraycopy(tail, 0, result, head.length + replacement.length, tail.length);
    return result;
  }

  static String pad(String text, long length, String padding, boolean left) {
    if (length < 0) {
      throw new EvalException(
          ErrorCode.INVALID_ARGUMENT, "the length " + length + " to pad to is negative");
    }
    if (padding.isEmpty()) {
      throw new EvalException(ErrorCode.INVALID_ARGUMENT, "the text to pad with is empty");
    }
    int points = length(text);
    if (length <= points) {
      return slice(text, 0, length);
    }
    checkLength(length);
    int missing = (int) length - points;
    int unit = length(padding);
    String pad = padding.repeat(missing / unit) + slice(padding, 0, missing % unit);
    return left ? pad + text : text + pad;
  }

  static String repeat(String text, long times) {
    if (times <= 0 || text.isEmpty()) {
      return "";
    }
    checkLength(
        Math.multiplyHigh(times, text.length()) == 0 ? times * text.length() : Long.MAX_VALUE);
    return text.repeat((int) times);
  }

  static String chr(long point) {
    if (point < 0 || point > Character.MAX_CODE_POINT || (point >= 0xD800 && point < 0xE000)) {
      throw new EvalException(
          ErrorCode.INVALID_ARGUMENT, point + " is not the number of a character");
    }
    return Character.toString((int) point);
  }

  static String concat(Object[] args) {
    long length = 0;
    for (Object arg : args) {
      length += ((String) arg).length();
    }
    checkLength(length);
    StringBuilder result = new StringBuilder((int) length);
    for (Object arg : args) {
      result.append((String) arg);
    }
    return result.toString();
  }

  /**
   * Of a text or bytes that are about to be made.
   *
   * @throws EvalException RESULT_TOO_LARGE beyond what a value may have
   */
  static void checkLength(long length) {
    if (length < 0 || length > MAX_LENGTH) {
      throw new EvalException(
          ErrorCode.RESULT_TOO_LARGE,
          "a text of %,d characters is longer than the limit of %,d".formatted(length, MAX_LENGTH));
    }
    StopCheck.current().make(length);
  }
}
