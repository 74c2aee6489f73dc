package io.aragonite.exec.device.cuda;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.MemoryDebug;
import io.aragonite.exec.memory.QueryMemory;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Scratch memory of a {@link CudaQueryMemory}. Small buffers are cut one after the other from
 * blocks that they share; a large one (a column of a batch) has a block of its own, since two of
 * them would not fit into one of any round size. Blocks are kept when their buffers are forgotten.
 * All of a query's work is in one order, so memory that was forgotten may be used again at once.
 */
final class CudaArena implements QueryMemory.Arena {
  /** Larger buffers have a block of their own. */
  private static final long LARGE = 16 << 20;

  /** Each shared block is four times as large as the one before, up to the last size. */
  private static final long FIRST_BLOCK = 2 << 20;

  private static final long LAST_BLOCK = 64 << 20;

  /** A block that is kept serves a request for this part of it at least, unless memory is short. */
  private static final double SLACK = 1.25;

  /** Every buffer starts where a wide load, and a bulk copy, may. */
  private static final long ALIGNMENT = 256;

  /** Bits of a mark, from below: the place in a shared block, its number + 1, large buffers. */
  private static final int PLACE_BITS = 30;

  private static final int BLOCK_BITS = 16;

  private final QueryMemory memory;
  private final LongSupplier available;

  /** Shared blocks; those behind the current one are kept for later. */
  private final List<Buffer> shared = new ArrayList<>();

  /** Blocks of large buffers, in the order of allocation. */
  private final List<Buffer> large = new ArrayList<>();

  /** Blocks of large buffers that were forgotten. */
  private final List<Buffer> kept = new ArrayList<>();

  private int current = -1;
  private long next;
  private long end;
  private boolean closed;

  /**
   * @param available asks for the bytes that the query could have without anybody giving way
   */
  CudaArena(QueryMemory memory, LongSupplier available) {
    this.memory = memory;
    this.available = available;
  }

  @Override
  public Buffer allocate(long bytes) {
    if (closed) {
      throw new IllegalStateException("the arena is closed");
    }
    long total = (CudaQueryMemory.padded(bytes) + ALIGNMENT - 1) & -ALIGNMENT;
    if (total > LARGE) {
      Buffer block = largeBlock(total);
      large.add(block);
      return withSlack(new Buffer(block.address(), bytes), total);
    }
    while (end - next < total) {
      nextShared(total);
    }
    Buffer buffer = new Buffer(next, bytes);
    next += total;
    return withSlack(buffer, total);
  }

  private Buffer withSlack(Buffer buffer, long total) {
    if (MemoryDebug.SLACK && memory instanceof CudaQueryMemory query) {
      long bytes = buffer.size();
      query.stream().fill(buffer.address() + bytes, (byte) 0, total - bytes);
    }
    return buffer;
  }

  private Buffer largeBlock(long bytes) {
    int best = -1;
    for (int i = 0; i < kept.size(); i++) {
      long size = kept.get(i).size();
      if (size >= bytes && (best < 0 || size < kept.get(best).size())) {
        best = i;
      }
    }
    boolean fits = best >= 0 && kept.get(best).size() <= bytes * SLACK;
    if (best >= 0 && (fits || available.getAsLong() < bytes)) {
      return kept.remove(best);
    }
    return take(bytes);
  }

  /** Goes on to the next shared block, a new one if there is none. */
  private void nextShared(long bytes) {
    if (current + 1 == shared.size()) {
      long wanted = Math.min(LAST_BLOCK, FIRST_BLOCK << Math.min(2 * shared.size(), 20));
      // Nothing is to be driven out of a cache for memory that may not be used.
      shared.add(take(Math.max(bytes, Math.min(wanted, available.getAsLong() / 8))));
    }
    current++;
    Buffer block = shared.get(current);
    next = block.address();
    end = block.address() + block.size();
  }

  private Buffer take(long bytes) {
    try {
      return memory.allocateBlock(bytes);
    } catch (AragoniteException e) {
      if (e.code() != ErrorCode.MEMORY_EXCEEDED || kept.isEmpty()) {
        throw e;
      }
      kept.forEach(memory::free);
      kept.clear();
      return memory.allocateBlock(bytes);
    }
  }

  @Override
  public void reset() {
    release(0);
  }

  @Override
  public long mark() {
    long place = current < 0 ? 0 : next - shared.get(current).address();
    return ((long) large.size() << BLOCK_BITS | current + 1L) << PLACE_BITS | place;
  }

  @Override
  public void release(long mark) {
    int count = (int) (mark >>> PLACE_BITS + BLOCK_BITS);
    while (large.size() > count) {
      kept.add(large.removeLast());
    }
    current = (int) (mark >>> PLACE_BITS & (1L << BLOCK_BITS) - 1) - 1;
    if (current < 0) {
      next = 0;
      end = 0;
    } else {
      Buffer block = shared.get(current);
      next = block.address() + (mark & (1L << PLACE_BITS) - 1);
      end = block.address() + block.size();
    }
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      release(0);
      shared.forEach(memory::free);
      kept.forEach(memory::free);
      shared.clear();
      kept.clear();
    }
  }
}
