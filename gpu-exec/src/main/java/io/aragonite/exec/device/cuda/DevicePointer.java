package io.aragonite.exec.device.cuda;

import jcuda.driver.CUdeviceptr;

/** A device address as JCuda wants it. */
final class DevicePointer extends CUdeviceptr {
  private static final CUdeviceptr NULL = new CUdeviceptr();

  /** To be set by a call that returns memory. */
  DevicePointer() {}

  DevicePointer(long address) {
    super(NULL, address);
  }

  long address() {
    return getNativePointer() + getByteOffset();
  }
}
