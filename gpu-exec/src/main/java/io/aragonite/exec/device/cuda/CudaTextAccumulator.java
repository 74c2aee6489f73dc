package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.cuda.CudaConstants.BlockPolicy;
import io.aragonite.exec.device.cuda.CudaConstants.TextFunction;
import io.aragonite.exec.device.cuda.CudaFold.Batch;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Allocator;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * MIN, MAX and ANY_VALUE of strings. Groups keep theirs in a heap of bytes without gaps, in the
 * order of groups. A batch finds the row of each group's best string; if any is better than what is
 * kept, a new heap is made of both.
 */
final class CudaTextAccumulator extends CudaAccumulator {
  private static final KernelFamily FAMILY = KernelFamily.FOLD_TEXT;
  private static final int THREADS = BlockPolicy.THREADS;

  private final AggregateFunction function;
  private final ColumnShape shape;

  /** Groups that {@link #starts} has places for. */
  private int kept;

  /** 64-bit places in the heap, {@link #kept} + 1. */
  private Buffer starts = Buffer.EMPTY;

  private Buffer heap = Buffer.EMPTY;

  CudaTextAccumulator(
      AggregateFunction function, ColumnShape input, DataType type, QueryMemory memory) {
    super(memory, type, true);
    this.function = function;
    this.shape = input.withType(type).withMayBeNull(type.nullable());
  }

  /** Places are made with the heap: groups that have seen nothing have none. */
  @Override
  void grow(ExecContext context, int newCapacity) {}

  private static void launch(CudaStream stream, String name, long items, Object... args) {
    stream.launch(
        stream.gpu().kernel(FAMILY, name), CudaWords.blocks(items, THREADS), THREADS, 0, args);
  }

  @Override
  void fold(
      ExecContext context,
      @Nullable Column values,
      @Nullable Buffer groups,
      @Nullable Buffer mask,
      int count,
      int groupCount) {
    Column column = Objects.requireNonNull(values);
    CudaStream stream = CudaStream.of(context);
    QueryMemory.Arena scratch = context.scratch();
    long mark = scratch.mark();
    try {
      Buffer best = scratch.allocate(4L * groupCount);
      Buffer changed = scratch.allocate(4);
      stream.fill(best.address(), (byte) -1, 4L * groupCount);
      stream.fill(changed.address(), (byte) 0, 4);
      Batch batch = new Batch(column, groups, mask, count, 0, 0, Buffer.EMPTY);
      int number =
          switch (function) {
            case MIN -> TextFunction.MINIMUM;
            case MAX -> TextFunction.MAXIMUM;
            default -> TextFunction.ANY;
          };
      launch(
          stream,
          "ara_text_fold_best",
          count,
          CudaFold.join(
              batch.args(),
              new Object[] {column.offsets(), number, heap, starts, seen, best, changed}));
      if (stream.readInt(changed.address()) != 0) {
        rebuild(context, column.values(), column.offsets(), best, groupCount);
      }
    } finally {
      scratch.release(mark);
    }
  }

  /**
   * Makes a heap of the strings kept and those of a batch.
   *
   * @param best rows of the batch by group, -1 for what is kept; EMPTY if there is no batch
   */
  private void rebuild(
      ExecContext context, Buffer bytes, Buffer offsets, Buffer best, int groupCount) {
    CudaStream stream = CudaStream.of(context);
    Buffer lengths = context.scratch().allocate(4L * groupCount);
    launch(
        stream,
        "ara_text_fold_lengths",
        groupCount,
        offsets,
        best,
        starts,
        seen,
        groupCount,
        lengths);
    Buffer newStarts = memory.allocate(8L * (groupCount + 1L));
    Buffer newHeap = Buffer.EMPTY;
    try {
      long total = context.scan().exclusiveSum(context, lengths, groupCount, newStarts);
      newHeap = memory.allocate(total);
      launch(
          stream,
          "ara_text_fold_copy",
          groupCount,
          bytes,
          offsets,
          best,
          heap,
          starts,
          seen,
          groupCount,
          newStarts,
          newHeap);
    } catch (RuntimeException e) {
      memory.free(newStarts);
      memory.free(newHeap);
      throw e;
    }
    memory.free(starts);
    memory.free(heap);
    starts = newStarts;
    heap = newHeap;
    kept = groupCount;
  }

  @Override
  public Column finish(ExecContext context, int groupCount, Allocator allocator) {
    ensure(context, groupCount);
    CudaStream stream = CudaStream.of(context);
    QueryMemory.Arena scratch = context.scratch();
    long mark = scratch.mark();
    try {
      if (kept != groupCount || starts.address() == 0) {
        rebuild(context, Buffer.EMPTY, Buffer.EMPTY, Buffer.EMPTY, groupCount);
      }
      long total = stream.readLong(starts.address() + 8L * groupCount);
      if (total > Integer.MAX_VALUE) {
        throw new AragoniteException(
            ErrorCode.RESULT_TOO_LARGE,
            function + " over " + groupCount + " groups takes more than 2 GiB of text.");
      }
      Buffer offsets = allocator.allocate(4L * (groupCount + 1L));
      launch(stream, "ara_text_fold_offsets", groupCount + 1L, starts, groupCount + 1, offsets);
      Buffer values = allocator.allocate(total);
      stream.copy(heap.address(), values.address(), total);
      Buffer flags = scratch.allocate(4L * groupCount);
      int missing = context.scan().select(context, seen, groupCount, false, flags);
      Buffer validity =
          missing == 0 ? null : CudaResults.validity(context, seen, groupCount, allocator);
      ColumnShape newShape = validity == null ? shape : shape.withMayBeNull(true);
      return new Column(newShape, groupCount, values, offsets, validity, null);
    } finally {
      scratch.release(mark);
    }
  }

  @Override
  public void close() {
    super.close();
    memory.free(starts);
    memory.free(heap);
    starts = Buffer.EMPTY;
    heap = Buffer.EMPTY;
  }
}
