package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.DeviceUsage;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.MemoryDebug;
import io.aragonite.exec.memory.QueryMemory;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
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
  private final long limit;
  private final AtomicLong used = new AtomicLong();
  private final AtomicLong peak = new AtomicLong();
  private final ConcurrentHashMap<Long, Buffer> allocations = new ConcurrentHashMap<>();
  private final CudaDictionaries dictionaries = new CudaDictionaries(this);
  private volatile boolean closed;
  private volatile @Nullable DeviceUsage total;

  /**
   * @param limit bytes that this account may hold at most; 0: as much as the budget has
   */
  CudaQueryMemory(CudaMemory memory, long limit) {
    this.memory = memory;
    this.limit = limit == 0 ? Long.MAX_VALUE : limit;
    this.stream = memory.gpu().takeStream();
    stream.resetCounters();
  }

  CudaStream stream() {
    return stream;
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
    if (bytes < 0) {
      throw new AragoniteException(
          ErrorCode.INTERNAL, "A buffer of " + bytes + " bytes was asked for.");
    }
    long total = padded(bytes);
    count(total);
    long address;
    try {
      address = memory.allocate(stream, total, "A query");
    } catch (AragoniteException e) {
      used.addAndGet(-total);
      throw e;
    }
    if (MemoryDebug.ON) {
      stream.fill(address, MemoryDebug.POISON, total);
    }
    Buffer buffer = new Buffer(address, bytes);
    allocations.put(address, buffer);
    if (closed) {
      free(buffer);
      throw closedError();
    }
    return buffer;
  }

  private static AragoniteException closedError() {
    return new AragoniteException(
        ErrorCode.CANCELLED, "The query was closed while it was running.");
  }

  /** Counts bytes as held by the query, if it may hold them. */
  private void count(long total) {
    if (closed) {
      throw closedError();
    }
    long now = used.addAndGet(total);
    if (now > limit) {
      used.addAndGet(-total);
      throw new AragoniteException(
          ErrorCode.MEMORY_EXCEEDED,
          "The query needs %,d bytes of %s, but of its limit of %,d bytes %,d are in use; raise memory= or ask for less"
              .formatted(total, memory.gpu().name(), limit, now - total));
    }
    peak.accumulateAndGet(now, Math::max);
  }

  /** Bytes that the query could have without anybody giving way. */
  private long available() {
    MemoryBudget budget = memory.budget();
    return Math.min(limit - used.get(), budget.limit() - budget.used());
  }

  @Override
  public void free(Buffer buffer) {
    if (buffer.address() == 0) {
      return;
    }
    Buffer known = allocations.remove(buffer.address());
    if (known == null) {
      throw new AragoniteException(
          ErrorCode.INTERNAL,
          "A buffer of %,d bytes was freed that this query does not hold (freed twice?)"
              .formatted(buffer.size()));
    }
    release(known);
  }

  private void release(Buffer buffer) {
    long total = padded(buffer.size());
    used.addAndGet(-total);
    if (MemoryDebug.ON && !memory.gpu().retired()) {
      stream.fill(buffer.address(), MemoryDebug.POISON, total);
    }
    memory.free(stream, buffer.address(), total);
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
  public long used() {
    return used.get();
  }

  @Override
  public long peak() {
    return peak.get();
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
    if (closed) {
      return;
    }
    closed = true;
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
    } else {
      stream.sync();
      total = stream.usage();
      memory.gpu().giveBack(stream);
    }
    if (error != null) {
      throw error;
    }
  }
}
