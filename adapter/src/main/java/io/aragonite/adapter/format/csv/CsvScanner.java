package io.aragonite.adapter.format.csv;

import io.aragonite.adapter.format.ByteSearch;
import io.aragonite.exec.memory.Mem;

/**
 * Finds the ends of fields and records. A quote is special only as a field's first byte; within a
 * quoted field, two quotes stand for one. Looks at 8 bytes at a time, never behind the end.
 */
final class CsvScanner {
  /** Stands for an end that does not exist. */
  static final long NONE = -1;

  private static final long NEWLINES = ByteSearch.repeated('\n');

  private final byte delimiter;
  private final int quote;
  private final long delimiters;
  private final long quotes;

  /**
   * @param quote -1 if none is special
   */
  CsvScanner(char delimiter, int quote) {
    this.delimiter = (byte) delimiter;
    this.quote = quote;
    this.delimiters = ByteSearch.repeated(delimiter);
    this.quotes = ByteSearch.repeated(quote);
  }

  boolean isQuote(long at, long end) {
    return at < end && Mem.getByte(at) == quote;
  }

  /** Where the field's text ends that begins at {@code at} without a quote. */
  private long plainEnd(long at, long end) {
    return ByteSearch.either(at, end, delimiters, NEWLINES);
  }

  /** Where the closing quote of the field is whose opening quote is at {@code at}, or NONE. */
  long closingQuote(long at, long end) {
    at++;
    while (true) {
      while (end - at >= 8) {
        long hits = ByteSearch.equal(Mem.getLong(at), quotes);
        if (hits != 0) {
          at += Long.numberOfTrailingZeros(hits) >> 3;
          break;
        }
        at += 8;
      }
      while (at < end && Mem.getByte(at) != quote) {
        at++;
      }
      if (at >= end) {
        return NONE;
      }
      if (at + 1 < end && Mem.getByte(at + 1) == quote) {
        at += 2;
      } else {
        return at;
      }
    }
  }

  /**
   * Where the field ends that begins at {@code at}: its delimiter, its newline or the end. NONE if
   * a quoted field does not end, or goes on behind its closing quote.
   */
  long fieldEnd(long at, long end) {
    if (!isQuote(at, end)) {
      return plainEnd(at, end);
    }
    long close = closingQuote(at, end);
    if (close == NONE) {
      return NONE;
    }
    long next = close + 1;
    if (next < end && Mem.getByte(next) == '\r') {
      next++;
    }
    boolean ends =
        next >= end
            || Mem.getByte(next) == '\n'
            || (Mem.getByte(next) == delimiter && next == close + 1);
    return ends ? next : NONE;
  }

  /**
   * Where the record ends whose field at {@code at} has text behind its closing quote, or no such
   * quote: with the field's first line, since the quote is a stray one more likely than the begin
   * of all that follows.
   */
  static long brokenEnd(long at, long end) {
    return ByteSearch.either(at, end, NEWLINES, NEWLINES);
  }

  /** Whether the byte at a field's end ends the record as well. */
  static boolean isRecordEnd(long at, long end) {
    return at >= end || Mem.getByte(at) == '\n';
  }

  /** A run of records. */
  record Range(long start, long end, int rows) {}

  /** Takes the ranges that {@link #cut} finds. */
  @FunctionalInterface
  interface RangeConsumer {
    void add(Range range);
  }

  /**
   * Cuts records into runs of at least {@code size} bytes, but for the last, in one pass that stops
   * at quotes and newlines only. The newline of the last record may be missing.
   *
   * @param lenient whether a quoted field that does not end ends its record as {@link #brokenEnd}
   *     has it
   * @return where a quoted field begins that does not end, or NONE
   */
  long cut(long start, long end, long size, boolean lenient, RangeConsumer ranges) {
    long at = start;
    long from = start;
    long next = start + size;
    int rows = 0;
    while (at < end) {
      if (end - at >= 8 && at + 8 <= next) {
        long word = Mem.getLong(at);
        long quoteHits = quote < 0 ? 0 : ByteSearch.equal(word, quotes);
        long newlines = ByteSearch.equal(word, NEWLINES);
        if (quoteHits == 0) {
          rows += Long.bitCount(newlines);
          at += 8;
          continue;
        }
        rows += Long.bitCount(newlines & (Long.lowestOneBit(quoteHits) - 1));
        at += Long.numberOfTrailingZeros(quoteHits) >> 3;
      }
      byte value = Mem.getByte(at);
      if (value == '\n') {
        rows++;
        if (at + 1 >= next) {
          ranges.add(new Range(from, at + 1, rows));
          from = at + 1;
          next = from + size;
          rows = 0;
        }
      } else if (value == quote && startsField(at, start)) {
        if (lenient && fieldEnd(at, end) == NONE) {
          at = brokenEnd(at, end);
          continue;
        }
        long close = closingQuote(at, end);
        if (close == NONE) {
          return at;
        }
        at = close;
      }
      at++;
    }
    if (from < end) {
      ranges.add(new Range(from, end, Mem.getByte(end - 1) == '\n' ? rows : rows + 1));
    }
    return NONE;
  }

  private boolean startsField(long at, long start) {
    return at == start || Mem.getByte(at - 1) == '\n' || Mem.getByte(at - 1) == delimiter;
  }
}
