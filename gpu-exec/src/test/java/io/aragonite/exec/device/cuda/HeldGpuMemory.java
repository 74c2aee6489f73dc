package io.aragonite.exec.device.cuda;

import jcuda.driver.CUdeviceptr;
import jcuda.driver.JCudaDriver;

/** Memory of a GPU that is taken beside the pool, as if another process held it. */
public final class HeldGpuMemory implements AutoCloseable {
  private final CudaGpu gpu;
  private final CUdeviceptr held = new CUdeviceptr();

  /**
   * @param left bytes that stay free
   */
  public HeldGpuMemory(CudaDevice device, long left) {
    gpu = device.gpu();
    gpu.trimPool();
    long bytes = gpu.freeBytes() - left;
    gpu.makeCurrent();
    gpu.check(JCudaDriver.cuMemAlloc(held, bytes), "holding memory");
  }

  @Override
  public void close() {
    gpu.makeCurrent();
    gpu.check(JCudaDriver.cuMemFree(held), "giving memory back");
  }
}
