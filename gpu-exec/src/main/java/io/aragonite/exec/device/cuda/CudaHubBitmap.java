package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.TrieBound;
import io.aragonite.exec.device.TrieInput;
import io.aragonite.exec.device.TrieStep;
import io.aragonite.exec.device.cuda.CudaConstants.BlockPolicy;
import io.aragonite.exec.device.cuda.CudaConstants.HubPolicy;
import io.aragonite.exec.device.cuda.CudaConstants.HubWindow;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Counts what lists have in common where many bindings end at a hub of a graph: its list is a row
 * of bits, and so is what the other lists have in common. agent/hub_bitmap.cuh says how. Bindings
 * that do not end at one are counted by trying values.
 */
final class CudaHubBitmap {
  private static final KernelFamily FAMILY = KernelFamily.HUB_BITMAP;
  private static final int THREADS = BlockPolicy.THREADS;

  /** With fewer, looking for hubs and making their rows takes longer than trying values. */
  private static final int LEAST_BINDINGS = 1 << 18;

  private static final int MOST_SIDES = 4;

  /** To read a row takes as long as trying so many values. */
  private static final int LEAST_BITS = 48;

  private static final int GAP_BYTES = 16;

  private CudaHubBitmap() {}

  /** Whether it is worth while to look for hubs. */
  static boolean suits(TrieStep step) {
    int sides = step.sides().size();
    return step.bindings() >= LEAST_BINDINGS
        && sides > 1
        && sides <= MOST_SIDES
        && step.sides().stream().allMatch(CudaHubBitmap::isList)
        && step.bounds().stream().noneMatch(b -> b.kind() == TrieBound.BoundKind.DIFFERENT);
  }

  private static boolean isList(TrieInput side) {
    return side.values() != null && side.parents() != null && !side.counted();
  }

  /**
   * Counts for all bindings.
   *
   * @param onDevice the step
   * @param overflow set where a count wraps
   * @return how many values were tried
   */
  static long count(
      ExecContext context, TrieStep step, Buffer onDevice, Buffer outCounts, Buffer overflow) {
    CudaStream stream = CudaStream.of(context);
    QueryMemory.Arena scratch = context.scratch();
    long mark = scratch.mark();
    Buffer window = scratch.allocate(HubWindow.SIZEOF);
    stream.launch(
        stream.gpu().kernel(FAMILY, "ara_hub_window"),
        1,
        HubPolicy.WINDOW_THREADS,
        0,
        onDevice,
        step.bindings(),
        window);
    long tried;
    if (stream.readInt(window.address() + HubWindow.MEAN_BITS) < LEAST_BITS) {
      tried = CudaTrie.countValues(context, step, onDevice, outCounts, overflow);
    } else {
      Buffer others = scratch.allocate(4L * step.bindings());
      int left = countAtHubs(context, step, onDevice, window, outCounts, others);
      tried = left == 0 ? 0 : countOthers(context, step, others, left, outCounts, overflow);
    }
    scratch.release(mark);
    return tried;
  }

  /**
   * Counts for the bindings that end at a hub.
   *
   * @param outOthers the other bindings, 32-bit, in any order
   * @return how many these are
   */
  private static int countAtHubs(
      ExecContext context,
      TrieStep step,
      Buffer onDevice,
      Buffer window,
      Buffer outCounts,
      Buffer outOthers) {
    CudaStream stream = CudaStream.of(context);
    QueryMemory.Arena scratch = context.scratch();
    long mark = scratch.mark();
    Buffer rows = scratch.allocate((long) HubPolicy.HUBS * HubPolicy.ROW_BYTES);
    Buffer gaps = scratch.allocate((long) HubPolicy.HUBS * GAP_BYTES);
    Buffer others = scratch.allocate(8);
    stream.fill(others.address(), (byte) 0, 8);
    stream.launch(
        stream.gpu().kernel(FAMILY, "ara_hub_rows"),
        HubPolicy.HUBS / BlockPolicy.WARPS,
        THREADS,
        0,
        onDevice,
        window,
        rows,
        gaps);
    stream.launch(
        stream.gpu().kernel(FAMILY, "ara_hub_count" + step.sides().size()),
        stream.gridStride(step.bindings(), THREADS),
        THREADS,
        0,
        onDevice,
        step.bindings(),
        window,
        rows,
        gaps,
        outCounts,
        outOthers,
        others);
    int left = stream.readInt(others.address());
    scratch.release(mark);
    return left;
  }

  /** Counts for some bindings by trying values. */
  private static long countOthers(
      ExecContext context,
      TrieStep step,
      Buffer bindings,
      int count,
      Buffer outCounts,
      Buffer overflow) {
    QueryMemory.Arena scratch = context.scratch();
    Map<Buffer, Buffer> gathered = new IdentityHashMap<>();
    List<TrieInput> sides = new ArrayList<>();
    for (TrieInput side : step.sides()) {
      Buffer nodes =
          gathered(context, Objects.requireNonNull(side.nodes()), bindings, count, gathered);
      sides.add(
          new TrieInput(
              side.values(),
              side.min(),
              side.size(),
              side.parents(),
              side.parentSize(),
              nodes,
              side.starts(),
              side.counted()));
    }
    List<TrieBound> bounds = new ArrayList<>();
    for (TrieBound bound : step.bounds()) {
      Buffer values = gathered(context, bound.values(), bindings, count, gathered);
      bounds.add(new TrieBound(bound.kind(), values));
    }
    Buffer counts = scratch.allocate(8L * count);
    TrieStep others = new TrieStep(sides, bounds, count);
    long tried = CudaTrie.countValues(context, others, counts, overflow);
    context.gather().scatter(context, counts, bindings, count, Long.BYTES, outCounts);
    return tried;
  }

  private static Buffer gathered(
      ExecContext context,
      Buffer values,
      Buffer bindings,
      int count,
      Map<Buffer, Buffer> gathered) {
    return gathered.computeIfAbsent(
        values,
        from -> {
          Buffer out = context.scratch().allocate(4L * count);
          context.gather().gatherIds(context, from, bindings, count, out);
          return out;
        });
  }
}
