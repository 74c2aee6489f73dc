package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.memory.Buffer;

/** Primitives over sorted input: bounds, merge path, expansion. */
final class CudaSearch {
  private static final int THREADS = CudaPass.THREADS;

  /** Needles of a block, as in search.cu. */
  private static final int NEEDLES = 4 * THREADS;

  private CudaSearch() {}

  static void bound(
      ExecContext context,
      Buffer sortedKeys,
      int keyCount,
      Buffer needles,
      int needleCount,
      boolean upper,
      Buffer out) {
    CudaStream stream = CudaStream.of(context);
    stream.launch(
        stream.gpu().kernel("search", "ara_bound"),
        CudaPass.blocks(needleCount, NEEDLES),
        THREADS,
        0,
        sortedKeys,
        keyCount,
        needles,
        needleCount,
        upper ? 1 : 0,
        out);
  }

  static boolean sorted(ExecContext context, Buffer words, int count) {
    CudaStream stream = CudaStream.of(context);
    long mark = context.scratch().mark();
    Buffer falls = context.scratch().allocate(8);
    stream.fill(falls.address(), (byte) 0, 8);
    stream.launch(
        stream.gpu().kernel("search", "ara_falls"),
        stream.gridStride(count, THREADS),
        THREADS,
        0,
        words,
        count,
        falls);
    boolean sorted = stream.readLong(falls.address()) == 0;
    context.scratch().release(mark);
    return sorted;
  }

  static void match(
      ExecContext context,
      Buffer sortedKeys,
      int keyCount,
      Buffer needles,
      int needleCount,
      Buffer outFirsts,
      Buffer outCounts) {
    CudaStream stream = CudaStream.of(context);
    stream.launch(
        stream.gpu().kernel("search", "ara_match_sorted"),
        CudaPass.blocks(needleCount, NEEDLES),
        THREADS,
        0,
        sortedKeys,
        keyCount,
        needles,
        needleCount,
        outFirsts,
        outCounts);
  }

  static void mergePath(
      ExecContext context,
      Buffer left,
      int leftCount,
      Buffer right,
      int rightCount,
      int parts,
      Buffer outLeft) {
    CudaStream stream = CudaStream.of(context);
    long step = parts == 0 ? 0 : ((long) leftCount + rightCount + parts - 1) / parts;
    stream.launch(
        stream.gpu().kernel("search", "ara_merge_path"),
        stream.gridStride(parts + 1L, THREADS),
        THREADS,
        0,
        left,
        leftCount,
        right,
        rightCount,
        parts,
        step,
        outLeft);
  }

  static void expand(
      ExecContext context,
      Buffer sums,
      int count,
      long from,
      int outCount,
      Buffer outRow,
      Buffer outPlace) {
    if (outCount == 0) {
      return;
    }
    CudaStream stream = CudaStream.of(context);
    // How many rows take part is only known on the device: tiles behind the last one are empty.
    int tiles = CudaPass.blocks((long) count + outCount, CudaTexts.SPLIT_TILE);
    long mark = context.scratch().mark();
    Buffer starts = context.scratch().allocate(4L * tiles + 4);
    stream.launch(
        stream.gpu().kernel("search", "ara_expand_split"),
        CudaPass.blocks(tiles + 1L, THREADS),
        THREADS,
        0,
        sums,
        count,
        from,
        outCount,
        tiles,
        starts);
    stream.launch(
        stream.gpu().kernel("search", "ara_expand"),
        tiles,
        THREADS,
        0,
        sums,
        count,
        from,
        outCount,
        starts,
        outRow,
        outPlace);
    context.scratch().release(mark);
  }
}
