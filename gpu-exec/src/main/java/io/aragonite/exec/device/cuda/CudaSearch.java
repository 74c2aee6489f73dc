package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.cuda.CudaConstants.MergePathPolicy;
import io.aragonite.exec.device.cuda.CudaConstants.SearchPolicy;
import io.aragonite.exec.memory.Buffer;

/** Operations on sorted input: bounds, merge path, expansion. */
final class CudaSearch {
  private static final int THREADS = CudaLookBack.THREADS;

  /** Needles of a block. */
  private static final int NEEDLES = SearchPolicy.NEEDLES * THREADS;

  /** Fewer keys lie in the cache, where a search of them is quick. */
  private static final int SAMPLED_KEYS = 1 << 20;

  /** Needles whose order is taken for that of all. */
  private static final int NEEDLES_ASKED = 1 << 16;

  /** Keys of the last level of samples, which is in shared memory. */
  private static final int TOP_KEYS = 4096;

  private static final int TREE_THREADS = SearchPolicy.TREE_THREADS;

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
    boolean aligned = (sortedKeys.address() & 15) == 0;
    if (aligned
        && keyCount >= SAMPLED_KEYS
        && needleCount >= keyCount / 8
        && !sorted(context, needles, Math.min(needleCount, NEEDLES_ASKED))) {
      boundBySamples(context, sortedKeys, keyCount, needles, needleCount, upper, out);
      return;
    }
    stream.launch(
        stream.gpu().kernel(KernelFamily.SEARCH, "ara_bound"),
        CudaLookBack.blocks(needleCount, NEEDLES),
        THREADS,
        0,
        sortedKeys,
        keyCount,
        needles,
        needleCount,
        upper ? 1 : 0,
        out);
  }

  private static void boundBySamples(
      ExecContext context,
      Buffer sortedKeys,
      int keyCount,
      Buffer needles,
      int needleCount,
      boolean upper,
      Buffer out) {
    CudaStream stream = CudaStream.of(context);
    int levels = 0;
    long words = 0;
    int topCount = keyCount;
    while (topCount > TOP_KEYS) {
      topCount = (topCount + 7) / 8;
      words += (topCount + 7L) / 8 * 8;
      levels++;
    }
    long mark = context.scratch().mark();
    Buffer samples = context.scratch().allocate(8 * words);
    stream.launch(
        stream.gpu().kernel(KernelFamily.SEARCH, "ara_bound_samples"),
        stream.gridStride(keyCount / 8, THREADS),
        THREADS,
        0,
        sortedKeys,
        keyCount,
        levels,
        samples);
    stream.launch(
        stream.gpu().kernel(KernelFamily.SEARCH, "ara_bound_by_samples"),
        Math.min(2L * stream.gpu().sms(), CudaLookBack.blocks(needleCount, TREE_THREADS)),
        TREE_THREADS,
        8 * topCount,
        sortedKeys,
        keyCount,
        samples,
        levels,
        topCount,
        needles,
        needleCount,
        upper ? 1 : 0,
        out);
    context.scratch().release(mark);
  }

  static boolean sorted(ExecContext context, Buffer words, int count) {
    CudaStream stream = CudaStream.of(context);
    long mark = context.scratch().mark();
    Buffer falls = context.scratch().allocate(8);
    stream.fill(falls.address(), (byte) 0, 8);
    stream.launch(
        stream.gpu().kernel(KernelFamily.SEARCH, "ara_falls"),
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
        stream.gpu().kernel(KernelFamily.SEARCH, "ara_match_sorted"),
        CudaLookBack.blocks(needleCount, NEEDLES),
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
        stream.gpu().kernel(KernelFamily.SEARCH, "ara_merge_path"),
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
    int tiles = CudaLookBack.blocks((long) count + outCount, MergePathPolicy.TILE);
    long mark = context.scratch().mark();
    Buffer starts = context.scratch().allocate(4L * tiles + 4);
    stream.launch(
        stream.gpu().kernel(KernelFamily.SEARCH, "ara_expand_split"),
        CudaLookBack.blocks(tiles + 1L, THREADS),
        THREADS,
        0,
        sums,
        count,
        from,
        outCount,
        tiles,
        starts);
    stream.launch(
        stream.gpu().kernel(KernelFamily.SEARCH, "ara_expand"),
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
