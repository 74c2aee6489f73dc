package io.aragonite.exec.page;

import java.io.ByteArrayOutputStream;
import java.util.Random;

/** Writes pages as files have them, with runs and blocks of random sizes. */
public final class PageBytes {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final Random random;

  public PageBytes(Random random) {
    this.random = random;
  }

  /** Bytes so far. */
  public int size() {
    return out.size();
  }

  /** What has been written. */
  public byte[] bytes() {
    return out.toByteArray();
  }

  /** Some bytes. */
  public void put(byte[] bytes) {
    out.writeBytes(bytes);
  }

  /** A byte. */
  public void put(int value) {
    out.write(value);
  }

  /** The low bytes of a number, the lowest first. */
  public void littleEndian(long value, int bytes) {
    for (int i = 0; i < bytes; i++) {
      out.write((int) (value >>> 8 * i));
    }
  }

  /** The low bytes of a number, the lowest last. */
  public void bigEndian(long value, int bytes) {
    for (int i = bytes - 1; i >= 0; i--) {
      out.write((int) (value >> Math.min(63, 8 * i)));
    }
  }

  /** A number in groups of 7 bits. */
  public void varint(long value) {
    long left = value;
    for (; (left & ~0x7FL) != 0; left >>>= 7) {
      out.write((int) left & 0x7F | 0x80);
    }
    out.write((int) left);
  }

  /** The same with a sign. */
  public void zigzag(long value) {
    varint(value << 1 ^ value >> 63);
  }

  /** Packs numbers, the lowest bit first; the last byte is filled with zeros. */
  private void pack(long[] values, int from, int count, int bits) {
    byte[] packed = new byte[(int) (((long) count * bits + 7) / 8)];
    for (int i = 0; i < count; i++) {
      for (int b = 0; b < bits; b++) {
        long bit = (long) i * bits + b;
        packed[(int) (bit >> 3)] |= (byte) ((values[from + i] >>> b & 1) << (bit & 7));
      }
    }
    put(packed);
  }

  /** Runs: repeated ones where values are equal, and sometimes where there is but one of them. */
  public void hybrid(long[] values, int bits) {
    for (int at = 0; at < values.length; ) {
      int same = 1;
      while (at + same < values.length && values[at + same] == values[at]) {
        same++;
      }
      if (same >= 8 || random.nextInt(4) == 0) {
        int count = 1 + random.nextInt(same);
        varint((long) count << 1);
        littleEndian(values[at], (bits + 7) / 8);
        at += count;
      } else {
        int left = values.length - at;
        int groups = Math.min(1 + random.nextInt(20), (left + 7) / 8);
        int count = Math.min(left, 8 * groups);
        varint((long) groups << 1 | 1);
        pack(values, at, count, bits);
        if (count == 8 * groups || random.nextBoolean()) {
          // The last group is whole in most files.
          int missing = groups * bits - (int) (((long) count * bits + 7) / 8);
          put(new byte[missing]);
        }
        at += count;
      }
      if (random.nextInt(16) == 0) {
        // A run of nothing.
        varint(0);
        littleEndian(random.nextInt(), (bits + 7) / 8);
      }
    }
  }

  /** Blocks of differences. */
  public void differences(long[] values, boolean narrow) {
    int parts = 1 << random.nextInt(3);
    int partValues = 8 * (1 + random.nextInt(8));
    varint((long) parts * partValues);
    varint(parts);
    varint(values.length);
    zigzag(values.length == 0 ? 0 : values[0]);
    for (int at = 1; at < values.length; at += parts * partValues) {
      int count = Math.min(parts * partValues, values.length - at);
      long[] differences = new long[parts * partValues];
      long least = Long.MAX_VALUE;
      for (int i = 0; i < count; i++) {
        long difference = values[at + i] - values[at + i - 1];
        differences[i] = narrow ? (int) difference : difference;
        least = Math.min(least, differences[i]);
      }
      zigzag(least);
      int[] bits = new int[parts];
      for (int i = 0; i < count; i++) {
        differences[i] -= least;
        int part = i / partValues;
        bits[part] = Math.max(bits[part], 64 - Long.numberOfLeadingZeros(differences[i]));
      }
      for (int part = 0; part < parts; part++) {
        put(bits[part]);
      }
      for (int part = 0; part * partValues < count; part++) {
        pack(differences, part * partValues, partValues, bits[part]);
      }
    }
  }
}
