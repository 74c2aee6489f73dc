package io.aragonite.exec.page;

import static io.aragonite.exec.page.MalformedPageException.check;

import io.aragonite.exec.memory.Mem;
import java.util.Arrays;

/**
 * Reads the hybrid of run lengths and bit packing that levels, dictionary indices and booleans are
 * in. Up to 7 bytes behind the page may be loaded, though not used.
 */
public final class HybridReader extends PageCursor {
  /** Bits of values of which a word has four, wherever in a byte they begin. */
  private static final int FOUR_BITS = 14;

  private final int width;

  /** Values left of the present run. */
  private int left;

  private boolean packed;
  private int repeated;

  /** Where the present packed run begins, and the next value of it. */
  private long runStart;

  private int runIndex;

  /**
   * @param width bits of a value, 0 to 32
   */
  public HybridReader(long at, long end, int width) {
    super(at, end);
    check(width >= 0 && width <= 32, "values of " + width + " bits");
    this.width = width;
  }

  /**
   * @param wanted values that will be read yet, at most as many as the page has
   */
  private void nextRun(int wanted) {
    int header = varint();
    packed = (header & 1) != 0;
    if (packed) {
      long count = (header >>> 1) * 8L;
      // Some writers cut the last group off where its values end.
      long need = (Math.min(count, wanted) * width + 7) / 8;
      check(need <= left(), "a page ends too early");
      runStart = take(Math.min(count * width / 8, left()));
      left = (int) Math.min(count, wanted);
      runIndex = 0;
    } else {
      left = header >>> 1;
      int bytes = (width + 7) / 8;
      long value = take(bytes);
      repeated = 0;
      for (int i = 0; i < bytes; i++) {
        repeated |= (Mem.getByte(value + i) & 0xFF) << 8 * i;
      }
    }
  }

  /**
   * Reads values.
   *
   * @param wanted values that the page still has, at least {@code count}
   */
  public void read(int[] to, int count, int wanted) {
    int done = 0;
    while (done < count) {
      if (left == 0) {
        nextRun(wanted - done);
        continue;
      }
      int n = Math.min(left, count - done);
      if (packed) {
        unpack(to, done, n);
        runIndex += n;
      } else {
        Arrays.fill(to, done, done + n, repeated);
      }
      left -= n;
      done += n;
    }
  }

  private void unpack(int[] to, int from, int count) {
    long base = runStart;
    int bits = width;
    int mask = bits == 32 ? -1 : (1 << bits) - 1;
    long bit = (long) runIndex * bits;
    int i = 0;
    if (bits <= FOUR_BITS) {
      for (int four = 4 * bits; i + 4 <= count; i += 4, bit += four) {
        long word = Mem.getLong(base + (bit >> 3)) >>> (bit & 7);
        to[from + i] = (int) word & mask;
        to[from + i + 1] = (int) (word >>> bits) & mask;
        to[from + i + 2] = (int) (word >>> 2 * bits) & mask;
        to[from + i + 3] = (int) (word >>> 3 * bits) & mask;
      }
    }
    for (; i < count; i++, bit += bits) {
      to[from + i] = (int) (Mem.getLong(base + (bit >> 3)) >>> (bit & 7)) & mask;
    }
  }

  /**
   * Reads {@code count} values of one bit into a bitmap that is all zeros from bit {@code at} on.
   *
   * @return how many are ones
   */
  public int readBits(long bitmap, long at, int count) {
    int ones = 0;
    int done = 0;
    while (done < count) {
      if (left == 0) {
        nextRun(count - done);
        continue;
      }
      int n = Math.min(left, count - done);
      if (packed) {
        ones += copyBits(runStart, n, bitmap, at + done);
      } else if (repeated != 0) {
        setBits(bitmap, at + done, n);
        ones += n;
      }
      left -= n;
      done += n;
    }
    return ones;
  }

  private static int copyBits(long from, int count, long bitmap, long at) {
    int ones = 0;
    for (int i = 0; i < count; i += 64) {
      int n = Math.min(64, count - i);
      long word = Mem.getLong(from + (i >> 3)) & mask(n);
      ones += Long.bitCount(word);
      or(bitmap, at + i, word);
    }
    return ones;
  }

  private static void setBits(long bitmap, long at, int count) {
    for (int i = 0; i < count; i += 64) {
      or(bitmap, at + i, mask(Math.min(64, count - i)));
    }
  }

  private static long mask(int bits) {
    return bits == 64 ? -1 : (1L << bits) - 1;
  }

  private static void or(long bitmap, long at, long word) {
    long address = bitmap + (at >> 6) * 8;
    int shift = (int) at & 63;
    Mem.putLong(address, Mem.getLong(address) | word << shift);
    if (shift > 0 && word >>> (64 - shift) != 0) {
      Mem.putLong(address + 8, Mem.getLong(address + 8) | word >>> (64 - shift));
    }
  }
}
