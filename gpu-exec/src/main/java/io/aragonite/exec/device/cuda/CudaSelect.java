package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.memory.Buffer;

/** The positions of rows that a test passes: select, selectIds, runLengthEncode. */
final class CudaSelect {
  /** Rows of a tile, as in select.cu. */
  private static final int FLAGS_TILE = 32_768;

  private static final int IDS_TILE = 16_384;
  private static final int KEYS_TILE = 8192;

  private CudaSelect() {}

  static int select(ExecContext context, Buffer flags, int count, boolean set, Buffer out) {
    return flagged(context, "ara_select", FLAGS_TILE, flags, count, set, out);
  }

  static int selectIds(ExecContext context, Buffer ids, int count, boolean matched, Buffer out) {
    return flagged(context, "ara_select_ids", IDS_TILE, ids, count, matched, out);
  }

  private static int flagged(
      ExecContext context,
      String kernel,
      int tile,
      Buffer in,
      int count,
      boolean wanted,
      Buffer out) {
    if (count == 0) {
      return 0;
    }
    long mark = context.scratch().mark();
    CudaPass pass = CudaPass.of(context, count, tile);
    pass.launch("select", kernel, in, count, wanted ? 0 : 1, out);
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
    CudaPass pass = CudaPass.of(context, count, narrow ? 2 * KEYS_TILE : KEYS_TILE);
    pass.launch("select", narrow ? "ara_run_starts_4" : "ara_run_starts", keys, count, outStarts);
    context.scratch().release(mark);
    return (int) pass.await();
  }
}
