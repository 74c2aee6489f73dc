package io.aragonite.exec.memory;

import io.aragonite.exec.error.AragoniteException;
import java.util.ArrayList;
import java.util.List;

/**
 * A bump allocator over blocks of a {@link NativeQueryMemory}. Blocks stay when it is reset, and
 * allocation starts again at the first one, so that batch after batch finds the same lines, still
 * in cache.
 */
final class BlockArena implements QueryMemory.Arena {
  private static final long FIRST_BLOCK = 256 << 10;
  private static final long LAST_BLOCK = 4 << 20;

  /** A buffer handed out, remembered while the checks of {@link MemoryDebug} are on. */
  private record Loan(Buffer buffer, String origin) {}

  private final NativeQueryMemory memory;
  private final List<Buffer> blocks = new ArrayList<>();
  private final List<Loan> loans = new ArrayList<>();
  private int current = -1;
  private long next;
  private long end;
  private boolean closed;

  BlockArena(NativeQueryMemory memory) {
    this.memory = memory;
  }

  @Override
  public Buffer allocate(long bytes) {
    long total = NativeQueryMemory.padded(bytes) + (MemoryDebug.ON ? MemoryDebug.ZONE : 0);
    if (end - next < total) {
      nextBlock(total);
    }
    Buffer buffer = new Buffer(next, bytes);
    next += total;
    if (MemoryDebug.ON) {
      MemoryDebug.paintZone(buffer.address() + NativeQueryMemory.padded(bytes));
      loans.add(new Loan(buffer, MemoryDebug.origin()));
    }
    return buffer;
  }

  /** Makes the next block that is large enough the current one, or takes a new one. */
  private void nextBlock(long bytes) {
    if (closed) {
      throw new IllegalStateException("the arena is closed");
    }
    for (int i = current + 1; i < blocks.size(); i++) {
      if (blocks.get(i).size() >= bytes) {
        Buffer block = blocks.get(i);
        blocks.set(i, blocks.get(current + 1));
        use(current + 1, block);
        return;
      }
    }
    long size = Math.min(LAST_BLOCK, FIRST_BLOCK << Math.min(blocks.size(), 10));
    Buffer block = memory.allocate(Math.max(size, bytes));
    blocks.add(block);
    blocks.set(blocks.size() - 1, blocks.get(current + 1));
    use(current + 1, block);
  }

  private void use(int index, Buffer block) {
    blocks.set(index, block);
    current = index;
    next = block.address();
    end = block.address() + block.size();
  }

  @Override
  public void reset() {
    if (MemoryDebug.ON) {
      try {
        checkLoans();
      } finally {
        for (Loan loan : loans) {
          MemoryDebug.poison(
              loan.buffer.address(),
              NativeQueryMemory.padded(loan.buffer.size()) + MemoryDebug.ZONE);
        }
        loans.clear();
      }
    }
    if (!blocks.isEmpty()) {
      use(0, blocks.get(0));
    }
  }

  /**
   * @throws AragoniteException INTERNAL if a buffer was overrun
   */
  private void checkLoans() {
    for (Loan loan : loans) {
      MemoryDebug.checkZone(
          loan.buffer.address() + NativeQueryMemory.padded(loan.buffer.size()),
          "behind",
          loan.buffer,
          loan.origin);
    }
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    try {
      if (MemoryDebug.ON) {
        checkLoans();
      }
    } finally {
      loans.clear();
      blocks.forEach(memory::free);
      blocks.clear();
      next = 0;
      end = 0;
    }
  }
}
