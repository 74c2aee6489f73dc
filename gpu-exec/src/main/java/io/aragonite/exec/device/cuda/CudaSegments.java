package io.aragonite.exec.device.cuda;

import io.aragonite.exec.column.Column;
import io.aragonite.exec.column.ColumnShape;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.Primitives.Accumulator;
import io.aragonite.exec.device.cuda.CudaFold.Batch;
import io.aragonite.exec.device.cuda.CudaFold.State;
import io.aragonite.exec.device.cuda.CudaResults.Groups;
import io.aragonite.exec.memory.Allocator;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import org.jspecify.annotations.Nullable;

/**
 * Reduction of segments: one pass over the rows where a function's state is a few words; else an
 * accumulator whose groups are the segments.
 */
final class CudaSegments {
  private static final String FILE = "segment";
  private static final int THREADS = 256;

  /** As in segment.cu. */
  private static final int TILE = 7 * THREADS;

  /** A block visits all segments that begin in its tile: empty ones must not be too many. */
  private static final int MOST_SEGMENTS_A_ROW = 16;

  private CudaSegments() {}

  static Column reduce(
      ExecContext context,
      AggregateFunction function,
      Column values,
      Buffer starts,
      int segments,
      DataType type,
      Allocator allocator) {
    CudaStream stream = CudaStream.of(context);
    int first = segments == 0 ? 0 : stream.readInt(starts.address());
    int end = segments == 0 ? 0 : stream.readInt(starts.address() + 4L * segments);
    CudaFold fold = fold(function, values.shape(), type, end - first);
    QueryMemory.Arena scratch = context.scratch();
    long mark = scratch.mark();
    try {
      if (fold == null || segments > MOST_SEGMENTS_A_ROW * Math.max(1024L, end - first)) {
        return accumulate(context, function, values, starts, first, end, segments, type, allocator);
      }
      boolean tracksSeen =
          type.nullable()
              && function != AggregateFunction.COUNT
              && function != AggregateFunction.SUM0;
      State state = emptyState(context, fold, segments, tracksSeen);
      long flip = CudaExactAccumulator.flip(function);
      if (end > first) {
        Batch batch = new Batch(values, null, null, end, 0, flip, Buffer.EMPTY);
        launch(context, fold, batch, state, starts, segments, first);
      }
      Groups groups = new Groups(state, segments, flip, false);
      if (fold == CudaFold.COUNT || fold == CudaFold.SUM_DOUBLE) {
        return CudaWordAccumulator.finish(context, fold, groups, type, allocator);
      }
      boolean sums = CudaAccumulators.isSum(function);
      ColumnShape declared = sums ? ColumnShape.of(type) : values.shape().withType(type);
      return CudaExactAccumulator.finish(context, groups, sums, declared, allocator);
    } finally {
      scratch.release(mark);
    }
  }

  /** The function of segment.cu that does it, null if there is none. */
  private static @Nullable CudaFold fold(
      AggregateFunction function, ColumnShape input, DataType type, int rows) {
    Storage storage = input.storage();
    if (storage == Storage.NONE) {
      return null;
    }
    if (function == AggregateFunction.COUNT) {
      return CudaFold.COUNT;
    }
    if (function == AggregateFunction.SINGLE_VALUE || storage == Storage.BYTES) {
      return null;
    }
    CudaAccumulators.check(function, input, type);
    if (!CudaAccumulators.isSum(function)) {
      return storage == Storage.LONG128 ? null : CudaExactAccumulator.fold(function);
    }
    if (type.kind().isFloat()) {
      return CudaFold.SUM_DOUBLE;
    }
    if (storage == Storage.LONG128) {
      return CudaFold.SUM3;
    }
    long largest = CudaExactAccumulator.magnitude(input);
    boolean fits = Math.multiplyHigh(largest, rows) == 0 && largest * rows >= 0;
    return fits ? CudaFold.SUM1 : CudaFold.SUM2;
  }

  private static State emptyState(
      ExecContext context, CudaFold fold, int segments, boolean tracksSeen) {
    CudaStream stream = CudaStream.of(context);
    QueryMemory.Arena scratch = context.scratch();
    Buffer[] limbs = {Buffer.EMPTY, Buffer.EMPTY, Buffer.EMPTY};
    for (int limb = 0; limb < fold.limbs(); limb++) {
      limbs[limb] = scratch.allocate(8L * segments);
      long start = CudaExactAccumulator.start(fold);
      context.device().primitives().fill(context, limbs[limb], 8, start, segments);
    }
    Buffer seen = Buffer.EMPTY;
    if (tracksSeen) {
      seen = scratch.allocate(segments);
      stream.fill(seen.address(), (byte) 0, segments);
    }
    return new State(limbs[0], limbs[1], limbs[2], seen);
  }

  private static void launch(
      ExecContext context,
      CudaFold fold,
      Batch batch,
      State state,
      Buffer starts,
      int segments,
      int first) {
    CudaStream stream = CudaStream.of(context);
    int tiles = (int) CudaWords.blocks(batch.count() - first, TILE);
    Buffer tileSegments = context.scratch().allocate(4L * (tiles + 1));
    stream.launch(
        stream.gpu().kernel(FILE, "ara_segment_split"),
        CudaWords.blocks(tiles + 1L, THREADS),
        THREADS,
        0,
        starts,
        segments,
        first,
        tiles,
        tileSegments);
    stream.launch(
        stream.gpu().kernel(FILE, "ara_segment_" + fold.kernelName()),
        tiles,
        THREADS,
        0,
        CudaFold.join(batch.args(), state.args(), new Object[] {starts, first, tileSegments}));
  }

  private static Column accumulate(
      ExecContext context,
      AggregateFunction function,
      Column values,
      Buffer starts,
      int first,
      int end,
      int segments,
      DataType type,
      Allocator allocator) {
    QueryMemory.Arena scratch = context.scratch();
    CudaStream stream = CudaStream.of(context);
    try (Accumulator accumulator =
        CudaAccumulators.create(function, values.shape(), type, context.memory())) {
      if (end > first) {
        Buffer groups = scratch.allocate(4L * end);
        stream.launch(
            stream.gpu().kernel(FILE, "ara_segment_rows"),
            CudaWords.blocks(end, THREADS),
            THREADS,
            0,
            starts,
            segments,
            end,
            groups);
        Buffer mask = null;
        if (first != 0 || end != values.rows()) {
          mask = scratch.allocate(4L * (end - first));
          context.device().primitives().iota(context, mask, first, end - first);
        }
        accumulator.update(context, values, groups, mask, end - first, segments);
      }
      return accumulator.finish(context, segments, allocator);
    }
  }
}
