package io.aragonite.exec.device.cuda;

import jcuda.driver.CUresult;
import jcuda.driver.CUstream;
import jcuda.driver.JCudaDriver;

/**
 * What a stream has of its own as long as the process runs: either all of it or nothing is taken.
 *
 * @param pinned address of page-locked memory, the same for host and GPU
 * @param words address of memory of the GPU that is 0 for what is asked of the stream
 */
record CudaStreamMemory(long pinned, long words) {
  static CudaStreamMemory take(CudaGpu gpu, CUstream stream, long pinnedBytes, long wordBytes) {
    HostPointer pinned = new HostPointer();
    gpu.check(
        JCudaDriver.cuMemHostAlloc(pinned, pinnedBytes, JCudaDriver.CU_MEMHOSTALLOC_DEVICEMAP),
        "allocating pinned memory");
    try {
      return new CudaStreamMemory(pinned.address(), words(gpu, stream, wordBytes));
    } catch (RuntimeException e) {
      if (!gpu.retired()) {
        gpu.makeCurrent();
        JCudaDriver.cuMemFreeHost(pinned);
      }
      throw e;
    }
  }

  private static long words(CudaGpu gpu, CUstream stream, long bytes) {
    // What a refused call leaves in it is no address.
    DevicePointer words = new DevicePointer();
    int result = JCudaDriver.cuMemAlloc(words, bytes);
    if (result == CUresult.CUDA_ERROR_OUT_OF_MEMORY) {
      // The pool keeps what is free, and caches more than they must.
      gpu.reclaim(bytes);
      gpu.trimPool();
      result = JCudaDriver.cuMemAlloc(words, bytes);
    }
    gpu.check(result, "allocating a stream's words");
    // It fails only where the GPU has failed, whose memory nobody frees.
    gpu.check(JCudaDriver.cuMemsetD8Async(words, (byte) 0, bytes, stream), "filling memory");
    return words.address();
  }
}
