package io.aragonite.exec.device.cuda.ptx;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import org.jspecify.annotations.Nullable;

/**
 * What runs kernels, and does around them what is no expression: a GPU's driver, or in tests an
 * interpreter of PTX over host memory.
 */
public interface PtxRunner {
  /**
   * A kernel that an earlier process has made; null if none is kept.
   *
   * @param key what it is made of
   */
  default @Nullable PtxKernel kept(String key) {
    return null;
  }

  /** Whether a kernel would run now; if not, it is being made. */
  default boolean isReady(ExecContext context, PtxKernel kernel) {
    return true;
  }

  /**
   * Runs a kernel for each of {@code rows} rows, one at least.
   *
   * @param args the bits of its arguments
   */
  void run(ExecContext context, PtxKernel kernel, int rows, long[] args);

  /**
   * Row numbers of the bits that are on, ascending.
   *
   * @param bits a bit a row, in 32-bit words
   * @param out room for {@code rows} 32-bit row numbers
   * @return how many
   */
  int positions(ExecContext context, Buffer bits, int rows, Buffer out);

  /**
   * A column of BYTES storage made of texts that lie anywhere on the device.
   *
   * @param addresses of the texts, 64-bit
   * @param lengths in bytes, 32-bit; 0 for nulls
   * @throws io.aragonite.exec.error.AragoniteException RESULT_TOO_LARGE beyond 2 GiB
   */
  Column texts(
      ExecContext context,
      ColumnShape shape,
      int rows,
      Buffer addresses,
      Buffer lengths,
      @Nullable Buffer validity);
}
