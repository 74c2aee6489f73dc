package io.aragonite.exec.bench;

import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.cpu.CpuDevice;
import io.aragonite.exec.device.cpu.CpuExpressionCompiler;
import io.aragonite.exec.device.cuda.CudaDevice;
import io.aragonite.exec.device.cuda.CudaDriver;
import io.aragonite.exec.device.cuda.CudaGpu;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.MemoryBudget;

/** Devices for benchmarks, which need no engine. */
public final class BenchDevices {
  private BenchDevices() {}

  /**
   * Opens a device.
   *
   * @param name cpu or cuda (the first GPU)
   * @param threads of the CPU
   * @param hostBytes budget of host memory
   * @throws AragoniteException DEVICE_UNAVAILABLE
   */
  public static Device open(String name, int threads, long hostBytes) {
    CpuDevice host =
        new CpuDevice(threads, new MemoryBudget("memory", hostBytes), new CpuExpressionCompiler());
    if (name.equals("cpu")) {
      return host;
    }
    if (!name.equals("cuda")) {
      throw new AragoniteException(
          ErrorCode.DEVICE_UNAVAILABLE, "There is no device %s; use cpu or cuda.".formatted(name));
    }
    CudaGpu gpu = CudaDriver.get().gpu(0);
    return new CudaDevice(gpu, CudaDevice.defaultBudget(gpu), host);
  }
}
