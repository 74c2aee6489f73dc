package io.aragonite.exec.device.cuda;

import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.RawMemory;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import jcuda.driver.JCudaDriver;

/**
 * Host memory whose large blocks are page-locked as long as a budget of their own lasts, so that
 * the copy engines reach them without staging. Every GPU of the process does. Making a block takes
 * the system a third of a millisecond a megabyte, so whoever uses this keeps blocks ({@link
 * io.aragonite.exec.memory.BlockPool}).
 */
final class CudaPinned implements RawMemory {
  /** Smaller blocks are not worth a call of the driver. */
  static final long SMALLEST = 1 << 20;

  /** Of all page-locked blocks of the process, by address, the bytes. */
  private static final ConcurrentSkipListMap<Long, Long> BLOCKS = new ConcurrentSkipListMap<>();

  private final CudaGpu gpu;
  private final MemoryBudget budget;

  /**
   * @param budget of page-locked memory, besides that of all host memory
   */
  CudaPinned(CudaGpu gpu, MemoryBudget budget) {
    this.gpu = gpu;
    this.budget = budget;
  }

  /** Whether the copy engines can reach bytes of host memory. */
  static boolean holds(long address, long bytes) {
    Map.Entry<Long, Long> block = BLOCKS.floorEntry(address);
    return block != null && address + bytes <= block.getKey() + block.getValue();
  }

  @Override
  public long allocate(long bytes) {
    if (bytes >= SMALLEST && !gpu.retired() && budget.tryReserve(bytes)) {
      gpu.makeCurrent();
      long address = CudaExtras.hostMemory(bytes);
      if (address != 0) {
        BLOCKS.put(address, bytes);
        return address;
      }
      // The system locks no more pages: what follows is slower to copy, and nothing else.
      budget.release(bytes);
    }
    return RawMemory.HOST.allocate(bytes);
  }

  /** Four sizes an octave: locking pages takes longer than what is lost in them. */
  @Override
  public long rounded(long bytes) {
    long step = Long.highestOneBit(Math.max(1, bytes)) / 4;
    return bytes < SMALLEST ? bytes : (bytes + step - 1) / step * step;
  }

  @Override
  public void free(long address) {
    Long bytes = BLOCKS.remove(address);
    if (bytes == null) {
      RawMemory.HOST.free(address);
      return;
    }
    budget.release(bytes);
    if (!gpu.retired()) {
      gpu.makeCurrent();
      gpu.check(JCudaDriver.cuMemFreeHost(new HostPointer(address)), "freeing pinned memory");
    }
  }

  @Override
  public void copy(long from, long to, long bytes) {
    Mem.copy(from, to, bytes);
  }

  @Override
  public void fill(long address, long bytes, byte value) {
    Mem.fill(address, bytes, value);
  }

  @Override
  public long hostView(long address) {
    return address;
  }
}
