package io.aragonite.adapter.copy;

import io.aragonite.exec.memory.Mem;

/** Packs numbers into as few bits as they need, the lowest first, and the runs that Parquet has. */
final class BitPacker {
  private static final int GROUP = 8;

  /** Bits that a run of one value must spare: its header, and that of what follows. */
  private static final int WORTHWHILE = 64;

  private BitPacker() {}

  /** Bits that the numbers below a count need. */
  static int width(int count) {
    return Integer.SIZE - Integer.numberOfLeadingZeros(Math.max(0, count - 1));
  }

  /** Adds numbers of {@code width} bits each; what is left of the last byte is zero. */
  static void pack(long[] values, int from, int to, int width, NativeBytes out) {
    long bytes = ((long) (to - from) * width + 7) / 8;
    long at = out.reserve(bytes);
    long word = 0;
    int bits = 0;
    for (int i = from; i < to && width > 0; i++) {
      long value = values[i];
      word |= value << bits;
      bits += width;
      if (bits >= Long.SIZE) {
        Mem.putLong(at, word);
        at += Long.BYTES;
        bits -= Long.SIZE;
        word = bits == 0 ? 0 : value >>> (width - bits);
      }
    }
    Mem.putLong(at, word);
    out.advance(bytes);
  }

  /** Runs of repeated numbers, and of packed ones in groups of eight, of {@code width} bits. */
  static void runs(int[] values, int from, int to, int width, NativeBytes out) {
    int least = width == 0 ? 1 : Math.max(GROUP, WORTHWHILE / width);
    int packed = from; // where numbers begin that are not in a run yet
    int at = from;
    while (at + GROUP <= to) {
      int end = repeated(values, at, to, least);
      if (end == at) {
        at += GROUP;
      } else {
        groups(values, packed, at, width, out);
        out.putVarint((long) (end - at) << 1);
        for (int shift = 0; shift < width; shift += Byte.SIZE) {
          out.putByte(values[at] >>> shift);
        }
        at = end;
        packed = end;
      }
    }
    groups(values, packed, to, width, out);
  }

  /** The end of a run of one value that is long enough; {@code at} if there is none. */
  private static int repeated(int[] values, int at, int to, int least) {
    int value = values[at];
    int other =
        value ^ values[at + 1]
            | value ^ values[at + 2]
            | value ^ values[at + 3]
            | value ^ values[at + 4]
            | value ^ values[at + 5]
            | value ^ values[at + 6]
            | value ^ values[at + 7];
    if (other != 0) {
      return at;
    }
    int end = at + GROUP;
    while (end < to && values[end] == value) {
      end++;
    }
    return end - at >= least ? end : at;
  }

  private static void groups(int[] values, int from, int to, int width, NativeBytes out) {
    if (from == to) {
      return;
    }
    long groups = (to - from + GROUP - 1L) / GROUP;
    out.putVarint(groups << 1 | 1);
    long at = out.reserve(groups * width + Long.BYTES);
    long word = 0;
    int bits = 0;
    long put = at;
    for (int i = from; i < to; i++) {
      long value = values[i];
      word |= value << bits;
      bits += width;
      if (bits >= Long.SIZE) {
        Mem.putLong(put, word);
        put += Long.BYTES;
        bits -= Long.SIZE;
        word = value >>> (width - bits); // less than 64: the numbers have 32 bits at most
      }
    }
    Mem.putLong(put, word);
    // A group that is not full goes on with zeros.
    for (put += Long.BYTES; put < at + groups * width; put += Long.BYTES) {
      Mem.putLong(put, 0);
    }
    out.advance(groups * width);
  }
}
