package io.aragonite.adapter.engine;

import io.aragonite.adapter.options.ConnectionOptions;
import io.aragonite.adapter.options.ConnectionOptions.DeviceChoice;
import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.DeviceProvider;
import io.aragonite.exec.device.cpu.CpuDevice;
import io.aragonite.exec.device.cpu.CpuExpressionCompiler;
import io.aragonite.exec.device.cuda.CudaDevice;
import io.aragonite.exec.device.cuda.CudaDriver;
import io.aragonite.exec.device.cuda.CudaGpu;
import io.aragonite.exec.engine.DevicePolicy;
import io.aragonite.exec.engine.Engine;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.group.DeviceGroup;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.settings.DefaultDevice;
import io.aragonite.exec.settings.EngineSettings;
import io.aragonite.exec.spill.file.SpillSpace;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes engines over the devices that the property {@code device} names. */
final class EngineFactory {
  private static final Logger LOG = LoggerFactory.getLogger(EngineFactory.class);

  private EngineFactory() {}

  /**
   * The choice with the numbers of the GPUs that {@code cuda} means now: all that work.
   *
   * @throws AragoniteException DEVICE_UNAVAILABLE if there is none, INVALID_PROPERTY if a setting
   *     is wrong
   */
  static DeviceChoice resolve(DeviceChoice wanted) {
    EngineSettings.refresh();
    DefaultDevice usual = EngineSettings.current().defaultDevice();
    DeviceChoice device =
        wanted.kind() == DeviceChoice.DeviceKind.AUTO && usual.name().equals("cuda")
            ? DeviceChoice.ALL
            : wanted;
    if (device.kind() != DeviceChoice.DeviceKind.CUDA) {
      return device;
    }
    if (CudaDriver.kernelsVersion() == 0) {
      throw new AragoniteException(
          ErrorCode.DEVICE_UNAVAILABLE,
          "device=cuda is not available: this build has no GPU kernels, since there was no nvcc"
              + " when it was made; build it where the CUDA toolkit is, or use device=cpu or"
              + " device=auto.");
    }
    CudaDriver driver = CudaDriver.get();
    for (int ordinal : device.ordinals()) {
      CudaGpu gpu = driver.gpu(ordinal);
      if (!gpu.supported()) {
        throw new AragoniteException(
            ErrorCode.DEVICE_UNAVAILABLE,
            "%s (%s) is too old: compute capability 8.0 is needed; use another GPU, or device=cpu."
                .formatted(gpu.name(), gpu.productName()));
      }
    }
    if (!device.ordinals().isEmpty()) {
      return device;
    }
    if (driver.missing() != null) {
      throw new AragoniteException(
          ErrorCode.DEVICE_UNAVAILABLE,
          "device=cuda is not available: %s device=auto uses a GPU where there is one."
              .formatted(driver.missing()));
    }
    List<Integer> working =
        driver.gpus().stream()
            .filter(gpu -> gpu.supported() && !gpu.retired())
            .map(CudaGpu::ordinal)
            .toList();
    if (working.isEmpty()) {
      throw new AragoniteException(
          ErrorCode.DEVICE_FAILED,
          "No GPU of this machine can be used: each is too old or has failed in this process;"
              + " ./aragonite doctor says which. Start the process again, or use device=cpu.");
    }
    return new DeviceChoice(DeviceChoice.DeviceKind.CUDA, working);
  }

  private static @Nullable CudaGpu firstWorking(CudaDriver driver) {
    return driver.gpus().stream()
        .filter(gpu -> gpu.supported() && !gpu.retired())
        .findFirst()
        .orElse(null);
  }

  /**
   * @param device as {@link #resolve} gives it
   */
  @SuppressWarnings("ReferenceEquality")
  static Engine open(
      DeviceChoice device,
      long memoryBytes,
      ConnectionOptions.GpuMemory gpuMemory,
      ConnectionOptions.Spill spill,
      int threads) {
    MemoryBudget memory = new MemoryBudget("memory", memoryBytes);
    CpuDevice cpu =
        new CpuDevice(
            threads,
            memory,
            new CpuExpressionCompiler(),
            new SpillSpace(spill.folder(), spill.limit(), memory));
    return switch (device.kind()) {
      case CPU -> engine(devices(cpu));
      case CUDA -> cuda(device.ordinals(), cpu, gpuMemory);
      case AUTO -> {
        List<Device> devices = devices(cpu);
        yield devices.getFirst() != cpu
                || CudaDriver.kernelsVersion() == 0
                || !CudaDriver.installed()
            ? engine(devices)
            : new Engine(new DevicePolicy(cpu, () -> gpu(cpu, gpuMemory)));
      }
    };
  }

  private static Engine engine(List<Device> devices) {
    return devices.size() == 1
        ? new Engine(devices.getFirst())
        : new Engine(
            new DeviceGroup(devices, EngineSettings.current().defaultDevice().count() > 1));
  }

  /**
   * The GPUs, which share their host; one alone is as it always was. Where the settings want more
   * devices than there are, some are the same GPU, and share its memory.
   */
  private static Engine cuda(
      List<Integer> ordinals, CpuDevice cpu, ConnectionOptions.GpuMemory gpuMemory) {
    List<Device> devices = new ArrayList<>();
    boolean done = false;
    try {
      int least = EngineSettings.current().defaultDevice().count();
      int times = (least - 1) / ordinals.size() + 1;
      for (int i = 0; i < Math.max(ordinals.size(), least); i++) {
        CudaGpu gpu = CudaDriver.get().gpu(ordinals.get(i % ordinals.size()));
        devices.add(new CudaDevice(gpu, budget(gpu, gpuMemory, times), cpu));
      }
      done = true;
      return engine(devices);
    } finally {
      if (!done) {
        devices.forEach(Device::close);
        cpu.close();
      }
    }
  }

  /** Devices of the provider that the settings name; else the host. */
  private static List<Device> devices(CpuDevice host) {
    DefaultDevice usual = EngineSettings.current().defaultDevice();
    for (DeviceProvider provider : ServiceLoader.load(DeviceProvider.class)) {
      if (provider.name().equals(usual.name())) {
        List<Device> devices = new ArrayList<>();
        for (int i = 0; i < usual.count(); i++) {
          devices.add(provider.create(i, host));
        }
        return devices;
      }
    }
    return List.of(host);
  }

  /** The GPU for device=auto; null, with a line in the log, if there is none to use. */
  private static @Nullable Device gpu(CpuDevice cpu, ConnectionOptions.GpuMemory gpuMemory) {
    CudaDriver driver = CudaDriver.get();
    CudaGpu gpu = driver.missing() == null ? firstWorking(driver) : null;
    if (gpu == null) {
      LOG.debug("device=auto is the CPU: {}", driver.missing());
      return null;
    }
    try {
      return new CudaDevice(gpu, budget(gpu, gpuMemory, 1), cpu);
    } catch (AragoniteException e) {
      LOG.warn("device=auto is the CPU: {}", e.getMessage());
      return null;
    }
  }

  /**
   * @param devices that share the GPU's memory
   */
  private static MemoryBudget budget(
      CudaGpu gpu, ConnectionOptions.GpuMemory gpuMemory, int devices) {
    return gpuMemory.bytes() > 0
        ? new MemoryBudget("gpuMemory", gpuMemory.bytes())
        : CudaDevice.defaultBudget(gpu, gpuMemory.share() / devices);
  }
}
