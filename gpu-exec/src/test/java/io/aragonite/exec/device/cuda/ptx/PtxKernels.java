package io.aragonite.exec.device.cuda.ptx;

import java.util.List;

/** Kernels of expressions for tests of what runs them. */
public final class PtxKernels {
  private PtxKernels() {}

  /** One that does nothing; each is loaded by itself. */
  public static PtxKernel empty() {
    return new PtxKernel(
        "empty",
        """
        .version 7.0
        .target sm_80
        .address_size 64
        .visible .entry %s() { ret; }
        """
            .formatted(PtxKernel.ENTRY),
        List.of(),
        null);
  }
}
