package io.aragonite.exec.page;

import static io.aragonite.exec.page.MalformedPageException.check;

import io.aragonite.exec.memory.Mem;

/**
 * Reads DELTA_BINARY_PACKED: blocks of miniblocks of differences. Up to 8 bytes behind the page may
 * be loaded, though not used.
 */
public final class DeltaReader extends PageCursor {
  private final int miniblocks;
  private final int miniblockValues;
  private final int count;
  private final long first;

  public DeltaReader(long at, long end) {
    super(at, end);
    int blockValues = varint();
    miniblocks = varint();
    count = varint();
    first = zigzag();
    check(
        miniblocks > 0 && blockValues % miniblocks == 0 && blockValues / miniblocks % 8 == 0,
        "a page has blocks of %,d differences in %,d parts",
        blockValues,
        miniblocks);
    miniblockValues = blockValues / miniblocks;
    check(miniblockValues > 0 || count <= 1, "a page has blocks of no difference");
  }

  /** How many values there are, as the page says. */
  public int count() {
    return count;
  }

  /** Reads {@code wanted} values, which must be all, as integers of 64 bits, or of 32, wrapping. */
  public void read(long to, int wanted, boolean wide) {
    check(count == wanted, "a page has %,d values instead of %,d", count, wanted);
    if (wanted == 0) {
      return;
    }
    put(to, 0, first, wide);
    long value = first;
    int done = 1;
    while (done < count) {
      long least = zigzag();
      long widths = take(miniblocks);
      for (int m = 0; m < miniblocks && done < count; m++) {
        int bits = Mem.getByte(widths + m) & 0xFF;
        check(bits <= 64, "a page has differences of " + bits + " bits");
        int n = Math.min(miniblockValues, count - done);
        // The last miniblock is whole in most files, though only what is used must be there.
        long need = ((long) n * bits + 7) / 8;
        check(need <= left(), "a page ends too early");
        long from = take(Math.min((long) miniblockValues * bits / 8, left()));
        value =
            wide
                ? longs(from, bits, least, value, to + 8L * done, n)
                : ints(from, bits, least, value, to + 4L * done, n);
        done += n;
      }
    }
  }

  private static void put(long to, int index, long value, boolean wide) {
    if (wide) {
      Mem.putLong(to + 8L * index, value);
    } else {
      Mem.putInt(to + 4L * index, (int) value);
    }
  }

  private static long longs(long from, int bits, long least, long value, long to, int count) {
    long bit = 0;
    for (int i = 0; i < count; i++, bit += bits) {
      value += least + packed(from, bit, bits);
      Mem.putLong(to + 8L * i, value);
    }
    return value;
  }

  private static long ints(long from, int bits, long least, long value, long to, int count) {
    long bit = 0;
    for (int i = 0; i < count; i++, bit += bits) {
      value += least + packed(from, bit, bits);
      Mem.putInt(to + 4L * i, (int) value);
    }
    return value;
  }

  private static long packed(long from, long bit, int bits) {
    if (bits == 0) {
      return 0;
    }
    long at = from + (bit >> 3);
    int shift = (int) bit & 7;
    long value = Mem.getLong(at) >>> shift;
    if (bits + shift > 64) {
      value |= (Mem.getByte(at + 8) & 0xFFL) << (64 - shift);
    }
    return bits == 64 ? value : value & ((1L << bits) - 1);
  }
}
