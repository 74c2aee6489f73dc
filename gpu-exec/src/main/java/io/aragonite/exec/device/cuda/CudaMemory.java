package io.aragonite.exec.device.cuda;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.MemoryBudget;
import jcuda.driver.CUresult;
import jcuda.driver.JCudaDriver;

/**
 * A GPU's memory: every byte is reserved in the budget, then taken from the driver's pool in the
 * order of a stream. What is freed stays in the pool.
 */
final class CudaMemory {
  private final CudaGpu gpu;
  private final MemoryBudget budget;

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

  /**
   * @param what what for, for the message
   * @throws AragoniteException MEMORY_EXCEEDED if the budget or the GPU does not hold it
   */
  long allocate(CudaStream stream, long bytes, String what) {
    budget.reserve(bytes, what);
    try {
      return take(stream, bytes, what);
    } catch (AragoniteException e) {
      budget.release(bytes);
      throw e;
    }
  }

  private long take(CudaStream stream, long bytes, String what) {
    DevicePointer address = new DevicePointer();
    gpu.makeCurrent();
    stream.beginStep();
    int result = JCudaDriver.cuMemAllocAsync(address, bytes, stream.handle());
    stream.endStep("allocate");
    if (result == CUresult.CUDA_ERROR_OUT_OF_MEMORY) {
      // What other streams freed may not be free before they have come that far; what the pool
      // keeps
      // may be in pieces; caches may hold what another process has taken from the budget's share.
      gpu.reclaim(bytes);
      stream.sync();
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

  /** Frees memory when the stream has come so far. */
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
