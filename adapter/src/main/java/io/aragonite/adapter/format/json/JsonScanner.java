package io.aragonite.adapter.format.json;

import io.aragonite.adapter.format.ByteSearch;
import io.aragonite.exec.limit.StopCheck;
import io.aragonite.exec.memory.Mem;
import org.jspecify.annotations.Nullable;

/** Finds where values end and objects begin, without looking at what is in them. */
final class JsonScanner {
  /** Stands for an end that does not exist. */
  static final long NONE = -1;

  private static final long NEWLINES = ByteSearch.repeated('\n');
  private static final long QUOTES = ByteSearch.repeated('"');
  private static final long BACKSLASHES = ByteSearch.repeated('\\');

  private JsonScanner() {}

  /** Takes runs of objects, the first byte of one to behind the last byte of another. */
  @FunctionalInterface
  interface ObjectRuns {
    void add(long start, long end, int rows);
  }

  /** Takes the keys of an object, from behind the quote, with their values. */
  @FunctionalInterface
  interface Members {
    void add(long keyStart, long keyEnd, long start, long end);
  }

  /** Takes the elements of an array. */
  @FunctionalInterface
  interface Elements {
    void add(long start, long end);
  }

  static boolean isBlank(byte value) {
    return value == ' ' || value == '\t' || value == '\n' || value == '\r';
  }

  static long skipBlanks(long at, long end) {
    while (at < end && isBlank(Mem.getByte(at))) {
      at++;
    }
    return at;
  }

  /** Where the line ends that {@code at} is in: its newline or the end. */
  static long lineEnd(long at, long end) {
    return ByteSearch.either(at, end, NEWLINES, NEWLINES);
  }

  /** Where the string's next quote or backslash is, or {@code end}. */
  static long special(long at, long end) {
    return ByteSearch.either(at, end, QUOTES, BACKSLASHES);
  }

  /** Behind the closing quote of the string whose opening quote is at {@code at}, or NONE. */
  private static long stringEnd(long at, long end) {
    long place = at + 1;
    while (true) {
      place = special(place, end);
      if (place >= end) {
        return NONE;
      }
      if (Mem.getByte(place) == '"') {
        return place + 1;
      }
      place += 2;
    }
  }

  /** Behind the value that begins at {@code at}, or NONE. */
  static long valueEnd(long at, long end) {
    byte first = Mem.getByte(at);
    if (first == '"') {
      return stringEnd(at, end);
    }
    if (first == '{' || first == '[') {
      return nestedEnd(at, end);
    }
    long place = at;
    while (place < end && isPlain(Mem.getByte(place))) {
      place++;
    }
    return place;
  }

  private static boolean isPlain(byte value) {
    return value > ' ' && value != ',' && value != ']' && value != '}' && value != '"';
  }

  private static long nestedEnd(long at, long end) {
    long depth = 0;
    for (long place = at; place < end; place++) {
      switch (Mem.getByte(place)) {
        case '{', '[' -> depth++;
        case '}', ']' -> {
          if (--depth == 0) {
            return place + 1;
          }
        }
        case '"' -> {
          long close = stringEnd(place, end);
          if (close == NONE) {
            return NONE;
          }
          place = close - 1;
        }
        default -> {}
      }
    }
    return NONE;
  }

  /** Finds the keys of an object that has been parsed. */
  static void members(long start, long end, Members members) {
    long at = skipBlanks(start + 1, end);
    while (Mem.getByte(at) != '}') {
      long keyEnd = stringEnd(at, end);
      long value = skipBlanks(skipBlanks(keyEnd, end) + 1, end);
      long valueEnd = valueEnd(value, end);
      members.add(at + 1, keyEnd - 1, value, valueEnd);
      at = behindComma(valueEnd, end);
    }
  }

  /** Finds the elements of an array that has been parsed. */
  static void elements(long start, long end, Elements elements) {
    long at = skipBlanks(start + 1, end);
    while (Mem.getByte(at) != ']') {
      long valueEnd = valueEnd(at, end);
      elements.add(at, valueEnd);
      at = behindComma(valueEnd, end);
    }
  }

  private static long behindComma(long valueEnd, long end) {
    long at = skipBlanks(valueEnd, end);
    return Mem.getByte(at) == ',' ? skipBlanks(at + 1, end) : at;
  }

  /** Cuts lines into runs of about {@code size} bytes; lines without text are no rows. */
  static void cutLines(long start, long end, long size, ObjectRuns ranges) {
    StopCheck stop = StopCheck.current();
    long at = start;
    while (at < end) {
      long from = at;
      long next = Math.min(end, at + size);
      int rows = 0;
      while (at < next) {
        long lineEnd = lineEnd(at, end);
        rows += skipBlanks(at, lineEnd) < lineEnd ? 1 : 0;
        at = Math.min(end, lineEnd + 1);
      }
      if (rows > 0) {
        ranges.add(from, at, rows);
      }
      stop.check();
    }
  }

  /**
   * Cuts objects that follow each other, with commas between them in an array.
   *
   * @param errors null: what is not complete at the end is left alone
   */
  static void cutValues(
      long start,
      long end,
      long size,
      boolean array,
      @Nullable JsonErrors errors,
      ObjectRuns ranges) {
    StopCheck stop = StopCheck.current();
    long at = skipBlanks(start, end);
    long from = at;
    long last = at;
    int rows = 0;
    while (at < end && !(array && Mem.getByte(at) == ']')) {
      long valueEnd = valueEnd(at, end);
      if (valueEnd == NONE || valueEnd == at) {
        if (errors != null) {
          throw errors.notJson(
              at,
              valueEnd == at
                  ? "it is not JSON: a value is wanted here"
                  : "it is not JSON: the value that begins here does not end",
              null);
        }
        break;
      }
      rows++;
      last = valueEnd;
      at = skipBlanks(valueEnd, end);
      boolean ends = at < end && Mem.getByte(at) == ']';
      if (array && !ends && at < end) {
        at = afterComma(at, end, errors);
      }
      if (last - from >= size) {
        ranges.add(from, last, rows);
        stop.check();
        from = at;
        rows = 0;
      }
    }
    if (rows > 0) {
      ranges.add(from, last, rows);
    }
    if (array && errors != null) {
      requireClosed(at, end, errors);
    }
  }

  private static long afterComma(long at, long end, @Nullable JsonErrors errors) {
    boolean comma = Mem.getByte(at) == ',';
    long next = skipBlanks(at + 1, end);
    if (errors != null && (!comma || next < end && Mem.getByte(next) == ']')) {
      throw errors.notJson(
          at,
          comma
              ? "it is not JSON: a value is wanted behind the comma"
              : "it is not JSON: a comma or the end of the array is wanted here",
          null);
    }
    return comma ? next : end;
  }

  private static void requireClosed(long at, long end, JsonErrors errors) {
    if (at >= end) {
      throw errors.notJson(at, "it is not JSON: the array does not end", null);
    }
    long behind = skipBlanks(at + 1, end);
    if (behind < end) {
      throw errors.notJson(
          behind, "there is text behind the array; a file has one array, or objects", null);
    }
  }
}
