package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.DeviceUsage;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.MemoryAccount;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.MemoryDebug;
import io.aragonite.exec.memory.MemoryScope;
import io.aragonite.exec.memory.QueryMemory;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A query's account over a GPU's memory, and with it the query's stream: memory is taken and freed
 * in the order of the query's work, so that a buffer may be freed as soon as its last use is
 * launched.
 */
final class CudaQueryMemory implements QueryMemory {
  /** Allocations are multiples of a line, and have a spare one behind them. */
  static final int LINE = 64;

  private final CudaMemory memory;
  private final CudaStream stream;
  private final MemoryAccount account;
  private final ConcurrentHashMap<Long, Buffer> allocations = new ConcurrentHashMap<>();

  /** What was freed, which may be used again behind all that was asked of the stream before. */
  private final CudaFreedBlocks freed = new CudaFreedBlocks();

  private final CudaDictionaries dictionaries = new CudaDictionaries(this);
  private volatile @Nullable DeviceUsage total;

  /**
   * @param limit bytes that this account may hold at most; 0: as much as the budget has
   */
  CudaQueryMemory(CudaMemory memory, long limit) {
    this.memory = memory;
    this.account = new MemoryAccount(" of " + memory.gpu().name(), limit);
    this.stream = memory.gpu().takeStream(CudaStream.Use.WORK);
    stream.resetCounters();
    memory.begin(this);
  }

  CudaStream stream() {
    return stream;
  }

  CudaFreedBlocks freed() {
    return freed;
  }

  /** The dictionaries that the query has on the GPU. */
  CudaDictionaries dictionaries() {
    return dictionaries;
  }

  /** What the query has done. */
  DeviceUsage usage() {
    DeviceUsage known = total;
    return known == null ? stream.usage() : known;
  }

  static long padded(long bytes) {
    return ((bytes + LINE - 1) & -LINE) + LINE;
  }

  @Override
  public Buffer allocate(long bytes) {
    return account.took(allocateBlock(bytes));
  }

  @Override
  public Buffer allocateBlock(long bytes) {
    MemoryAccount.requireSize(bytes);
    long total = padded(bytes);
    long address = take(total);
    if (MemoryDebug.ON) {
      stream.fill(address, MemoryDebug.POISON, total);
    } else if (MemoryDebug.SLACK) {
      stream.fill(address + bytes, (byte) 0, total - bytes);
    }
    Buffer buffer = new Buffer(address, bytes);
    allocations.put(address, buffer);
    if (account.closed()) {
      free(buffer);
      account.requireOpen();
    }
    return buffer;
  }

  /**
   * Memory of the driver; if there is none, the query's own holders give way as long as they can.
   */
  private long take(long total) {
    while (true) {
      boolean counted = false;
      try {
        account.add(total);
        counted = true;
        return memory.allocate(this, total);
      } catch (AragoniteException e) {
        if (counted) {
          account.remove(total);
        }
        if (!account.giveWay(total, e)) {
          throw e;
        }
      }
    }
  }

  /** Bytes that the query could have without anybody giving way. */
  long available() {
    MemoryBudget budget = memory.budget();
    return Math.min(account.left(), budget.limit() - budget.used());
  }

  @Override
  public void free(Buffer buffer) {
    if (buffer.address() == 0) {
      return;
    }
    account.freed(buffer);
    Buffer known = MemoryAccount.requireHeld(buffer, allocations.remove(buffer.address()));
    release(known);
  }

  private void release(Buffer buffer) {
    long total = padded(buffer.size());
    account.remove(total);
    if (MemoryDebug.ON && !memory.gpu().retired()) {
      stream.fill(buffer.address(), MemoryDebug.POISON, total);
    }
    memory.free(this, new Buffer(buffer.address(), total));
  }

  @Override
  public Buffer grow(Buffer old, long bytes) {
    Buffer grown = allocate(bytes);
    if (old.address() != 0) {
      stream.copy(old.address(), grown.address(), Math.min(old.size(), bytes));
      free(old);
    }
    return grown;
  }

  @Override
  public void fill(Buffer buffer, byte value) {
    stream.fill(buffer.address(), value, buffer.size());
  }

  @Override
  public MemoryScope scope() {
    return account.scope(this::free);
  }

  @Override
  public void onShortage(MemoryBudget.Reclaimer holder) {
    account.onShortage(holder);
  }

  @Override
  public long used() {
    return account.used();
  }

  @Override
  public long peak() {
    return account.peak();
  }

  @Override
  public Arena newArena() {
    return new CudaArena(this, this::available);
  }

  /**
   * Waits for the query's work and frees all that is held; threads that still allocate get
   * CANCELLED.
   */
  @Override
  public void close() {
    if (account.closed()) {
      return;
    }
    account.close();
    RuntimeException error = null;
    for (Long address : allocations.keySet()) {
      Buffer buffer = allocations.remove(address);
      if (buffer != null) {
        try {
          release(buffer);
        } catch (AragoniteException e) {
          error = e;
        }
      }
    }
    if (memory.gpu().retired()) {
      total = stream.usage();
      memory.end(this);
    } else {
      stream.sync();
      total = stream.usage();
      memory.end(this);
      memory.gpu().giveBack(stream);
    }
    if (error != null) {
      throw error;
    }
  }
}
