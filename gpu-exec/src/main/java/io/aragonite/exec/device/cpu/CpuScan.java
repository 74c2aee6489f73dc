package io.aragonite.exec.device.cpu;

import io.aragonite.exec.expr.KeyLayout.KeyField;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import org.jspecify.annotations.Nullable;

/** Operations that pass over their input once: fill, scan, select, scatter. */
final class CpuScan {
  private CpuScan() {}

  static void fill(Buffer out, int width, long value, int count) {
    long address = out.address();
    switch (width) {
      case 1 -> Mem.fill(address, count, (byte) value);
      case 2 -> {
        for (int i = 0; i < count; i++) {
          Mem.putShort(address + 2L * i, (short) value);
        }
      }
      case 4 -> fillInts(address, (int) value, count);
      case 8 -> {
        for (int i = 0; i < count; i++) {
          Mem.putLong(address + 8L * i, value);
        }
      }
      default -> throw new IllegalArgumentException("width " + width);
    }
  }

  static void fillInts(long address, int value, long count) {
    if (value == 0 || value == -1) {
      Mem.fill(address, 4 * count, (byte) value);
      return;
    }
    for (long i = 0; i < count; i++) {
      Mem.putInt(address + 4 * i, value);
    }
  }

  static void iota(Buffer out, int start, int count) {
    long address = out.address();
    for (int i = 0; i < count; i++) {
      Mem.putInt(address + 4L * i, start + i);
    }
  }

  /** See {@link io.aragonite.exec.device.ScanOps#convert}. */
  static void convert(long in, int from, int count, int to, long out) {
    for (int i = 0; i < count; i++) {
      putInteger(out, to, i, integer(in, from, i));
    }
  }

  /** See {@link io.aragonite.exec.device.ScanOps#unpack}. */
  static void unpack(
      Buffer words,
      int count,
      KeyField key,
      int shift,
      int width,
      Buffer out,
      @Nullable Buffer validity) {
    if (validity != null) {
      Mem.fill(validity.address(), (count + 63L) / 64 * 8, (byte) 0);
    }
    for (int i = 0; i < count; i++) {
      long part = Integer.toUnsignedLong(Mem.getInt(words.address() + 4L * i)) >> shift;
      part &= (1L << key.bits()) - 1;
      putInteger(out.address(), width, i, key.zero() + part);
      if (validity != null && part != 0) {
        long place = validity.address() + (i >> 3);
        Mem.putByte(place, (byte) (Mem.getByte(place) | 1 << (i & 7)));
      }
    }
  }

  /** A signed integer of 1, 2, 4 or 8 bytes. */
  static long integer(long values, int width, int row) {
    return switch (width) {
      case 1 -> Mem.getByte(values + row);
      case 2 -> Mem.getShort(values + 2L * row);
      case 4 -> Mem.getInt(values + 4L * row);
      default -> Mem.getLong(values + 8L * row);
    };
  }

  static void putInteger(long values, int width, int row, long value) {
    switch (width) {
      case 1 -> Mem.putByte(values + row, (byte) value);
      case 2 -> Mem.putShort(values + 2L * row, (short) value);
      case 4 -> Mem.putInt(values + 4L * row, (int) value);
      default -> Mem.putLong(values + 8L * row, value);
    }
  }

  static void histogram(Buffer keys, int count, int shift, int bits, Buffer counts) {
    long in = keys.address();
    long out = counts.address();
    int mask = (1 << bits) - 1;
    Mem.fill(out, 4L << bits, (byte) 0);
    for (int i = 0; i < count; i++) {
      long place = out + 4L * ((int) (Mem.getLong(in + 8L * i) >>> shift) & mask);
      Mem.putInt(place, Mem.getInt(place) + 1);
    }
  }

  static long exclusiveSum(Buffer in, int count, Buffer out) {
    long from = in.address();
    long to = out.address();
    long sum = 0;
    for (int i = 0; i < count; i++) {
      Mem.putLong(to + 8L * i, sum);
      sum += Integer.toUnsignedLong(Mem.getInt(from + 4L * i));
    }
    Mem.putLong(to + 8L * count, sum);
    return sum;
  }

  static int select(Buffer flags, int count, boolean set, Buffer out) {
    long from = flags.address();
    long to = out.address();
    int flip = set ? 0 : 1;
    int n = 0;
    for (int i = 0; i < count; i++) {
      int flag = Mem.getByte(from + i);
      Mem.putInt(to + 4L * n, i);
      n += (flag | -flag) >>> 31 ^ flip;
    }
    return n;
  }

  static int selectUpTo(Buffer words, int count, long bound, Buffer out) {
    long from = words.address();
    long to = out.address();
    long most = bound + Long.MIN_VALUE;
    int n = 0;
    for (int i = 0; i < count; i++) {
      Mem.putInt(to + 4L * n, i);
      n += Mem.getLong(from + 8L * i) + Long.MIN_VALUE <= most ? 1 : 0;
    }
    return n;
  }

  static int selectIds(Buffer ids, int count, boolean matched, Buffer out) {
    long from = ids.address();
    long to = out.address();
    int flip = matched ? 1 : 0;
    int n = 0;
    for (int i = 0; i < count; i++) {
      Mem.putInt(to + 4L * n, i);
      n += Mem.getInt(from + 4L * i) >>> 31 ^ flip;
    }
    return n;
  }

  static void mark(Buffer ids, int count, Buffer flags) {
    long from = ids.address();
    long to = flags.address();
    for (int i = 0; i < count; i++) {
      int id = Mem.getInt(from + 4L * i);
      if (id >= 0) {
        Mem.putByte(to + id, (byte) 1);
      }
    }
  }

  static void gatherIds(Buffer ids, Buffer positions, int count, Buffer out) {
    long data = ids.address();
    long from = positions.address();
    long to = out.address();
    if (data == 0) {
      // No ids, so that all positions are -1; there is nothing that may be read.
      fillInts(to, -1, count);
      return;
    }
    for (int i = 0; i < count; i++) {
      int position = Mem.getInt(from + 4L * i);
      int none = position >> 31;
      Mem.putInt(to + 4L * i, Mem.getInt(data + 4L * (position & ~none)) | none);
    }
  }

  static void scatter(Buffer in, Buffer ids, int count, int width, Buffer out) {
    long from = in.address();
    long places = ids.address();
    long to = out.address();
    switch (width) {
      case 1 -> {
        for (int i = 0; i < count; i++) {
          Mem.putByte(to + Mem.getInt(places + 4L * i), Mem.getByte(from + i));
        }
      }
      case 2 -> {
        for (int i = 0; i < count; i++) {
          Mem.putShort(to + 2L * Mem.getInt(places + 4L * i), Mem.getShort(from + 2L * i));
        }
      }
      case 4 -> {
        for (int i = 0; i < count; i++) {
          Mem.putInt(to + 4L * Mem.getInt(places + 4L * i), Mem.getInt(from + 4L * i));
        }
      }
      case 8 -> {
        for (int i = 0; i < count; i++) {
          Mem.putLong(to + 8L * Mem.getInt(places + 4L * i), Mem.getLong(from + 8L * i));
        }
      }
      case 16 -> {
        for (int i = 0; i < count; i++) {
          long place = to + 16L * Mem.getInt(places + 4L * i);
          Mem.putLong(place, Mem.getLong(from + 16L * i));
          Mem.putLong(place + 8, Mem.getLong(from + 16L * i + 8));
        }
      }
      default -> throw new IllegalArgumentException("width " + width);
    }
  }
}
