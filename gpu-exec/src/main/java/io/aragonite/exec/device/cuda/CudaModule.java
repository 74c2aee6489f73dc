package io.aragonite.exec.device.cuda;

import java.util.concurrent.ConcurrentHashMap;
import jcuda.driver.CUmodule;
import jcuda.driver.JCudaDriver;

/** Code loaded onto a GPU: a fatbin, a cubin, or PTX text that the driver assembles. */
public final class CudaModule implements AutoCloseable {
  private final CudaGpu gpu;
  private final String name;
  private final CUmodule module = new CUmodule();
  private final ConcurrentHashMap<String, CudaKernel> kernels = new ConcurrentHashMap<>();

  CudaModule(CudaGpu gpu, String name, byte[] image) {
    this.gpu = gpu;
    this.name = name;
    gpu.makeCurrent();
    gpu.check(JCudaDriver.cuModuleLoadData(module, image), "loading the kernels of " + name);
  }

  /** The kernel of that name, which must be there. */
  public CudaKernel kernel(String kernel) {
    return kernels.computeIfAbsent(kernel, this::find);
  }

  private CudaKernel find(String kernel) {
    gpu.makeCurrent();
    CudaKernel.Handle function = new CudaKernel.Handle();
    gpu.check(
        JCudaDriver.cuModuleGetFunction(function, module, kernel),
        "looking for kernel " + kernel + " in " + name);
    return new CudaKernel(gpu, kernel, function);
  }

  /** Unloads the code. None of its kernels may be running or launched any more. */
  @Override
  public void close() {
    if (!gpu.retired()) {
      gpu.makeCurrent();
      gpu.check(JCudaDriver.cuModuleUnload(module), "unloading the kernels of " + name);
    }
  }
}
