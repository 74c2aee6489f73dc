package io.aragonite.exec.device.cpu;

import io.aragonite.exec.memory.Allocator;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;

/** Bitmaps. */
final class CpuBits {
  /** Gathers the lowest bits of eight bytes in the highest byte of the product. */
  private static final long GATHER = 0x0102_0408_1020_4080L;

  private CpuBits() {}

  /** The bitmap of flags, a byte each, 0 or 1. Bits behind the last one are 0. */
  static Buffer pack(long flags, int count, Allocator allocator) {
    Buffer bits = allocator.allocate((count + 63) / 64 * 8L);
    int whole = count & -8;
    for (int i = 0; i < whole; i += 8) {
      long eight = Mem.getLong(flags + i);
      Mem.putByte(bits.address() + i / 8, (byte) (eight * GATHER >>> 56));
    }
    Mem.fill(bits.address() + whole / 8, bits.size() - whole / 8, (byte) 0);
    for (int i = whole; i < count; i++) {
      long place = bits.address() + i / 8;
      Mem.putByte(place, (byte) (Mem.getByte(place) | (Mem.getByte(flags + i) << (i & 7))));
    }
    return bits;
  }
}
