package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

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

  /** The first of 32-bit starts and the one behind the last, with one wait; 0 if there are none. */
  static int[] ends(ExecContext context, Buffer starts, int count) {
    if (count == 0) {
      return new int[2];
    }
    QueryMemory.Arena scratch = context.hostScratch();
    long mark = scratch.mark();
    Buffer first = scratch.allocate(Integer.BYTES).slice(0, Integer.BYTES);
    Buffer end = scratch.allocate(Integer.BYTES).slice(0, Integer.BYTES);
    CudaStream.of(context)
        .readAll(List.of(starts, starts.slice(4L * count, Integer.BYTES)), List.of(first, end));
    int[] ends = {Mem.getInt(first.address()), Mem.getInt(end.address())};
    scratch.release(mark);
    return ends;
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
