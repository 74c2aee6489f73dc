package io.aragonite.exec.device;

import io.aragonite.exec.memory.Mem;

/**
 * Match ranges of two sorted sides in host memory. Maltenberger (2024, section 3.3.3) stores four
 * positions for each key that both sides have: its first and last row on the left, and those on the
 * right. Here a bit is set at each of them: the nth bits that are set in four bitmaps, two a side,
 * are the nth range. So ranges take 2 bits a row and side, and half a bit for where each 64 left
 * rows begin to look, whatever the keys are like; and reading them in order takes less of the
 * host's memory than positions would.
 *
 * @param address of what {@link SortOps#markRanges} wrote
 * @param leftRows of the left side; its bitmaps' bits
 * @param rightRows of the right side
 */
public record RangeMarks(long address, int leftRows, int rightRows) {
  /** The most significant bit of a start: the block's first row goes on with an earlier range. */
  private static final int OPEN = Integer.MIN_VALUE;

  private static final long WORD = Long.BYTES;

  /** A range: rows of both sides that have one key. */
  @FunctionalInterface
  public interface Visitor {
    /** The rows from {@code leftFrom} before {@code leftTo} match each of those on the right. */
    void range(int leftFrom, int leftTo, int rightFrom, int rightTo);
  }

  private static long words(int rows) {
    return (rows + 63L) / 64;
  }

  /** Bytes that the marks of so many rows take. */
  public static long bytes(int leftRows, int rightRows) {
    return new RangeMarks(0, leftRows, rightRows).bytes();
  }

  /**
   * Bytes that marks of several parts take at most, each beginning at a multiple of 64.
   *
   * @param leftRows of all parts together
   */
  public static long bytes(long leftRows, long rightRows, long parts) {
    return (leftRows / 64 + parts) * 20 + (rightRows / 64 + parts) * 16 + parts * (16 + 64);
  }

  public long bytes() {
    return pairsAt() - address + WORD;
  }

  /** Where the bitmap of the left rows is with which ranges begin. */
  public long leftBegins() {
    return address;
  }

  /** The same of those with which they end. */
  public long leftEnds() {
    return address + WORD * words(leftRows);
  }

  public long rightBegins() {
    return address + 2 * WORD * words(leftRows);
  }

  public long rightEnds() {
    return rightBegins() + WORD * words(rightRows);
  }

  /**
   * For each 64 left rows a 32-bit number: where the right rows of the first of them that has any
   * begin, with the most significant bit set if that row does not begin its range.
   */
  public long starts() {
    return rightBegins() + 2 * WORD * words(rightRows);
  }

  /** The number of pairs of the ranges' rows, 64 bits. */
  public long pairsAt() {
    return starts() + (words(leftRows) + 1) / 2 * WORD;
  }

  public long pairs() {
    return Mem.getLong(pairsAt());
  }

  /** The first right row that a left row matches; -1: none. */
  public int first(int row) {
    int block = row >>> 6;
    // Of the block's rows those up to this one, and those before it.
    long upTo = -1L >>> (63 - (row & 63));
    long begins = Mem.getLong(leftBegins() + WORD * block) & upTo;
    long ends = Mem.getLong(leftEnds() + WORD * block) & upTo >>> 1;
    int start = Mem.getInt(starts() + 4L * block);
    boolean open = (start & OPEN) != 0;
    if (begins == 0) {
      return open && ends == 0 ? start & ~OPEN : -1;
    }
    if (ends >>> (63 - Long.numberOfLeadingZeros(begins)) != 0) {
      return -1;
    }
    int place = start & ~OPEN;
    for (int further = Long.bitCount(begins) - (open ? 0 : 1); further > 0; further--) {
      place = next(rightBegins(), place + 1);
    }
    return place;
  }

  /** How many right rows a left row matches. */
  public int count(int row) {
    int first = first(row);
    return first < 0 ? 0 : next(rightEnds(), first) + 1 - first;
  }

  /** Visits the ranges that begin with some of the left rows, in order. */
  public void forEach(int leftFrom, int leftTo, Visitor visitor) {
    int from = nextBefore(leftBegins(), leftFrom, leftTo);
    int right = from < leftTo ? first(from) : 0;
    while (from < leftTo) {
      int leftEnd = next(leftEnds(), from) + 1;
      int rightEnd = next(rightEnds(), right) + 1;
      visitor.range(from, leftEnd, right, rightEnd);
      from = nextBefore(leftBegins(), leftEnd, leftTo);
      right = from < leftTo ? next(rightBegins(), rightEnd) : 0;
    }
  }

  /** The first bit that is set from a place on; there is one. */
  private static int next(long bits, int from) {
    int word = from >>> 6;
    long left = Mem.getLong(bits + WORD * word) & -1L << (from & 63);
    while (left == 0) {
      left = Mem.getLong(bits + WORD * ++word);
    }
    return 64 * word + Long.numberOfTrailingZeros(left);
  }

  /** The same; {@code to} if there is none before it. */
  private static int nextBefore(long bits, int from, int to) {
    if (from >= to) {
      return to;
    }
    int word = from >>> 6;
    long left = Mem.getLong(bits + WORD * word) & -1L << (from & 63);
    while (left == 0) {
      word++;
      if (64 * word >= to) {
        return to;
      }
      left = Mem.getLong(bits + WORD * word);
    }
    return Math.min(to, 64 * word + Long.numberOfTrailingZeros(left));
  }
}
