package io.aragonite.exec.device.cuda;

import jcuda.Pointer;

/** A host address as JCuda wants it. */
final class HostPointer extends Pointer {
  /** To be set by a call that returns memory. */
  HostPointer() {}

  HostPointer(long address) {
    super(address);
  }

  long address() {
    return getNativePointer() + getByteOffset();
  }
}
