package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.cpu.CpuDevice;
import io.aragonite.exec.device.cpu.CpuExpressionCompiler;
import io.aragonite.exec.memory.MemoryBudget;
import org.junit.jupiter.api.Assumptions;

/** What tests that need a GPU (tag {@code gpu}) begin with. */
public final class TestGpu {
  private TestGpu() {}

  /** The first GPU; the test is skipped, with the reason, where there is none. */
  public static CudaGpu require() {
    String missing =
        CudaDriver.kernelsVersion() == 0
            ? "this build has no GPU kernels"
            : CudaDriver.get().missing();
    Assumptions.assumeTrue(missing == null, () -> "no GPU: " + missing);
    return CudaDriver.get().gpu(0);
  }

  /** A device on the first GPU. */
  public static CudaDevice device(long memoryBytes) {
    return new CudaDevice(
        require(),
        new MemoryBudget("gpuMemory", memoryBytes),
        new CpuDevice(4, new MemoryBudget("memory", 2L << 30), new CpuExpressionCompiler()));
  }
}
