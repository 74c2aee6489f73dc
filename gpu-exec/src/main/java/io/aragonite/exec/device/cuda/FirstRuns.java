package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.cuda.ptx.PtxBytecode;
import io.aragonite.exec.device.cuda.ptx.PtxKernel;
import io.aragonite.exec.settings.Toggle;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Whether a kernel of an expression is interpreted while its machine code is being made: where that
 * takes less time than the assembler.
 *
 * @param sms multiprocessors of the GPU
 */
record FirstRuns(int sms) {
  /** What the assembler takes for a kernel at least. */
  private static final double ASSEMBLY_SECONDS = 0.010;

  /** Instructions that a multiprocessor interprets in a second, of a row each. */
  private static final double INSTRUCTIONS_A_SECOND = 1.5e9;

  /** Longer texts take too long to become code that can be interpreted. */
  static final int LONGEST_TEXT = 60_000;

  /**
   * The code to interpret; null if the kernel's machine code is to be waited for.
   *
   * @param isReady whether there is machine code
   */
  @Nullable PtxBytecode interpreted(Toggle setting, PtxKernel kernel, int rows, boolean isReady) {
    if (setting == Toggle.OFF || setting == Toggle.AUTO && isReady) {
      return null;
    }
    if (setting == Toggle.AUTO && kernel.text().length() > LONGEST_TEXT) {
      return null;
    }
    Optional<PtxBytecode> code = kernel.bytecode();
    if (code.isEmpty() || setting == Toggle.ON) {
      return code.orElse(null);
    }
    return seconds(code.get(), rows) < ASSEMBLY_SECONDS ? code.get() : null;
  }

  /** What interpreting takes. */
  double seconds(PtxBytecode code, int rows) {
    return (double) rows * code.steps() / (INSTRUCTIONS_A_SECOND * sms);
  }
}
