package io.aragonite.exec.memory;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Blocks of heap memory that a query gave back, kept for the next one: memory fresh from the system
 * must be mapped and zeroed page by page, which for a short query takes longer than its work. What
 * is kept stays reserved in the budget and is freed, the oldest first, when somebody else needs it.
 * Safe for several threads.
 */
public final class BlockPool implements AutoCloseable {
  /** Smaller blocks are left to the C library, which keeps them itself. */
  static final long SMALLEST = 64 << 10;

  /** A larger block serves a request if it is not larger than this many times. */
  private static final double SLACK = 1.25;

  /**
   * @param raw what {@link RawMemory#allocate} returned
   * @param total bytes reserved
   */
  record PooledBlock(long raw, long total) {}

  private final MemoryBudget budget;
  private final long limit;
  private final RawMemory raw;
  private final AutoCloseable registration;

  /** The most recent last. */
  private final List<PooledBlock> blocks = new ArrayList<>();

  private long kept;
  private boolean closed;

  /**
   * @param limit bytes that are kept at most
   */
  public BlockPool(MemoryBudget budget, long limit) {
    this(budget, limit, RawMemory.HOST);
  }

  /**
   * @param raw the kind of memory; not that of one query, and one whose blocks may be used again by
   *     another query as soon as they are given back
   */
  public BlockPool(MemoryBudget budget, long limit, RawMemory raw) {
    this.budget = budget;
    this.raw = raw;
    this.limit = limit;
    this.registration = budget.onShortage(this::reclaim, this::kept);
  }

  private synchronized long kept() {
    return kept;
  }

  /** A block of at least {@code total} bytes, which stays reserved; null if there is none. */
  synchronized @Nullable PooledBlock take(long total) {
    if (total < SMALLEST) {
      return null;
    }
    boolean large = total >= NativeHeap.LARGE;
    for (int i = blocks.size() - 1; i >= 0; i--) {
      PooledBlock block = blocks.get(i);
      if (block.total >= total
          && block.total <= total * SLACK
          && (block.total >= NativeHeap.LARGE) == large) {
        blocks.remove(i);
        kept -= block.total;
        return block;
      }
    }
    return null;
  }

  /** Takes a block over with its reservation, or frees both. */
  synchronized void give(PooledBlock block) {
    if (block.total < SMALLEST || block.total > limit / 2 || closed) {
      free(block);
      return;
    }
    while (kept + block.total > limit) {
      PooledBlock oldest = blocks.remove(0);
      kept -= oldest.total;
      free(oldest);
    }
    blocks.add(block);
    kept += block.total;
  }

  /** Frees a block of the pool or one that is not to come into it. */
  private void free(PooledBlock block) {
    raw.free(block.raw);
    budget.release(block.total);
  }

  private synchronized long reclaim(long bytes) {
    long freed = 0;
    while (freed < bytes && !blocks.isEmpty()) {
      PooledBlock block = blocks.remove(0);
      kept -= block.total;
      freed += block.total;
      free(block);
    }
    return freed;
  }

  /** Frees all that is kept; what comes later is freed at once. */
  @Override
  public synchronized void close() {
    closed = true;
    reclaim(Long.MAX_VALUE);
    try {
      registration.close();
    } catch (Exception e) {
      throw new IllegalStateException("a registration does not throw", e);
    }
  }
}
