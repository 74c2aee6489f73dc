package io.aragonite.adapter.format.json;

import io.aragonite.exec.memory.Mem;

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
