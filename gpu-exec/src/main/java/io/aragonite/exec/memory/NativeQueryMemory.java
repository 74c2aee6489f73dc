package io.aragonite.exec.memory;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.BlockPool.PooledBlock;
import org.jspecify.annotations.Nullable;

/**
 * An account over memory of one kind: host memory of the C library, or the {@link RawMemory} of a
 * device. Every byte is reserved in the budget before it is taken from the system.
 *
 * <p>A buffer's piece of the heap: alignment, [red zone,] the buffer rounded up to 64 bytes, a
 * spare line of 64 bytes that belongs to the buffer's user as well [, red zone].
 */
public final class NativeQueryMemory extends AccountedQueryMemory<NativeQueryMemory.Allocation> {
  /** How often what others leave is tried for; the system may have less than the budget. */
  private static final int TRIES = 8;

  record Allocation(PooledBlock block, Buffer buffer, MemoryDebug.Origin origin) {}

  private final MemoryBudget budget;
  private final @Nullable BlockPool pool;
  private final RawMemory raw;
  private final MemoryDebug.Origin origin = MemoryDebug.origin();

  /**
   * @param limit bytes that this account may hold at most; 0: as much as the budget has
   */
  public NativeQueryMemory(MemoryBudget budget, long limit) {
    this(budget, limit, null);
  }

  /**
   * @param pool where blocks come from and go to; null for the system alone
   */
  public NativeQueryMemory(MemoryBudget budget, long limit, @Nullable BlockPool pool) {
    this(budget, limit, pool, RawMemory.HOST);
  }

  /**
   * @param pool where blocks come from and go to, of the same kind of memory; null for {@code raw}
   *     alone
   * @param raw the kind of memory; may belong to this query alone (its stream)
   */
  public NativeQueryMemory(
      MemoryBudget budget, long limit, @Nullable BlockPool pool, RawMemory raw) {
    super(new MemoryAccount("", limit));
    this.budget = budget;
    this.raw = raw;
    // Poison and red zones are the better tests the more memory is fresh.
    this.pool = MemoryDebug.ON ? null : pool;
    if (MemoryDebug.ON) {
      MemoryDebug.opened(this);
    }
  }

  MemoryBudget budget() {
    return budget;
  }

  MemoryDebug.Origin origin() {
    return origin;
  }

  @Override
  public Buffer allocateBlock(long bytes) {
    MemoryAccount.requireSize(bytes);
    int zone = MemoryDebug.ON ? MemoryDebug.ZONE : 0;
    long total = raw.rounded(padded(bytes) + LINE + 2L * zone);
    boolean large = raw.hugePages() && total >= NativeHeap.LARGE;
    budget.admit(bytes);
    PooledBlock block = blockOrWay(total, large);
    long alignment = large ? NativeHeap.HUGE_PAGE : LINE;
    long address = (block.raw() + zone + alignment - 1) & -alignment;
    Buffer buffer = new Buffer(address, bytes);
    if (MemoryDebug.ON) {
      MemoryDebug.paintZone(raw, address - zone);
      MemoryDebug.poison(raw, address, padded(bytes));
      MemoryDebug.paintZone(raw, address + padded(bytes));
    }
    return held(buffer, new Allocation(block, buffer, MemoryDebug.origin()));
  }

  /** As {@link #block}; if there is none, the query's own holders give way as long as they can. */
  private PooledBlock blockOrWay(long total, boolean large) {
    int others = 0;
    while (true) {
      try {
        return block(total, large);
      } catch (AragoniteException e) {
        // What other workers have had given up is as good, if they have left some of it.
        if (!account.giveWay(total, e) && (!hasRoom(total) || ++others > TRIES)) {
          throw e;
        }
      }
    }
  }

  @Override
  public void reserve(long bytes) {
    budget.admit(bytes);
    int others = 0;
    while (true) {
      try {
        account.add(bytes);
        try {
          budget.reserve(bytes, "A value of a query");
          return;
        } catch (AragoniteException e) {
          account.remove(bytes);
          throw e;
        }
      } catch (AragoniteException e) {
        if (!account.giveWay(bytes, e) && (!hasRoom(bytes) || ++others > TRIES)) {
          throw e;
        }
      }
    }
  }

  @Override
  public void unreserve(long bytes) {
    account.remove(bytes);
    budget.release(bytes);
  }

  private boolean hasRoom(long total) {
    return total <= account.left() && total <= budget.limit() - budget.used();
  }

  /** A block of the pool or the system, reserved and counted. */
  private PooledBlock block(long total, boolean large) {
    PooledBlock pooled = pool == null || account.closed() ? null : pool.take(total);
    if (pooled != null) {
      try {
        account.add(pooled.total());
      } catch (AragoniteException e) {
        giveBack(pooled);
        throw e;
      }
      return pooled;
    }
    account.add(total);
    try {
      budget.reserve(total, "A query");
    } catch (AragoniteException e) {
      account.remove(total);
      throw e;
    }
    // What aligning to huge pages leaves out is never touched, and so costs no memory.
    long start = raw.allocate(large ? total + NativeHeap.HUGE_PAGE : total);
    if (start == 0) {
      account.remove(total);
      budget.release(total);
      throw new AragoniteException(
          ErrorCode.MEMORY_EXCEEDED,
          "The system has no %,d bytes of memory for a query, although the budget has; set a lower memory="
              .formatted(total));
    }
    if (large) {
      long address = (start + NativeHeap.HUGE_PAGE - 1) & -NativeHeap.HUGE_PAGE;
      NativeHeap.adviseHuge(address, total & -NativeHeap.HUGE_PAGE);
    }
    return new PooledBlock(start, total);
  }

  /** To the pool or the system, which ends or takes over its reservation. */
  private void giveBack(PooledBlock block) {
    if (pool == null) {
      raw.free(block.raw());
      budget.release(block.total());
    } else {
      pool.give(block);
    }
  }

  @Override
  protected void release(Allocation allocation) {
    try {
      if (MemoryDebug.ON) {
        check(allocation);
        MemoryDebug.poison(raw, allocation.buffer.address(), padded(allocation.buffer.size()));
      }
    } finally {
      account.remove(allocation.block.total());
      giveBack(allocation.block);
    }
  }

  RawMemory raw() {
    return raw;
  }

  private void check(Allocation allocation) {
    Buffer buffer = allocation.buffer;
    MemoryDebug.checkZone(
        raw, buffer.address() - MemoryDebug.ZONE, "before", buffer, allocation.origin);
    MemoryDebug.checkZone(
        raw, buffer.address() + padded(buffer.size()), "behind", buffer, allocation.origin);
  }

  @Override
  protected void copy(long from, long to, long bytes) {
    raw.copy(from, to, bytes);
  }

  @Override
  public void fill(Buffer buffer, byte value) {
    if (buffer.size() > 0) {
      raw.fill(buffer.address(), buffer.size(), value);
    }
  }

  @Override
  public Arena newArena() {
    return new BlockArena(this);
  }

  /** Frees all that is held; threads that still allocate get CANCELLED. */
  @Override
  public void close() {
    account.close();
    if (MemoryDebug.ON) {
      MemoryDebug.closed(this);
    }
    RuntimeException error = releaseAll();
    if (error != null) {
      throw error;
    }
  }
}
