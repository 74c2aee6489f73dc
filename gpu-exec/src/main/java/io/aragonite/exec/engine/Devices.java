package io.aragonite.exec.engine;

import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.cpu.CpuDevice;
import io.aragonite.exec.device.cpu.CpuExpressionCompiler;
import io.aragonite.exec.device.cuda.CudaDevice;
import io.aragonite.exec.device.cuda.CudaDriver;
import io.aragonite.exec.device.cuda.CudaGpu;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.MemoryBudget;
import java.util.ArrayList;
import java.util.List;

/** Opens devices by name, for calibration, tests and benchmarks, which need no engine. */
public final class Devices {
  private Devices() {}

  /**
   * Opens a device.
   *
   * @param name cpu or cuda (the first GPU)
   * @param threads of the CPU
   * @param hostBytes budget of host memory
   * @throws AragoniteException DEVICE_UNAVAILABLE
   */
  public static Device open(String name, int threads, long hostBytes) {
    return open(name, threads, hostBytes, 0, -1);
  }

  /**
   * As the other, of a device that may use so many bytes of its own memory.
   *
   * @param deviceBytes 0: all that a GPU has free, and of the CPU {@code hostBytes}
   * @param pinnedBytes of host memory that may be page-locked; negative: the device's default
   */
  public static Device open(
      String name, int threads, long hostBytes, long deviceBytes, long pinnedBytes) {
    boolean cpu = name.equals("cpu");
    long bytes = cpu && deviceBytes > 0 ? deviceBytes : hostBytes;
    CpuDevice host =
        new CpuDevice(threads, new MemoryBudget("memory", bytes), new CpuExpressionCompiler());
    if (cpu) {
      return host;
    }
    if (!name.equals("cuda")) {
      throw new AragoniteException(
          ErrorCode.DEVICE_UNAVAILABLE, "There is no device %s; use cpu or cuda.".formatted(name));
    }
    CudaGpu gpu = CudaDriver.get().gpu(0);
    MemoryBudget memory =
        deviceBytes > 0
            ? new MemoryBudget("gpuMemory", deviceBytes)
            : CudaDevice.defaultBudget(gpu);
    return pinnedBytes < 0
        ? new CudaDevice(gpu, memory, host)
        : CudaDevice.withPinned(gpu, memory, host, pinnedBytes);
  }

  /**
   * Opens several devices that share their host.
   *
   * @param name cuda: GPUs from the first on; cpu: devices of a share of the threads each
   */
  public static List<Device> open(String name, int count, int threads, long hostBytes) {
    return open(name, count, threads, hostBytes, -1L);
  }

  /**
   * As the other, with so much page-locked host memory.
   *
   * @param pinnedBytes of the first GPU; negative: the default of all
   */
  public static List<Device> open(
      String name, int count, int threads, long hostBytes, long pinnedBytes) {
    List<Device> devices = new ArrayList<>();
    if (name.equals("cpu")) {
      for (int i = 0; i < count; i++) {
        devices.add(open(name, Math.max(1, threads / count), hostBytes / count));
      }
      return devices;
    }
    devices.add(open(name, threads, hostBytes, 0, pinnedBytes));
    for (int i = 1; i < count; i++) {
      CudaGpu gpu = CudaDriver.get().gpu(i);
      devices.add(new CudaDevice(gpu, CudaDevice.defaultBudget(gpu), devices.getFirst().host()));
    }
    return devices;
  }
}
