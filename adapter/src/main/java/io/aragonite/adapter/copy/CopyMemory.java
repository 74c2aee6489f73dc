package io.aragonite.adapter.copy;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.MemoryReservation;
import io.aragonite.exec.memory.NativeQueryMemory;
import io.aragonite.exec.memory.QueryMemory;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.arrow.memory.AllocationListener;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;

/**
 * What COPY takes of the memory budget beside its query: vectors of rows, and the blocks that are
 * made of them.
 */
public final class CopyMemory implements AutoCloseable {
  /** Bytes of a block, about, where rows are long and memory is not short. */
  private static final long BLOCK_BYTES = 64 << 20;

  private static final long LEAST_BLOCK_BYTES = 1 << 20;

  /** A block takes its rows, what they become, and as much again while they become that. */
  private static final int BLOCK_SHARE = 4;

  private static final int QUERY_SHARE = 4;

  private final QueryMemory memory;
  private final long limit;
  private final VectorAccount account = new VectorAccount();
  private final BufferAllocator allocator = new RootAllocator(account, Long.MAX_VALUE);

  /**
   * @param budget of the host
   */
  public CopyMemory(MemoryBudget budget) {
    this.memory = new NativeQueryMemory(budget, 0);
    this.limit = budget.limit();
  }

  /** For vectors of rows; refuses with MEMORY_EXCEEDED. */
  public BufferAllocator allocator() {
    return allocator;
  }

  /** Bytes of a block, about, where so many are made at a time. */
  long blockBytes(int blocks) {
    return Math.clamp(limit / ((long) BLOCK_SHARE * blocks), LEAST_BLOCK_BYTES, BLOCK_BYTES);
  }

  /**
   * Memory of a block until it is written.
   *
   * @throws AragoniteException MEMORY_EXCEEDED if there is no room
   */
  MemoryReservation reserve(long bytes) {
    return new MemoryReservation(memory, bytes);
  }

  /** Whether so many bytes more are there now, and a share that the query may want meanwhile. */
  boolean hasRoom(long bytes) {
    try (MemoryReservation _ = reserve(bytes + limit / QUERY_SHARE)) {
      return true;
    } catch (AragoniteException e) {
      if (e.code() != ErrorCode.MEMORY_EXCEEDED) {
        throw e;
      }
      return false;
    }
  }

  @Override
  public void close() {
    try {
      allocator.close();
    } finally {
      memory.unreserve(account.held.get());
      memory.close();
    }
  }

  /** Counts vectors. */
  private final class VectorAccount implements AllocationListener {
    private final AtomicLong held = new AtomicLong();

    @Override
    public void onPreAllocation(long bytes) {
      memory.reserve(bytes);
      held.addAndGet(bytes);
    }

    @Override
    public void onRelease(long bytes) {
      held.addAndGet(-bytes);
      memory.unreserve(bytes);
    }
  }
}
