package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.TrieBound;
import io.aragonite.exec.device.TrieInput;
import io.aragonite.exec.device.TrieStep;
import io.aragonite.exec.device.TrieWeight;
import io.aragonite.exec.device.cuda.CudaConstants.BlockPolicy;
import io.aragonite.exec.device.cuda.CudaConstants.TrieBoundArgs;
import io.aragonite.exec.device.cuda.CudaConstants.TrieSideArgs;
import io.aragonite.exec.device.cuda.CudaConstants.TrieStepArgs;
import io.aragonite.exec.device.cuda.CudaConstants.TrieWeightArgs;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Tries and their intersection: a thread a value that is tried. */
final class CudaTrie {
  private static final KernelFamily FAMILY = KernelFamily.TRIE;
  private static final int THREADS = BlockPolicy.THREADS;

  private CudaTrie() {}

  static int level(
      ExecContext context,
      Buffer words,
      int count,
      int shift,
      int bits,
      int min,
      Buffer outWords,
      Buffer outValues,
      Buffer outStarts) {
    CudaStream stream = CudaStream.of(context);
    long mark = context.scratch().mark();
    Buffer shifted = words;
    if (shift > 0 && count > 0) {
      shifted = context.scratch().allocate(8L * count);
      stream.launch(
          stream.gpu().kernel(FAMILY, "ara_trie_shift"),
          stream.gridStride(count, THREADS),
          THREADS,
          0,
          words,
          count,
          shift,
          shifted);
    }
    int runs = context.sort().runLengthEncode(context, shifted, count, outStarts);
    stream.launch(
        stream.gpu().kernel(FAMILY, "ara_trie_runs"),
        stream.gridStride(runs, THREADS),
        THREADS,
        0,
        shifted,
        outStarts,
        runs,
        (1L << bits) - 1,
        min,
        outWords,
        outValues);
    context.scratch().release(mark);
    return runs;
  }

  static void starts(
      ExecContext context, Buffer words, int count, int shift, int size, Buffer outStarts) {
    CudaStream stream = CudaStream.of(context);
    stream.launch(
        stream.gpu().kernel(FAMILY, "ara_trie_starts"),
        stream.gridStride(size + 1L, THREADS),
        THREADS,
        0,
        words,
        count,
        shift,
        size,
        outStarts);
  }

  static void ranges(
      ExecContext context, TrieStep step, Buffer outSides, Buffer outFirsts, Buffer outCounts) {
    long mark = context.scratch().mark();
    Buffer onDevice = upload(context, step, List.of(), List.of());
    ranges(context, step, onDevice, outSides, outFirsts, outCounts);
    context.scratch().release(mark);
  }

  private static void ranges(
      ExecContext context,
      TrieStep step,
      Buffer onDevice,
      Buffer outSides,
      Buffer outFirsts,
      Buffer outCounts) {
    CudaStream stream = CudaStream.of(context);
    stream.launch(
        stream.gpu().kernel(FAMILY, "ara_trie_ranges"),
        stream.gridStride(step.bindings(), THREADS),
        THREADS,
        0,
        onDevice,
        step.bindings(),
        outSides,
        outFirsts,
        outCounts);
  }

  static int match(
      ExecContext context,
      TrieStep step,
      Buffer sides,
      Buffer firsts,
      Buffer sums,
      long from,
      int candidates,
      Buffer outBindings,
      List<@Nullable Buffer> outPositions,
      @Nullable Buffer outValues) {
    if (candidates == 0) {
      return 0;
    }
    CudaStream stream = CudaStream.of(context);
    QueryMemory.Arena scratch = context.scratch();
    long mark = scratch.mark();
    Buffer bindings = scratch.allocate(4L * candidates);
    Buffer offered = scratch.allocate(4L * candidates);
    CudaHashProbe.expandRanges(
        context, sums, firsts, step.bindings(), from, candidates, bindings, offered);
    Buffer onDevice = upload(context, step, List.of(), outPositions);
    Buffer found = scratch.allocate(8);
    stream.fill(found.address(), (byte) 0, 8);
    stream.launch(
        stream.gpu().kernel(FAMILY, "ara_trie_match" + suffix(step)),
        stream.gridStride(candidates, THREADS),
        THREADS,
        0,
        onDevice,
        sides,
        bindings,
        offered,
        candidates,
        outBindings,
        outValues == null ? Buffer.EMPTY : outValues,
        found);
    int count = stream.readInt(found.address());
    scratch.release(mark);
    return count;
  }

  static long count(
      ExecContext context, TrieStep step, List<TrieWeight> weights, Buffer outCounts) {
    int bindings = step.bindings();
    if (bindings == 0) {
      return 0;
    }
    CudaStream stream = CudaStream.of(context);
    QueryMemory.Arena scratch = context.scratch();
    long mark = scratch.mark();
    Buffer onDevice = upload(context, step, weights, List.of());
    Buffer overflow = scratch.allocate(8);
    stream.fill(overflow.address(), (byte) 0, 8);
    long tried =
        CudaHubBitmap.suits(step)
            ? CudaHubBitmap.count(context, step, onDevice, outCounts, overflow)
            : countValues(context, step, onDevice, outCounts, overflow);
    if (!weights.isEmpty()) {
      stream.launch(
          stream.gpu().kernel(FAMILY, "ara_trie_weigh"),
          stream.gridStride(bindings, THREADS),
          THREADS,
          0,
          onDevice,
          bindings,
          outCounts,
          overflow);
    }
    boolean tooMany = stream.readInt(overflow.address()) != 0;
    scratch.release(mark);
    if (tooMany) {
      throw new AragoniteException(
          ErrorCode.NUMERIC_OVERFLOW,
          "A join has more than 2^63 - 1 rows, which COUNT(*) cannot tell; restrict it.");
    }
    return tried;
  }

  /** The same as {@link #countValues(ExecContext, TrieStep, Buffer, Buffer, Buffer)}. */
  static long countValues(ExecContext context, TrieStep step, Buffer outCounts, Buffer overflow) {
    long mark = context.scratch().mark();
    Buffer onDevice = upload(context, step, List.of(), List.of());
    long tried = countValues(context, step, onDevice, outCounts, overflow);
    context.scratch().release(mark);
    return tried;
  }

  /**
   * Counts by trying values.
   *
   * @param overflow set where a count wraps
   * @return how many are tried
   */
  static long countValues(
      ExecContext context, TrieStep step, Buffer onDevice, Buffer outCounts, Buffer overflow) {
    CudaStream stream = CudaStream.of(context);
    QueryMemory.Arena scratch = context.scratch();
    int bindings = step.bindings();
    long mark = scratch.mark();
    Buffer sides = scratch.allocate(4L * bindings);
    Buffer firsts = scratch.allocate(4L * bindings);
    Buffer counts = scratch.allocate(4L * bindings);
    Buffer sums = scratch.allocate(8L * bindings + 8);
    ranges(context, step, onDevice, sides, firsts, counts);
    long total = context.scan().exclusiveSum(context, counts, bindings, sums);
    stream.fill(outCounts.address(), (byte) 0, 8L * bindings);
    if (CudaTrieBitmap.suits(step, total)) {
      CudaTrieBitmap.count(context, step, onDevice, sides, firsts, sums, total, outCounts);
    } else {
      countEach(context, step, onDevice, sides, firsts, sums, total, outCounts, overflow);
    }
    scratch.release(mark);
    return total;
  }

  /** A thread a value that is tried, wherever its binding's lists are. */
  private static void countEach(
      ExecContext context,
      TrieStep step,
      Buffer onDevice,
      Buffer sides,
      Buffer firsts,
      Buffer sums,
      long total,
      Buffer outCounts,
      Buffer overflow) {
    CudaStream stream = CudaStream.of(context);
    QueryMemory.Arena scratch = context.scratch();
    int bindings = step.bindings();
    int piece = (int) Math.min(total, context.device().properties().batchRows());
    Buffer rows = scratch.allocate(4L * piece);
    Buffer offered = scratch.allocate(4L * piece);
    for (long from = 0; from < total; from += piece) {
      context.checkCancelled();
      int some = (int) Math.min(piece, total - from);
      CudaHashProbe.expandRanges(context, sums, firsts, bindings, from, some, rows, offered);
      stream.launch(
          stream.gpu().kernel(FAMILY, "ara_trie_count" + suffix(step)),
          stream.gridStride(some, THREADS),
          THREADS,
          0,
          onDevice,
          sides,
          rows,
          offered,
          some,
          outCounts,
          overflow);
    }
  }

  /** The kernels for so many sides. */
  private static String suffix(TrieStep step) {
    int sides = step.sides().size();
    return sides <= 3 ? String.valueOf(sides) : "_n";
  }

  private static Buffer upload(
      ExecContext context,
      TrieStep step,
      List<TrieWeight> weights,
      List<@Nullable Buffer> positions) {
    Buffer onDevice = context.scratch().allocate(TrieStepArgs.SIZEOF);
    QueryMemory.Arena hostScratch = context.hostScratch();
    long mark = hostScratch.mark();
    long at = hostScratch.allocate(TrieStepArgs.SIZEOF).address();
    Mem.fill(at, TrieStepArgs.SIZEOF, (byte) 0);
    boolean different =
        step.bounds().stream().anyMatch(bound -> bound.kind() == TrieBound.BoundKind.DIFFERENT);
    Mem.putInt(at + TrieStepArgs.SIDES, step.sides().size());
    Mem.putInt(at + TrieStepArgs.BOUNDS, step.bounds().size());
    Mem.putInt(at + TrieStepArgs.WEIGHTS, weights.size());
    Mem.putInt(at + TrieStepArgs.DIFFERENT, different ? 1 : 0);
    for (int i = 0; i < step.sides().size(); i++) {
      TrieInput side = step.sides().get(i);
      long to = at + TrieStepArgs.SIDE + (long) i * TrieSideArgs.SIZEOF;
      Mem.putLong(to + TrieSideArgs.VALUES, address(side.values()));
      Mem.putLong(to + TrieSideArgs.PARENTS, address(side.parents()));
      Mem.putLong(to + TrieSideArgs.NODES, address(side.nodes()));
      Mem.putLong(to + TrieSideArgs.STARTS, address(side.starts()));
      Mem.putInt(to + TrieSideArgs.MIN, side.min());
      Mem.putInt(to + TrieSideArgs.SIZE, side.size());
      Mem.putInt(to + TrieSideArgs.COUNTED, side.counted() ? 1 : 0);
      Mem.putInt(to + TrieSideArgs.PARENT_SIZE, side.parentSize());
    }
    for (int i = 0; i < step.bounds().size(); i++) {
      TrieBound bound = step.bounds().get(i);
      long to = at + TrieStepArgs.BOUND + (long) i * TrieBoundArgs.SIZEOF;
      Mem.putLong(to + TrieBoundArgs.VALUES, bound.values().address());
      Mem.putLong(to + TrieBoundArgs.KIND, bound.kind().ordinal());
    }
    for (int i = 0; i < weights.size(); i++) {
      long to = at + TrieStepArgs.WEIGHT + (long) i * TrieWeightArgs.SIZEOF;
      Mem.putLong(to + TrieWeightArgs.STARTS, weights.get(i).starts().address());
      Mem.putLong(to + TrieWeightArgs.NODES, weights.get(i).nodes().address());
    }
    for (int i = 0; i < positions.size(); i++) {
      Mem.putLong(at + TrieStepArgs.POSITIONS + 8L * i, address(positions.get(i)));
    }
    context.device().transfers().toDevice(context, at, onDevice, TrieStepArgs.SIZEOF);
    hostScratch.release(mark);
    return onDevice;
  }

  private static long address(@Nullable Buffer buffer) {
    return buffer == null ? 0 : buffer.address();
  }
}
