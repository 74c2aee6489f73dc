package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.Accumulator;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.cuda.CudaConstants.BlockPolicy;
import io.aragonite.exec.device.cuda.CudaConstants.SegmentedReducePolicy;
import io.aragonite.exec.device.cuda.CudaFold.Batch;
import io.aragonite.exec.device.cuda.CudaFold.State;
import io.aragonite.exec.device.cuda.CudaResults.Groups;
import io.aragonite.exec.memory.Allocator;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reduction of segments: one pass over the rows where a function's state is a few words; else an
 * accumulator whose groups are the segments.
 */
final class CudaSegments {
  private static final KernelFamily FAMILY = KernelFamily.SEGMENTED_REDUCE;
  private static final int THREADS = BlockPolicy.THREADS;

  private static final int WIDE_ITEMS = SegmentedReducePolicy.WIDE_ITEMS;
  private static final int ITEMS = SegmentedReducePolicy.ITEMS;

  /** A block visits all segments that begin in its tile: empty ones must not be too many. */
  private static final int MOST_SEGMENTS_A_ROW = 16;

  /** Functions that segments of few rows have kernels of their own for. */
  private static final Set<CudaFold> SHORT_FOLDS =
      Set.of(CudaFold.COUNT, CudaFold.SUM1, CudaFold.SUM2, CudaFold.SUM_DOUBLE, CudaFold.MAX);

  private CudaSegments() {}

  static Column reduce(
      ExecContext context,
      AggregateFunction function,
      Column values,
      Buffer starts,
      int segments,
      DataType type,
      Allocator allocator) {
    CudaFold fold = fold(function, values.shape(), type, values.rows());
    boolean few = segments <= MOST_SEGMENTS_A_ROW * Math.max(1024L, values.rows());
    QueryMemory.Arena scratch = context.scratch();
    Buffer words = Buffer.EMPTY;
    if (fold != null && few && isResult(function, fold, values.shape(), type)) {
      words = allocator.allocate(8L * segments);
      long mark = scratch.mark();
      boolean right = true;
      if (fold == CudaFold.SUM2) {
        right = boundedSums(context, values, starts, segments, words);
      } else {
        reduce(context, fold, function, values, starts, segments, words, false);
      }
      scratch.release(mark);
      if (right) {
        ColumnShape shape = new ColumnShape(type, Storage.LONG, false, null, null);
        return new Column(shape, segments, words, Buffer.EMPTY, null, null);
      }
    }
    long mark = scratch.mark();
    // What follows must not take the place of a result that lies in scratch memory itself.
    boolean elsewhere = !allocator.equals(scratch);
    try {
      if (fold == null || !few) {
        return accumulate(context, function, values, starts, segments, type, allocator);
      }
      boolean tracksSeen =
          type.nullable()
              && function != AggregateFunction.COUNT
              && function != AggregateFunction.SUM0;
      Buffer low = words.address() == 0 ? scratch.allocate(8L * segments) : words;
      State state = reduce(context, fold, function, values, starts, segments, low, tracksSeen);
      long flip = CudaExactAccumulator.flip(function);
      Groups groups = new Groups(state, segments, flip, false);
      if (fold == CudaFold.COUNT || fold == CudaFold.SUM_DOUBLE) {
        return CudaResults.finish(
            context, CudaWordAccumulator.pending(context, fold, groups, type), allocator);
      }
      boolean sums = CudaAccumulators.isSum(function);
      ColumnShape declared = sums ? ColumnShape.of(type) : values.shape().withType(type);
      return CudaResults.finish(
          context, CudaExactAccumulator.pending(context, groups, sums, declared), allocator);
    } finally {
      if (elsewhere) {
        scratch.release(mark);
      }
    }
  }

  /** The function of segmented_reduce.cu that does it, null if there is none. */
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

  /**
   * Whether states are results as they are: 64 bits that any result fits, and none is null. Of
   * {@link CudaFold#SUM2}, whether they are if all sums turn out to fit.
   */
  private static boolean isResult(
      AggregateFunction function, CudaFold fold, ColumnShape input, DataType type) {
    boolean counts = function == AggregateFunction.COUNT || function == AggregateFunction.SUM0;
    if (type.nullable() && !counts) {
      return false;
    }
    return switch (fold) {
      case COUNT, SUM1, SUM2 ->
          type.kind() == TypeKind.INT64
              || (type.kind() == TypeKind.DECIMAL
                  && type.precision() > DataType.MAX_LONG_PRECISION);
      case MAX -> input.storage() == Storage.LONG && CudaExactAccumulator.flip(function) == 0;
      default -> false;
    };
  }

  /**
   * The states of all segments. What lies between the rows and the segments is for the kernels to
   * find out: they are launched for all rows, without a wait for the segments' ends.
   *
   * @param words room for the first limb of each state
   */
  private static State reduce(
      ExecContext context,
      CudaFold fold,
      AggregateFunction function,
      Column values,
      Buffer starts,
      int segments,
      Buffer words,
      boolean tracksSeen) {
    QueryMemory.Arena scratch = context.scratch();
    Buffer[] limbs = {words, Buffer.EMPTY, Buffer.EMPTY};
    for (int limb = 1; limb < fold.limbs(); limb++) {
      limbs[limb] = scratch.allocate(8L * segments);
    }
    Buffer seen = tracksSeen ? scratch.allocate(segments) : Buffer.EMPTY;
    State state = new State(limbs[0], limbs[1], limbs[2], seen);
    if (segments == 0) {
      return state;
    }
    if (areShort(fold, values, segments)) {
      launchShort(context, fold, function, values, starts, segments, state);
    } else {
      launch(context, fold, fold.kernelName(), function, values, starts, segments, state, null);
    }
    return state;
  }

  /**
   * Sums in 64 bits, though nothing is known of the values before.
   *
   * @return whether they are right: the values' magnitudes, which the same pass finds, times the
   *     rows of the longest segment leave no sum beyond 64 bits
   */
  private static boolean boundedSums(
      ExecContext context, Column values, Buffer starts, int segments, Buffer words) {
    if (segments == 0) {
      return true;
    }
    Buffer bound = context.scratch().allocate(16);
    State state = new State(words, Buffer.EMPTY, Buffer.EMPTY, Buffer.EMPTY);
    AggregateFunction sum = AggregateFunction.SUM;
    launch(context, CudaFold.SUM1, "bounded", sum, values, starts, segments, state, bound);
    long[] found = CudaWords.read(CudaStream.of(context), bound, 2);
    // Up to 2^63, which is the magnitude of the smallest number.
    long magnitude = found[0] + 1;
    long rows = found[1];
    long most = magnitude * rows;
    return Math.unsignedMultiplyHigh(magnitude, rows) == 0 && (most >= 0 || most == Long.MIN_VALUE);
  }

  /** Whether each segment is a thread's, as far as its rows are few. */
  private static boolean areShort(CudaFold fold, Column values, int segments) {
    boolean inOrder = values.rowIds() == null;
    boolean few = values.rows() <= (long) SegmentedReducePolicy.SHORT_MEAN * segments;
    return inOrder && few && SHORT_FOLDS.contains(fold);
  }

  private static void launchShort(
      ExecContext context,
      CudaFold fold,
      AggregateFunction function,
      Column values,
      Buffer starts,
      int segments,
      State state) {
    CudaStream stream = CudaStream.of(context);
    long flip = CudaExactAccumulator.flip(function);
    Batch batch = new Batch(values, null, null, values.rows(), 0, flip, Buffer.EMPTY);
    int room = values.rows() / SegmentedReducePolicy.THREAD_ROWS;
    Buffer counts = context.scratch().allocate(2L * Integer.BYTES);
    Buffer list = context.scratch().allocate((long) Integer.BYTES * room);
    stream.fill(counts.address(), (byte) 0, 2L * Integer.BYTES);
    Object[] args =
        CudaFold.join(
            batch.args(), state.args(), new Object[] {starts, segments, counts, list, room});
    String name = fold.kernelName();
    CudaKernel kernel = stream.gpu().kernel(FAMILY, "ara_segment_short_" + name);
    stream.launch(kernel, CudaWords.blocks(segments, THREADS), THREADS, 0, args);
    if (room > 0) {
      CudaKernel rest = stream.gpu().kernel(FAMILY, "ara_segment_long_" + name);
      int blocks = (int) Math.min(CudaWords.blocks(values.rows(), THREADS), stream.gpu().sms());
      stream.launch(rest, blocks, THREADS, 0, args);
    }
  }

  /**
   * @param kernel its name behind {@code ara_segment_}
   * @param bound two words that the kernel knows a bound of its sums by; null: it has none
   */
  private static void launch(
      ExecContext context,
      CudaFold fold,
      String kernel,
      AggregateFunction function,
      Column values,
      Buffer starts,
      int segments,
      State state,
      @Nullable Buffer bound) {
    CudaStream stream = CudaStream.of(context);
    int rows = values.rows();
    long flip = CudaExactAccumulator.flip(function);
    Batch batch = new Batch(values, null, null, rows, 0, flip, Buffer.EMPTY);
    boolean wide = fold == CudaFold.SUM3;
    int tile = THREADS * (wide ? WIDE_ITEMS : ITEMS);
    // Without rows one tile finds all segments empty.
    int tiles = (int) Math.max(1, CudaWords.blocks(rows, tile));
    Buffer tileSegments = context.scratch().allocate(4L * (tiles + 1));
    stream.launch(
        stream.gpu().kernel(FAMILY, "ara_segment_split"),
        CudaWords.blocks(tiles + 1L, THREADS),
        THREADS,
        0,
        CudaFold.join(
            new Object[] {starts, segments, tile, tiles, tileSegments},
            state.args(),
            new Object[] {CudaExactAccumulator.start(fold), bound == null ? Buffer.EMPTY : bound}));
    Object[] more = {starts, segments, tileSegments};
    stream.launch(
        stream.gpu().kernel(FAMILY, "ara_segment_" + kernel),
        tiles,
        THREADS,
        sharedBytes(fold),
        CudaFold.join(
            batch.args(),
            state.args(),
            bound == null ? more : CudaFold.join(more, new Object[] {bound})));
  }

  /**
   * What a tile takes of shared memory, as Tile in agent/segmented_reduce.cuh: values, marks, and
   * folds' last limbs.
   */
  private static int sharedBytes(CudaFold fold) {
    boolean wide = fold == CudaFold.SUM3;
    int items = wide ? WIDE_ITEMS : ITEMS;
    int valueBytes = wide ? 16 : 8;
    int limbBytes = fold.limbs() * Long.BYTES > valueBytes ? Integer.BYTES : 0;
    return THREADS * ((items + 1) * valueBytes + items + items * limbBytes);
  }

  private static Column accumulate(
      ExecContext context,
      AggregateFunction function,
      Column values,
      Buffer starts,
      int segments,
      DataType type,
      Allocator allocator) {
    QueryMemory.Arena scratch = context.scratch();
    CudaStream stream = CudaStream.of(context);
    int[] ends = CudaWords.ends(context, starts, segments);
    int first = ends[0];
    int end = ends[1];
    try (Accumulator accumulator =
        CudaAccumulators.create(function, values.shape(), type, context.memory())) {
      if (end > first) {
        Buffer groups = scratch.allocate(4L * end);
        stream.launch(
            stream.gpu().kernel(FAMILY, "ara_segment_rows"),
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
          context.scan().iota(context, mask, first, end - first);
        }
        accumulator.update(context, values, groups, mask, end - first, segments);
      }
      return accumulator.finish(context, segments, allocator);
    }
  }
}
