package io.aragonite.exec.device.cuda;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import java.util.ArrayList;
import java.util.List;

/**
 * A bump allocator over large blocks of a {@link CudaQueryMemory}. Blocks stay when it is reset,
 * and allocation starts again at the first one. Since all of a query's work is in one order, memory
 * that was forgotten may be used again at once.
 */
final class CudaArena implements QueryMemory.Arena {
  private static final long FIRST_BLOCK = 16 << 20;
  private static final long LAST_BLOCK = 1 << 30;

  /** Every buffer starts where a wide load, and a bulk copy, may. */
  private static final long ALIGNMENT = 256;

  /** Bits of a mark that hold the place in its block; those above hold the number of the block. */
  private static final int PLACE_BITS = 44;

  private final CudaQueryMemory memory;
  private final List<Buffer> blocks = new ArrayList<>();
  private int current = -1;
  private long next;
  private long end;
  private boolean closed;

  CudaArena(CudaQueryMemory memory) {
    this.memory = memory;
  }

  @Override
  public Buffer allocate(long bytes) {
    long total = (CudaQueryMemory.padded(bytes) + ALIGNMENT - 1) & -ALIGNMENT;
    if (end - next < total) {
      nextBlock(total);
    }
    Buffer buffer = new Buffer(next, bytes);
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
    long size = Math.max(bytes, Math.min(LAST_BLOCK, FIRST_BLOCK << Math.min(blocks.size(), 6)));
    Buffer block = take(size, bytes);
    blocks.add(block);
    blocks.set(blocks.size() - 1, blocks.get(current + 1));
    use(current + 1, block);
  }

  /** A block of {@code size} bytes, or of what is needed if there is no more. */
  private Buffer take(long size, long bytes) {
    try {
      return memory.allocate(size);
    } catch (AragoniteException e) {
      if (e.code() != ErrorCode.MEMORY_EXCEEDED) {
        throw e;
      }
      while (blocks.size() > current + 1) {
        memory.free(blocks.removeLast());
      }
      return memory.allocate(bytes);
    }
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

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      blocks.forEach(memory::free);
      blocks.clear();
      current = -1;
      next = 0;
      end = 0;
    }
  }
}
