package io.aragonite.adapter.format.csv;

import io.aragonite.exec.memory.Mem;
import java.nio.charset.StandardCharsets;

/** Where one field's text lies. It is moved from field to field. Not safe for several threads. */
final class CsvField {
  private final CsvScanner scanner;
  private final int quote;

  /** First byte of the text, within the quotes if it has any. */
  long from;

  long to;
  boolean quoted;

  /** Where the field ends: its delimiter, its newline or the end. */
  long stop;

  CsvField(CsvScanner scanner, int quote) {
    this.scanner = scanner;
    this.quote = quote;
  }

  /**
   * Finds the field that begins at {@code at}.
   *
   * @return false if it has no end
   */
  boolean find(long at, long end) {
    stop = scanner.fieldEnd(at, end);
    if (stop == CsvScanner.NONE) {
      return false;
    }
    from = at;
    to = stop;
    quoted = scanner.isQuote(at, end);
    if (to > from && CsvScanner.isRecordEnd(stop, end) && Mem.getByte(to - 1) == '\r') {
      to--;
    }
    if (quoted) {
      from++;
      to--;
    }
    return true;
  }

  boolean equalTo(byte[] text) {
    if (to - from != text.length) {
      return false;
    }
    for (int i = 0; i < text.length; i++) {
      if (Mem.getByte(from + i) != text[i]) {
        return false;
      }
    }
    return true;
  }

  /**
   * Copies the text, two quotes as one.
   *
   * @param target room for the text and 7 bytes more
   * @return the bytes written
   */
  int copy(long target) {
    int length = (int) (to - from);
    if (!quoted) {
      Mem.copy(from, target, length);
      return length;
    }
    long out = target;
    for (long at = from; at < to; at++) {
      byte value = Mem.getByte(at);
      Mem.putByte(out++, value);
      if (value == quote) {
        at++;
      }
    }
    return (int) (out - target);
  }

  /** The text as it is meant; bytes that are not UTF-8 are replaced. */
  String text() {
    byte[] bytes = new byte[(int) (to - from)];
    int length = 0;
    for (long at = from; at < to; at++) {
      byte value = Mem.getByte(at);
      bytes[length++] = value;
      if (quoted && value == quote) {
        at++;
      }
    }
    return new String(bytes, 0, length, StandardCharsets.UTF_8);
  }
}
