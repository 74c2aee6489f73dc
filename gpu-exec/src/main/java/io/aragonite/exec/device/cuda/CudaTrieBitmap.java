package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.TrieBound;
import io.aragonite.exec.device.TrieStep;
import io.aragonite.exec.device.cuda.CudaConstants.BlockPolicy;
import io.aragonite.exec.device.cuda.CudaConstants.TrieBitmapPolicy;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;

/**
 * Counts what lists have in common where they are long: bindings are sorted by the longest of their
 * lists, and blocks try the values of the shortest ones against bitmaps of these in shared memory.
 * agent/trie_bitmap.cuh says how.
 */
final class CudaTrieBitmap {
  private static final KernelFamily FAMILY = KernelFamily.TRIE_BITMAP;
  private static final int THREADS = BlockPolicy.THREADS;

  /** With fewer values to try than this, in all and a binding, sorting is not worth while. */
  private static final int LEAST_VALUES = 1 << 16;

  private static final int LEAST_VALUES_A_BINDING = 12;

  /** Values of a launch: few enough where each is searched for, too. */
  private static final long LAUNCH_VALUES = 1L << 31;

  private CudaTrieBitmap() {}

  /**
   * Whether values of a step are counted so.
   *
   * @param total values that are to be tried
   */
  static boolean suits(TrieStep step, long total) {
    return total >= LEAST_VALUES
        && total / LEAST_VALUES_A_BINDING >= step.bindings()
        && step.sides().size() > 1
        && step.sides().stream().allMatch(side -> side.values() != null && !side.counted())
        && step.bounds().stream().noneMatch(b -> b.kind() == TrieBound.BoundKind.DIFFERENT);
  }

  /**
   * Bindings in the order of the lists that they hold.
   *
   * @param keys the lists, 64-bit
   * @param ids the bindings, 32-bit
   * @param sums of the values that they are to try, 64-bit, one more than bindings
   * @param nodeBits low bits of a key that are a node; the rest is the side
   */
  private record SortedBindings(Buffer keys, Buffer ids, Buffer sums, int nodeBits) {}

  /**
   * Adds to each binding's count how many values all its lists have.
   *
   * @param onDevice the step
   * @param sides as for {@link io.aragonite.exec.device.TrieOps#count}, with firsts and sums
   * @param total the last of the sums
   */
  static void count(
      ExecContext context,
      TrieStep step,
      Buffer onDevice,
      Buffer sides,
      Buffer firsts,
      Buffer sums,
      long total,
      Buffer outCounts) {
    CudaStream stream = CudaStream.of(context);
    long mark = context.scratch().mark();
    SortedBindings sorted = sort(context, step, onDevice, sides, sums);
    for (long from = 0; from < total; from += LAUNCH_VALUES) {
      if (from > 0) {
        stream.sync(); // a kernel that runs cannot be cancelled
      }
      context.checkCancelled();
      long some = Math.min(LAUNCH_VALUES, total - from);
      stream.launch(
          stream.gpu().kernel(FAMILY, "ara_trie_count_held"),
          Math.min((some - 1) / TrieBitmapPolicy.BITMAP_UNIT + 1, 2L * stream.gpu().sms()),
          TrieBitmapPolicy.BITMAP_THREADS,
          TrieBitmapPolicy.BITMAP_BYTES,
          onDevice,
          step.bindings(),
          sorted.nodeBits,
          sides,
          firsts,
          sorted.keys,
          sorted.ids,
          sorted.sums,
          from,
          from + some,
          outCounts);
    }
    context.scratch().release(mark);
  }

  /** In scratch memory. */
  private static SortedBindings sort(
      ExecContext context, TrieStep step, Buffer onDevice, Buffer sides, Buffer sums) {
    CudaStream stream = CudaStream.of(context);
    QueryMemory.Arena scratch = context.scratch();
    int bindings = step.bindings();
    int nodes =
        step.sides().stream().mapToInt(side -> Math.max(1, side.parentSize())).max().orElse(1);
    int nodeBits = bits(nodes - 1);
    Buffer keys = scratch.allocate(8L * bindings);
    Buffer ids = scratch.allocate(4L * bindings);
    Buffer sorted = scratch.allocate(8L * bindings + 8);
    long mark = scratch.mark();
    stream.launch(
        stream.gpu().kernel(FAMILY, "ara_trie_held"),
        stream.gridStride(bindings, THREADS),
        THREADS,
        0,
        onDevice,
        bindings,
        nodeBits,
        sides,
        sums,
        keys);
    context.scan().iota(context, ids, 0, bindings);
    context.sort().sortPairs(context, keys, ids, bindings, 0, nodeBits + bits(step.sides().size()));
    Buffer lengths = scratch.allocate(4L * bindings);
    stream.launch(
        stream.gpu().kernel(FAMILY, "ara_trie_lengths"),
        stream.gridStride(bindings, THREADS),
        THREADS,
        0,
        sums,
        ids,
        bindings,
        lengths);
    context.scan().exclusiveSum(context, lengths, bindings, sorted);
    scratch.release(mark);
    return new SortedBindings(keys, ids, sorted, nodeBits);
  }

  /** Bits of a number that is not negative. */
  private static int bits(int number) {
    return Integer.SIZE - Integer.numberOfLeadingZeros(number);
  }
}
