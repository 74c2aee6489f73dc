package io.aragonite.exec.codegen;

import io.aragonite.exec.limit.StopCheck;
import io.aragonite.exec.memory.Allocator;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;

/** Memory for the texts that one row's evaluation makes. */
final class TextHeap {
  private static final long FIRST_BLOCK = 4096;

  private final Allocator allocator;
  private final StopCheck stopCheck;
  private Buffer block = Buffer.EMPTY;
  private long used;

  /**
   * @param stopCheck looks at the work of making texts
   */
  TextHeap(Allocator allocator, StopCheck stopCheck) {
    this.allocator = allocator;
    this.stopCheck = stopCheck;
  }

  /** Forgets the texts of the row before. */
  void reset() {
    used = 0;
  }

  long allocate(long bytes) {
    stopCheck.work(bytes);
    if (used + bytes > block.size()) {
      // The old block is left to the batch, since this row's texts may be in it.
      block = allocator.allocate(Math.max(Math.max(FIRST_BLOCK, 2 * block.size()), bytes));
      used = 0;
    }
    long address = block.address() + used;
    used += bytes;
    return address;
  }

  long add(byte[] bytes) {
    long address = allocate(bytes.length);
    Mem.copy(bytes, 0, address, bytes.length);
    return address;
  }
}
