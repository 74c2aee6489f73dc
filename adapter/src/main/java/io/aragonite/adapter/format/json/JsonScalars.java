package io.aragonite.adapter.format.json;

import io.aragonite.adapter.format.BytesBuilder;
import io.aragonite.adapter.format.csv.ValueColumn;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.page.Utf8;
import io.aragonite.exec.type.DataType;

/** Reads values that are no lists, structs or maps. Not safe for several threads. */
final class JsonScalars implements AutoCloseable {
  private final BytesBuilder unescaped;

  /** What became of a text. */
  enum Written {
    DONE,
    /** It has more characters than its type. */
    TOO_LONG,
    /** It is not UTF-8, or has half of a surrogate pair. */
    NO_TEXT
  }

  JsonScalars(QueryMemory memory) {
    this.unescaped = new BytesBuilder(memory);
  }

  /**
   * Parses a row's value.
   *
   * @param declared whether the type was declared, which allows more forms
   * @return false if it is no value of the type
   */
  boolean parse(ValueColumn values, int row, long at, long end, boolean declared) {
    byte first = Mem.getByte(at);
    if (first != '"') {
      return first != '{' && first != '[' && values.parse(row, at, end, declared);
    }
    long from = at + 1;
    long to = end - 1;
    if (JsonScanner.special(from, to) < to) {
      unescaped.clear();
      int length = JsonStrings.unescape(from, to, unescaped.room(to - from));
      from = unescaped.address();
      to = from + Math.max(0, length);
    }
    return values.parse(row, from, to, declared);
  }

  /** Appends a string as it is meant, and any other value as it is written. */
  static Written append(DataType type, long at, long end, BytesBuilder bytes) {
    long from = at;
    long to = end;
    if (Mem.getByte(at) == '"') {
      from++;
      to--;
    }
    long target = bytes.room(to - from);
    int written = (int) (to - from);
    if (from > at && JsonScanner.special(from, to) < to) {
      written = JsonStrings.unescape(from, to, target);
    } else {
      Mem.copy(from, target, written);
    }
    if (written < 0 || !isUtf8(target, written)) {
      return Written.NO_TEXT;
    }
    boolean fits =
        type.precision() < 0
            || written <= type.precision()
            || Utf8.characters(target, written) <= type.precision();
    bytes.advance(fits ? written : 0);
    return fits ? Written.DONE : Written.TOO_LONG;
  }

  private static boolean isUtf8(long address, int length) {
    return Utf8.isAscii(address, length) || Utf8.isValid(address, length);
  }

  @Override
  public void close() {
    unescaped.close();
  }
}
