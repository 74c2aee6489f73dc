package io.aragonite.exec.device.cuda;

import jcuda.driver.CUfunction;
import jcuda.driver.CUfunction_attribute;
import jcuda.driver.JCudaDriver;
import org.jspecify.annotations.Nullable;

/** A kernel of a loaded module. Safe for several threads. */
public final class CudaKernel {
  /** A function whose handle can be read. */
  static final class Handle extends CUfunction {
    long value() {
      return getNativePointer();
    }
  }

  /** More shared memory than this must be asked for. */
  private static final int DEFAULT_SHARED = 48 << 10;

  private static final int LARGE_SHARED = 96 << 10;

  private final CudaGpu gpu;
  private final String name;
  private final Handle function;
  private final int @Nullable [] widths;
  private int allowedShared = DEFAULT_SHARED;

  /**
   * @param name for messages
   */
  CudaKernel(CudaGpu gpu, String name, Handle function) {
    this.gpu = gpu;
    this.name = name;
    this.function = function;
    this.widths = CudaDriverCalls.parameterWidths(function.value());
  }

  public CudaGpu gpu() {
    return gpu;
  }

  public String name() {
    return name;
  }

  Handle function() {
    return function;
  }

  /** Bytes of each parameter; null where the driver is too old to tell. */
  int @Nullable [] widths() {
    return widths;
  }

  /** Makes launches with that much dynamic shared memory possible. */
  synchronized void allowShared(int bytes) {
    if (bytes > allowedShared) {
      gpu.check(
          JCudaDriver.cuFuncSetAttribute(
              function,
              CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
              bytes),
          "giving " + name + " " + bytes + " bytes of shared memory");
      if (bytes >= LARGE_SHARED) {
        // Two blocks are to fit a multiprocessor, which takes all there is from its cache.
        gpu.check(
            JCudaDriver.cuFuncSetAttribute(
                function,
                CUfunction_attribute.CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
                100),
            "giving " + name + " more shared memory than cache");
      }
      allowedShared = bytes;
    }
  }

  @Override
  public String toString() {
    return name;
  }
}
