package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.memory.Buffer;

/** The positions of rows that a test passes: select, selectIds, runLengthEncode. */
final class CudaSelect {
  private CudaSelect() {}

  static int select(ExecContext context, Buffer flags, int count, boolean set, Buffer out) {
    return flagged(context, "ara_select", flags, count, set, out);
  }

  static int selectIds(ExecContext context, Buffer ids, int count, boolean matched, Buffer out) {
    return flagged(context, "ara_select_ids", ids, count, matched, out);
  }

  private static int flagged(
      ExecContext context, String kernel, Buffer in, int count, boolean wanted, Buffer out) {
    if (count == 0) {
      return 0;
    }
    long mark = context.scratch().mark();
    CudaPass pass = CudaPass.ofSelect(context, count);
    pass.launchSelect(kernel, count, in, count, wanted ? 0 : 1, out);
    context.scratch().release(mark);
    return (int) pass.await();
  }

  static int runLengthEncode(ExecContext context, Buffer keys, int count, Buffer outStarts) {
    if (count == 0) {
      CudaStream.of(context).fill(outStarts.address(), (byte) 0, Integer.BYTES);
      return 0;
    }
    return runStarts(context, keys, Long.BYTES, count, outStarts);
  }

  /** As runLengthEncode, of at least one key of 8 or of 4 bytes. */
  static int runStarts(
      ExecContext context, Buffer keys, int keyBytes, int count, Buffer outStarts) {
    boolean narrow = keyBytes == Integer.BYTES;
    long mark = context.scratch().mark();
    CudaPass pass = CudaPass.ofSelect(context, count);
    pass.launchSelect(
        narrow ? "ara_run_starts_4" : "ara_run_starts", count, keys, count, outStarts);
    context.scratch().release(mark);
    return (int) pass.await();
  }
}
