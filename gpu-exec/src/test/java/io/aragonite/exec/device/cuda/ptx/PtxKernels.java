package io.aragonite.exec.device.cuda.ptx;

import java.util.List;

/** Kernels of expressions for tests of what runs them. */
public final class PtxKernels {
  private PtxKernels() {}

  /** One that does nothing; each is loaded by itself. */
  public static PtxKernel empty() {
    return new PtxKernel(
        "empty",
        PtxKernel.KernelTexts.ofRow(
            """
            .version 7.0
            .target sm_80
            .address_size 64
            .visible .entry %s() { ret; }
            """
                .formatted(PtxKernel.ENTRY)),
        List.of(),
        null);
  }

  /** One that adds that often. */
  public static PtxKernel ofInstructions(int count) {
    StringBuilder text = new StringBuilder(".visible .entry ara_rows(\n\t.param .u64 a0\n)\n{\n");
    text.append("\tld.param.u64 %rd1, [a0];\n");
    for (int i = 0; i < count; i++) {
      text.append("\tadd.s64 %rd1, %rd1, 1;\n");
    }
    text.append("\tst.global.u64 [%rd1], %rd1;\n\tret;\n}\n");
    return new PtxKernel(
        text.toString(), PtxKernel.KernelTexts.ofRow(text.toString()), List.of(), null);
  }
}
