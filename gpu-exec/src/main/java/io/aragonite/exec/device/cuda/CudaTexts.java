package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.cuda.CudaConstants.MergePathPolicy;
import io.aragonite.exec.device.cuda.CudaConstants.ScanPolicy;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.vector.Column;
import java.util.function.LongSupplier;

/**
 * Texts to be copied: first their new offsets, which tell how many bytes there are, then the bytes.
 */
final class CudaTexts {
  private final Buffer bytes;
  private final Buffer offsets;
  private final Buffer ids;
  private final Buffer bits;
  private final int rows;

  /** The first of the new offsets. */
  private int base;

  /** The first of the old offsets, if all bytes are wanted as they lie. */
  private int first;

  /**
   * @param bytes the bytes of all texts there are
   * @param offsets where each begins, and the end of the last
   * @param ids which ones are wanted, -1 for nulls; EMPTY: all, in order
   * @param bits validity of the texts there are; EMPTY: no nulls
   * @param rows how many are wanted
   */
  CudaTexts(Buffer bytes, Buffer offsets, Buffer ids, Buffer bits, int rows) {
    this.bytes = bytes;
    this.offsets = offsets;
    this.ids = ids;
    this.bits = bits;
    this.rows = rows;
  }

  static CudaTexts of(Column column) {
    Buffer bits = column.validity();
    return new CudaTexts(
        column.values(),
        column.offsets(),
        CudaGather.ids(column),
        bits == null ? Buffer.EMPTY : bits,
        column.rows());
  }

  /** Whether all bytes are wanted as they lie. */
  private boolean plain() {
    return ids.address() == 0 && bits.address() == 0;
  }

  /**
   * Writes the offsets of the wanted texts, rows + 1 of them; nulls have no bytes.
   *
   * @param newBase the first of the new offsets
   * @return the bytes of all; beyond 2^31 - 1 - newBase the offsets are void
   */
  long writeOffsets(ExecContext context, int newBase, Buffer out) {
    return beginOffsets(context, newBase, out).getAsLong();
  }

  /**
   * As {@link #writeOffsets}, without a wait where it can do without.
   *
   * @return what waits for the number of bytes, before {@link #copyBytes}
   */
  LongSupplier beginOffsets(ExecContext context, int newBase, Buffer out) {
    CudaStream stream = CudaStream.of(context);
    base = newBase;
    if (rows == 0) {
      CudaScan.fill(context, out, Integer.BYTES, base, 1);
      return () -> 0;
    }
    if (plain()) {
      int[] ends = CudaWords.ends(context, offsets, rows);
      first = ends[0];
      CudaGather.shiftOffsets(stream, offsets, base - first, rows, out);
      return () -> (long) ends[1] - ends[0];
    }
    long mark = context.scratch().mark();
    CudaLookBack pass = CudaLookBack.of(context, rows, ScanPolicy.COMPUTED_TILE);
    pass.launchShared(
        KernelFamily.SCAN,
        "ara_text_offsets",
        ScanPolicy.COMPUTED_THREADS,
        ScanPolicy.COMPUTED_TILE * ScanPolicy.ROW_BYTES,
        ids,
        bits,
        offsets,
        rows,
        base,
        out);
    context.scratch().release(mark);
    return pass::await;
  }

  /**
   * Copies the bytes of the wanted texts to where the new offsets say.
   *
   * @param outOffsets as {@link #writeOffsets} made them
   * @param total what that returned
   */
  void copyBytes(ExecContext context, Buffer outOffsets, long total, Buffer out) {
    if (total == 0) {
      return;
    }
    CudaStream stream = CudaStream.of(context);
    if (plain()) {
      stream.copy(bytes.address() + first, out.address() + base, total);
      return;
    }
    int tiles = CudaLookBack.blocks(rows + total, MergePathPolicy.TILE);
    long mark = context.scratch().mark();
    Buffer starts = context.scratch().allocate(4L * tiles + 4);
    stream.launch(
        stream.gpu().kernel(KernelFamily.GATHER_TEXT, "ara_text_split"),
        CudaLookBack.blocks(tiles + 1L, CudaLookBack.THREADS),
        CudaLookBack.THREADS,
        0,
        outOffsets,
        rows,
        tiles,
        starts);
    stream.launch(
        stream.gpu().kernel(KernelFamily.GATHER_TEXT, "ara_text_copy"),
        tiles,
        CudaLookBack.THREADS,
        0,
        bytes,
        offsets,
        ids,
        outOffsets,
        rows,
        starts,
        out);
    context.scratch().release(mark);
  }
}
