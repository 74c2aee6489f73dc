package io.aragonite.exec.device.cuda;

import java.io.IOException;
import jcuda.driver.JCudaDriver;

/**
 * A process that takes nearly all of the first GPU's memory, says {@code held}, and waits for the
 * end of its input.
 */
public final class GpuMemoryHolder {
  /** Bytes that it leaves. */
  private static final long LEFT = 1500L << 20;

  private GpuMemoryHolder() {}

  public static void main(String[] args) throws IOException {
    CudaGpu gpu = CudaDriver.get().gpu(0);
    while (gpu.freeBytes() > LEFT + (256 << 20)) {
      long bytes = Math.min(8L << 30, gpu.freeBytes() - LEFT);
      gpu.check(JCudaDriver.cuMemAlloc(new DevicePointer(), bytes), "holding memory");
    }
    System.out.println("held");
    while (System.in.read() >= 0) {
      Thread.onSpinWait();
    }
  }
}
