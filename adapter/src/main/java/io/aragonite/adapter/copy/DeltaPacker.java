package io.aragonite.adapter.copy;

/**
 * DELTA_BINARY_PACKED: differences between integers, packed in parts of a block by the bits that
 * each part needs.
 *
 * @param wide whether integers have 64 bits, rather than 32, within which differences wrap around
 */
record DeltaPacker(boolean wide) {
  private static final int PARTS = 4;
  private static final int PART = 32;
  private static final int BLOCK = PARTS * PART;

  private long difference(long[] values, int i) {
    long difference = values[i] - values[i - 1];
    return wide ? difference : (int) difference;
  }

  private int width(long most) {
    return Long.SIZE - Long.numberOfLeadingZeros(wide ? most : most & 0xFFFF_FFFFL);
  }

  /** Bytes that values take, about. */
  long bytes(long[] values, int count) {
    long bits = 0;
    for (int from = 1; from < count; from += PART) {
      int to = Math.min(count, from + PART);
      long least = Long.MAX_VALUE;
      long most = Long.MIN_VALUE;
      for (int i = from; i < to; i++) {
        long difference = difference(values, i);
        least = Math.min(least, difference);
        most = Math.max(most, difference);
      }
      bits += (long) width(most - least) * PART + 3 * Byte.SIZE;
    }
    return bits / Byte.SIZE;
  }

  /** Adds values, of which there is one at least. */
  void encode(long[] values, int from, int to, NativeBytes out) {
    out.putVarint(BLOCK);
    out.putVarint(PARTS);
    out.putVarint(to - from);
    out.putZigzag(values[from]);
    long[] differences = new long[BLOCK];
    for (int block = from + 1; block < to; block += BLOCK) {
      int end = Math.min(to, block + BLOCK);
      long least = Long.MAX_VALUE;
      for (int i = block; i < end; i++) {
        long difference = difference(values, i);
        differences[i - block] = difference;
        least = Math.min(least, difference);
      }
      block(differences, end - block, least, out);
    }
  }

  private void block(long[] differences, int count, long least, NativeBytes out) {
    out.putZigzag(least);
    long mask = wide ? -1 : 0xFFFF_FFFFL;
    int[] widths = new int[PARTS]; // zero for parts that do not exist
    for (int part = 0; part * PART < count; part++) {
      long used = 0;
      for (int i = part * PART; i < (part + 1) * PART; i++) {
        // The last part is whole.
        differences[i] = i < count ? differences[i] - least & mask : 0;
        used |= differences[i];
      }
      widths[part] = width(used);
    }
    for (int width : widths) {
      out.putByte(width);
    }
    for (int part = 0; part * PART < count; part++) {
      BitPacker.pack(differences, part * PART, (part + 1) * PART, widths[part], out);
    }
  }
}
