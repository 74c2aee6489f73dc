package io.aragonite.exec.device.cuda;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.MemoryBudget;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import jcuda.driver.CUresult;
import jcuda.driver.CUstream;
import jcuda.driver.JCudaDriver;
import org.jspecify.annotations.Nullable;

/**
 * A GPU's memory: every byte is reserved in the budget, then taken from the driver's pool in the
 * order of a stream. What queries free is kept for the next who want as much, within the budget:
 * the driver's calls take several times as long when threads of several GPUs make them, and one in
 * fifty takes up to a millisecond, in which it puts freed pieces together under a new address.
 */
final class CudaMemory {
  /** More blocks than this are not kept of queries that have ended. */
  private static final int MOST_IDLE = 4096;

  /** The stream that waits for none of ours: what nobody uses any more is freed in its order. */
  private static final CUstream NO_ORDER = new CUstream();

  private final CudaGpu gpu;
  private final MemoryBudget budget;

  /** Blocks that no stream has work for: of queries that have ended. */
  private final CudaFreedBlocks idle = new CudaFreedBlocks();

  /** The queries that run, each with blocks that it has freed, which it alone may use again. */
  private final Set<CudaQueryMemory> queries = ConcurrentHashMap.newKeySet();

  /** Bytes of all freed blocks that are kept. */
  private final AtomicLong kept = new AtomicLong();

  /** Bytes that queries hold. */
  private final AtomicLong held = new AtomicLong();

  /** The most of them at a time. */
  private final AtomicLong mostHeld = new AtomicLong();

  CudaMemory(CudaGpu gpu, MemoryBudget budget) {
    this.gpu = gpu;
    this.budget = budget;
  }

  CudaGpu gpu() {
    return gpu;
  }

  MemoryBudget budget() {
    return budget;
  }

  /** Looks again how much there is, if it was less than expected: the other may have gone. */
  void look() {
    if (budget.shortened() && !gpu.retired()) {
      gpu.trimPool();
      budget.setFree(gpu.freeBytes());
    }
  }

  /** A query begins; to be ended by {@link #end}. */
  void begin(CudaQueryMemory query) {
    queries.add(query);
  }

  /** A query's stream has come to its end: what it has freed is anybody's. */
  void end(CudaQueryMemory query) {
    queries.remove(query);
    for (Buffer block : query.freed().close()) {
      if (!idle.put(block)) {
        drop(block, NO_ORDER);
      }
    }
    while (idle.count() > MOST_IDLE) {
      drop(idle.takeOldest(), NO_ORDER);
    }
  }

  /**
   * Memory for a query, in the order of its stream.
   *
   * @throws AragoniteException MEMORY_EXCEEDED if the budget or the GPU does not hold it
   */
  long allocate(CudaQueryMemory query, long bytes) {
    budget.admit(bytes);
    budget.reserve(bytes, "A query");
    mostHeld.accumulateAndGet(held.addAndGet(bytes), Math::max);
    long address = query.freed().take(bytes);
    if (address == 0) {
      address = idle.take(bytes);
    }
    if (address != 0) {
      kept.addAndGet(-bytes);
      return address;
    }
    try {
      return takeReserved(query.stream(), bytes, "A query");
    } catch (AragoniteException e) {
      held.addAndGet(-bytes);
      throw e;
    }
  }

  /** Takes a query's memory back when its stream has come so far. */
  void free(CudaQueryMemory query, Buffer block) {
    held.addAndGet(-block.size());
    if (!gpu.retired()) {
      kept.addAndGet(block.size());
      if (!query.freed().put(block)) {
        drop(block, query.stream().handle());
      }
    }
    budget.release(block.size());
  }

  /**
   * Memory that is not a query's.
   *
   * @param what what for, for the message
   * @throws AragoniteException MEMORY_EXCEEDED if the budget or the GPU does not hold it
   */
  long allocate(CudaStream stream, long bytes, String what) {
    budget.admit(bytes);
    budget.reserve(bytes, what);
    return takeReserved(stream, bytes, what);
  }

  private long takeReserved(CudaStream stream, long bytes, String what) {
    try {
      makeRoom();
      return take(stream, bytes, what);
    } catch (AragoniteException e) {
      budget.release(bytes);
      throw e;
    }
  }

  /** Gives kept blocks back to the driver, those that were freed first, until few enough are. */
  private void makeRoom() {
    while (overfull()) {
      Buffer block = idle.takeOldest();
      if (block == null) {
        break;
      }
      drop(block, NO_ORDER);
    }
    for (CudaQueryMemory query : queries) {
      while (overfull()) {
        Buffer block = query.freed().takeOldest();
        if (block == null) {
          break;
        }
        drop(block, query.stream().handle());
      }
    }
  }

  /**
   * Whether more is kept than the budget has room for, or than queries that come again ask for:
   * blocks of sizes that nobody wants are not to fill the GPU.
   */
  private boolean overfull() {
    return kept.get() > Math.min(2 * mostHeld.get(), budget.limit() - budget.used());
  }

  /** Gives all blocks that are kept back to the driver; returns when they are free for anybody. */
  void dropKept() {
    for (Buffer block : idle.takeAll()) {
      drop(block, NO_ORDER);
    }
    if (!gpu.retired()) {
      gpu.makeCurrent();
      gpu.check(JCudaDriver.cuStreamSynchronize(NO_ORDER), "freeing memory");
    }
    for (CudaQueryMemory query : queries) {
      List<Buffer> blocks = query.freed().takeAll();
      blocks.forEach(block -> drop(block, query.stream().handle()));
      if (!blocks.isEmpty() && !gpu.retired()) {
        query.stream().awaitAll("freeing memory");
      }
    }
  }

  /** Nothing is kept from now on. */
  void close() {
    idle.close().forEach(block -> drop(block, NO_ORDER));
    dropKept();
  }

  private void drop(@Nullable Buffer block, CUstream order) {
    if (block != null) {
      kept.addAndGet(-block.size());
      if (!gpu.retired()) {
        gpu.makeCurrent();
        gpu.check(
            JCudaDriver.cuMemFreeAsync(new DevicePointer(block.address()), order),
            "freeing memory");
      }
    }
  }

  private long take(CudaStream stream, long bytes, String what) {
    DevicePointer address = new DevicePointer();
    gpu.makeCurrent();
    stream.beginStep();
    int result = JCudaDriver.cuMemAllocAsync(address, bytes, stream.handle());
    stream.endStep("allocate");
    if (result == CUresult.CUDA_ERROR_OUT_OF_MEMORY) {
      // What the pool keeps may be in pieces, or be kept by other devices on this GPU.
      stream.sync();
      gpu.trimPool();
      result = JCudaDriver.cuMemAllocAsync(address, bytes, stream.handle());
    }
    if (result == CUresult.CUDA_ERROR_OUT_OF_MEMORY) {
      // Caches may hold what another process has taken from the budget's share.
      gpu.reclaim(bytes);
      gpu.trimPool();
      result = JCudaDriver.cuMemAllocAsync(address, bytes, stream.handle());
    }
    if (result == CUresult.CUDA_ERROR_OUT_OF_MEMORY) {
      long limit = budget.limit();
      // What is decided from now on (what streams, what spills) goes by what there is.
      budget.setFree(gpu.freeBytes() - bytes);
      throw new AragoniteException(
          ErrorCode.MEMORY_EXCEEDED,
          "%s needs %,d bytes of %s, which has %,d bytes free, although the budget of %,d bytes has room for it: another process holds the rest; end that, set a lower gpuMemory=, or use device=cpu"
              .formatted(what, bytes, gpu.name(), gpu.freeBytes(), limit));
    }
    gpu.check(result, "allocating memory");
    return address.address();
  }

  /** Frees memory that is not a query's when the stream has come so far. */
  void free(CudaStream stream, long address, long bytes) {
    budget.release(bytes);
    if (!gpu.retired()) {
      gpu.makeCurrent();
      stream.beginStep();
      gpu.check(
          JCudaDriver.cuMemFreeAsync(new DevicePointer(address), stream.handle()),
          "freeing memory");
      stream.endStep("free");
    }
  }
}
