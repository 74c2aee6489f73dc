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
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.type.TypeKind;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reduction of segments: one pass over the rows where a function's state is a few words; else an
 * accumulator whose groups are the segments.
 */
final class CudaSegments {
  private static final String FILE = "segment";
  private static final int THREADS = 256;

  /** Rows of a block, as in segment.cu: of values of 128 bits, and of all others. */
  private static final int WIDE_TILE = 7 * THREADS;

  private static final int TILE = 13 * THREADS;

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
    int[] ends = ends(context, starts, segments);
    int first = ends[0];
    int end = ends[1];
    CudaFold fold = fold(function, values.shape(), type, end - first);
    boolean few = segments <= MOST_SEGMENTS_A_ROW * Math.max(1024L, end - first);
    if (fold != null && few && isResult(function, fold, values.shape(), type)) {
      Buffer out = allocator.allocate(8L * segments);
      State state = emptyState(context, fold, segments, out, false);
      if (end > first) {
        long mark = context.scratch().mark();
        launch(context, fold, batch(function, values, end), state, starts, segments, first);
        context.scratch().release(mark);
      }
      ColumnShape shape = new ColumnShape(type, Storage.LONG, false, null, null);
      return new Column(shape, segments, out, Buffer.EMPTY, null, null);
    }
    QueryMemory.Arena scratch = context.scratch();
    long mark = scratch.mark();
    try {
      if (fold == null || !few) {
        return accumulate(context, function, values, starts, first, end, segments, type, allocator);
      }
      boolean tracksSeen =
          type.nullable()
              && function != AggregateFunction.COUNT
              && function != AggregateFunction.SUM0;
      State state =
          emptyState(context, fold, segments, scratch.allocate(8L * segments), tracksSeen);
      long flip = CudaExactAccumulator.flip(function);
      if (end > first) {
        launch(context, fold, batch(function, values, end), state, starts, segments, first);
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

  /** The first row of all segments, and the one behind the last. */
  private static int[] ends(ExecContext context, Buffer starts, int segments) {
    if (segments == 0) {
      return new int[2];
    }
    QueryMemory.Arena scratch = context.hostScratch();
    long mark = scratch.mark();
    Buffer first = scratch.allocate(Integer.BYTES).slice(0, Integer.BYTES);
    Buffer end = scratch.allocate(Integer.BYTES).slice(0, Integer.BYTES);
    CudaStream.of(context)
        .readAll(List.of(starts, starts.slice(4L * segments, Integer.BYTES)), List.of(first, end));
    int[] ends = {Mem.getInt(first.address()), Mem.getInt(end.address())};
    scratch.release(mark);
    return ends;
  }

  private static Batch batch(AggregateFunction function, Column values, int end) {
    return new Batch(values, null, null, end, 0, CudaExactAccumulator.flip(function), Buffer.EMPTY);
  }

  /** Whether states are results as they are: 64 bits that any result fits, and none is null. */
  private static boolean isResult(
      AggregateFunction function, CudaFold fold, ColumnShape input, DataType type) {
    boolean counts = function == AggregateFunction.COUNT || function == AggregateFunction.SUM0;
    if (type.nullable() && !counts) {
      return false;
    }
    return switch (fold) {
      case COUNT, SUM1 ->
          type.kind() == TypeKind.INT64
              || (type.kind() == TypeKind.DECIMAL
                  && type.precision() > DataType.MAX_LONG_PRECISION);
      case MAX -> input.storage() == Storage.LONG && CudaExactAccumulator.flip(function) == 0;
      default -> false;
    };
  }

  /**
   * @param words the first limb of each state
   */
  private static State emptyState(
      ExecContext context, CudaFold fold, int segments, Buffer words, boolean tracksSeen) {
    CudaStream stream = CudaStream.of(context);
    QueryMemory.Arena scratch = context.scratch();
    Buffer[] limbs = {words, Buffer.EMPTY, Buffer.EMPTY};
    for (int limb = 0; limb < fold.limbs(); limb++) {
      limbs[limb] = limb == 0 ? words : scratch.allocate(8L * segments);
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
    int tile = fold == CudaFold.SUM3 ? WIDE_TILE : TILE;
    int tiles = (int) CudaWords.blocks(batch.count() - first, tile);
    Buffer tileSegments = context.scratch().allocate(4L * (tiles + 1));
    stream.launch(
        stream.gpu().kernel(FILE, "ara_segment_split"),
        CudaWords.blocks(tiles + 1L, THREADS),
        THREADS,
        0,
        starts,
        segments,
        first,
        tile,
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
