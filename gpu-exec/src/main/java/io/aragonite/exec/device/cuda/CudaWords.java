package io.aragonite.exec.device.cuda;

import io.aragonite.exec.memory.Buffer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Small results of kernels, and sizes of tables. */
final class CudaWords {
  private CudaWords() {}

  /** Waits for what has been launched and reads {@code count} 64-bit words. */
  static long[] read(CudaStream stream, Buffer from, int count) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment host = arena.allocate(8L * count, 8);
      stream.read(from.address(), host.address(), 8L * count);
      return host.toArray(ValueLayout.JAVA_LONG);
    }
  }

  /** The least power of two that is not below {@code least}, 2 or more. */
  static long powerOfTwo(long least) {
    return least <= 2 ? 2 : Long.highestOneBit(least - 1) << 1;
  }

  /** The shift that takes a mixed word to a slot of {@code capacity} slots, a power of two. */
  static int shift(long capacity) {
    return 64 - Long.numberOfTrailingZeros(capacity);
  }

  /** Bits of an unsigned number; 1 for 0. */
  static int bits(long value) {
    return Math.max(1, 64 - Long.numberOfLeadingZeros(value));
  }

  /** Blocks that do {@code tile} items each. */
  static long blocks(long items, long tile) {
    return (items + tile - 1) / tile;
  }
}
