package io.aragonite.adapter.format.json;

import io.aragonite.exec.memory.Mem;
import java.nio.charset.StandardCharsets;

/** Strings as JSON writes them. Their form has been checked by the parser. */
final class JsonStrings {
  private JsonStrings() {}

  /**
   * Copies the inside of a string, with what its escapes stand for.
   *
   * @param target room for as many bytes as the string has
   * @return the bytes written; -1 if half of a surrogate pair stands alone
   */
  static int unescape(long from, long to, long target) {
    long at = from;
    long out = target;
    while (at < to) {
      long special = JsonScanner.special(at, to);
      Mem.copy(at, out, special - at);
      out += special - at;
      at = special + 2;
      if (special + 1 >= to) {
        break;
      }
      byte escape = Mem.getByte(special + 1);
      if (escape != 'u') {
        Mem.putByte(out++, meant(escape));
        continue;
      }
      int code = unit(at, to);
      at += 4;
      if (code >= Character.MIN_SURROGATE && code <= Character.MAX_SURROGATE) {
        boolean more = at + 6 <= to && Mem.getByte(at) == '\\' && Mem.getByte(at + 1) == 'u';
        int low = more ? unit(at + 2, to) : -1;
        if (code >= Character.MIN_LOW_SURROGATE
            || low < Character.MIN_LOW_SURROGATE
            || low > Character.MAX_LOW_SURROGATE) {
          return -1;
        }
        code = Character.toCodePoint((char) code, (char) low);
        at += 6;
      }
      out = put(code, out);
    }
    return (int) (out - target);
  }

  /** The inside of a string in the heap; half of a surrogate pair alone is a question mark. */
  static String text(long from, long to) {
    byte[] bytes = new byte[(int) (to - from)];
    Mem.copy(from, bytes, 0, bytes.length);
    String written = new String(bytes, StandardCharsets.UTF_8);
    int escape = written.indexOf('\\');
    if (escape < 0) {
      return written;
    }
    StringBuilder text = new StringBuilder();
    int at = 0;
    while (escape >= 0) {
      text.append(written, at, escape);
      char c = written.charAt(escape + 1);
      boolean unit = c == 'u';
      at = escape + (unit ? 6 : 2);
      text.append(
          unit ? (char) Integer.parseInt(written, escape + 2, at, 16) : (char) meant((byte) c));
      escape = written.indexOf('\\', at);
    }
    return text.append(written, at, written.length()).toString();
  }

  private static byte meant(byte escape) {
    return switch (escape) {
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      default -> escape;
    };
  }

  private static int unit(long at, long to) {
    int unit = 0;
    for (long i = at; i < Math.min(to, at + 4); i++) {
      unit = 16 * unit + Character.digit(Mem.getByte(i), 16);
    }
    return unit;
  }

  /** Writes a character; it takes no more bytes than its escape did. */
  private static long put(int code, long out) {
    if (code < 0x80) {
      Mem.putByte(out, (byte) code);
      return out + 1;
    }
    if (code < 0x800) {
      Mem.putByte(out, (byte) (0xC0 | code >> 6));
      Mem.putByte(out + 1, (byte) (0x80 | code & 0x3F));
      return out + 2;
    }
    if (code < 0x10000) {
      Mem.putByte(out, (byte) (0xE0 | code >> 12));
      Mem.putByte(out + 1, (byte) (0x80 | code >> 6 & 0x3F));
      Mem.putByte(out + 2, (byte) (0x80 | code & 0x3F));
      return out + 3;
    }
    Mem.putByte(out, (byte) (0xF0 | code >> 18));
    Mem.putByte(out + 1, (byte) (0x80 | code >> 12 & 0x3F));
    Mem.putByte(out + 2, (byte) (0x80 | code >> 6 & 0x3F));
    Mem.putByte(out + 3, (byte) (0x80 | code & 0x3F));
    return out + 4;
  }
}
