package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.DeviceUsage;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.memory.AccountedQueryMemory;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.MemoryAccount;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.MemoryDebug;
import org.jspecify.annotations.Nullable;

/**
 * A query's account over a GPU's memory, and with it the query's stream: memory is taken and freed
 * in the order of the query's work, so that a buffer may be freed as soon as its last use is
 * launched.
 */
final class CudaQueryMemory extends AccountedQueryMemory<Buffer> {
  private final CudaMemory memory;
  private final CudaStream stream;

  /** What was freed, which may be used again behind all that was asked of the stream before. */
  private final CudaFreedBlocks freed = new CudaFreedBlocks();

  private final CudaDictionaries dictionaries = new CudaDictionaries(this);
  private volatile @Nullable DeviceUsage total;

  /**
   * @param limit bytes that this account may hold at most; 0: as much as the budget has
   */
  CudaQueryMemory(CudaMemory memory, long limit) {
    super(new MemoryAccount(" of " + memory.gpu().name(), limit));
    this.memory = memory;
    this.stream = memory.gpu().takeStream(CudaStream.StreamUse.WORK);
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
    return held(buffer, buffer);
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
  protected void release(Buffer buffer) {
    long total = padded(buffer.size());
    account.remove(total);
    if (MemoryDebug.ON && !memory.gpu().retired()) {
      stream.fill(buffer.address(), MemoryDebug.POISON, total);
    }
    memory.free(this, new Buffer(buffer.address(), total));
  }

  @Override
  protected void copy(long from, long to, long bytes) {
    stream.copy(from, to, bytes);
  }

  @Override
  public void fill(Buffer buffer, byte value) {
    stream.fill(buffer.address(), value, buffer.size());
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
    RuntimeException error = releaseAll();
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
