package io.aragonite.exec.device.cuda;

import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.RawMemory;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.LongStream;
import jcuda.driver.CUresult;
import jcuda.driver.JCudaDriver;

/**
 * Host memory whose large blocks are page-locked as long as a budget of their own lasts, so that
 * the copy engines reach them without staging. Every GPU of the process does. Making a block takes
 * the system a third of a millisecond a megabyte, so whoever uses this keeps blocks ({@link
 * io.aragonite.exec.memory.BlockPool}).
 */
final class CudaPinnedMemory implements RawMemory {
  /** Smaller blocks are not worth a call of the driver. */
  static final long SMALLEST = 1 << 20;

  /**
   * The driver's own allocation locks some 2 GB/s, since it clears small pages by one thread. So
   * blocks of some huge pages are the C library's, touched by several threads and locked then.
   */
  private static final long HUGE_PAGE = 2 << 20;

  private static final long LEAST_REGISTERED = 4 * HUGE_PAGE;

  /**
   * A page-locked block.
   *
   * @param heap what is to be freed in the end; 0: the driver's own
   */
  private record Locked(long bytes, long heap) {}

  /** All page-locked blocks of the process, by address. */
  private static final ConcurrentSkipListMap<Long, Locked> BLOCKS = new ConcurrentSkipListMap<>();

  private final CudaGpu gpu;
  private final MemoryBudget budget;

  /**
   * @param budget of page-locked memory, besides that of all host memory
   */
  CudaPinnedMemory(CudaGpu gpu, MemoryBudget budget) {
    this.gpu = gpu;
    this.budget = budget;
  }

  /** Whether the copy engines can reach bytes of host memory. */
  static boolean holds(long address, long bytes) {
    Map.Entry<Long, Locked> block = BLOCKS.floorEntry(address);
    return block != null && address + bytes <= block.getKey() + block.getValue().bytes;
  }

  @Override
  public long allocate(long bytes) {
    if (bytes >= SMALLEST && !gpu.retired() && budget.tryReserve(bytes)) {
      gpu.makeCurrent();
      long registered = gpu.readsRegistered() && bytes >= LEAST_REGISTERED ? register(bytes) : 0;
      if (registered != 0) {
        return registered;
      }
      long address = CudaDriverCalls.hostMemory(bytes);
      if (address != 0) {
        BLOCKS.put(address, new Locked(bytes, 0));
        return address;
      }
      // The system locks no more pages: what follows is slower to copy, and nothing else.
      budget.release(bytes);
    }
    return RawMemory.HOST.allocate(bytes);
  }

  /** A block of huge pages, as far as the system has them; 0 if it cannot be locked. */
  private static long register(long bytes) {
    // What aligning leaves out is never touched, and so costs no memory.
    long heap = RawMemory.HOST.allocate(bytes + HUGE_PAGE);
    if (heap == 0) {
      return 0;
    }
    long address = (heap + HUGE_PAGE - 1) & -HUGE_PAGE;
    RawMemory.adviseHuge(address, bytes & -HUGE_PAGE);
    LongStream.range(0, (bytes + HUGE_PAGE - 1) / HUGE_PAGE)
        .parallel()
        .forEach(page -> Mem.putByte(address + page * HUGE_PAGE, (byte) 0));
    int flags = JCudaDriver.CU_MEMHOSTREGISTER_PORTABLE | JCudaDriver.CU_MEMHOSTREGISTER_DEVICEMAP;
    int result = JCudaDriver.cuMemHostRegister(new HostPointer(address), bytes, flags);
    if (result != CUresult.CUDA_SUCCESS) {
      RawMemory.HOST.free(heap);
      return 0;
    }
    BLOCKS.put(address, new Locked(bytes, heap));
    return address;
  }

  /** Four sizes an octave: locking pages takes longer than what is lost in them. */
  @Override
  public long rounded(long bytes) {
    long step = Long.highestOneBit(Math.max(1, bytes)) / 4;
    return bytes < SMALLEST ? bytes : (bytes + step - 1) / step * step;
  }

  @Override
  public void free(long address) {
    Locked block = BLOCKS.remove(address);
    if (block == null) {
      RawMemory.HOST.free(address);
      return;
    }
    budget.release(block.bytes);
    if (gpu.retired()) {
      return;
    }
    gpu.makeCurrent();
    if (block.heap != 0) {
      gpu.check(JCudaDriver.cuMemHostUnregister(new HostPointer(address)), "unlocking host memory");
      RawMemory.HOST.free(block.heap);
    } else {
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
