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
  private record Loan(long mark, Buffer buffer, MemoryDebug.Origin origin) {}

  /** Bits of a mark that hold the place in its block; those above hold the number of the block. */
  private static final int PLACE_BITS = 44;

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
    if (MemoryDebug.ON) {
      MemoryDebug.paintZone(memory.raw(), buffer.address() + NativeQueryMemory.padded(bytes));
      loans.add(new Loan(mark(), buffer, MemoryDebug.origin()));
    }
    next += total;
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
    Buffer block = memory.allocateBlock(Math.max(size, bytes));
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
    release(0);
  }

  @Override
  public long mark() {
    return current < 0 ? 0 : (current + 1L) << PLACE_BITS | (next - blocks.get(current).address());
  }

  @Override
  public void release(long mark) {
    try {
      takeBack(mark);
    } finally {
      current = (int) (mark >>> PLACE_BITS) - 1;
      if (current < 0 && !blocks.isEmpty()) {
        current = 0;
      }
      if (current >= 0) {
        Buffer block = blocks.get(current);
        next = block.address() + (mark & (1L << PLACE_BITS) - 1);
        end = block.address() + block.size();
      }
    }
  }

  /**
   * Checks the buffers handed out since a mark, and poisons them.
   *
   * @throws AragoniteException INTERNAL if a buffer was overrun
   */
  private void takeBack(long mark) {
    AragoniteException error = null;
    while (!loans.isEmpty() && loans.getLast().mark >= mark) {
      Loan loan = loans.removeLast();
      Buffer buffer = loan.buffer;
      long padded = NativeQueryMemory.padded(buffer.size());
      try {
        MemoryDebug.checkZone(
            memory.raw(), buffer.address() + padded, "behind", buffer, loan.origin);
      } catch (AragoniteException e) {
        error = e;
      }
      MemoryDebug.poison(memory.raw(), buffer.address(), padded + MemoryDebug.ZONE);
    }
    if (error != null) {
      throw error;
    }
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    try {
      takeBack(0);
    } finally {
      blocks.forEach(memory::free);
      blocks.clear();
      current = -1;
      next = 0;
      end = 0;
    }
  }
}
