package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.cuda.CudaFold.Batch;
import io.aragonite.exec.device.cuda.CudaFold.State;
import io.aragonite.exec.device.cuda.CudaResults.Groups;
import io.aragonite.exec.device.cuda.CudaResults.Pending;
import io.aragonite.exec.memory.Allocator;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.RowIds;
import org.jspecify.annotations.Nullable;

/**
 * What has one 64-bit word a group that starts at 0: COUNT of rows or of values, and SUM of floats,
 * in doubles, whose order of additions is not specified.
 */
final class CudaWordAccumulator extends CudaAccumulator {
  private final CudaFold fold;
  private Buffer words = Buffer.EMPTY;

  /**
   * @param fold COUNT or SUM_DOUBLE
   */
  CudaWordAccumulator(CudaFold fold, DataType type, boolean tracksSeen, QueryMemory memory) {
    super(memory, type, tracksSeen);
    this.fold = fold;
  }

  @Override
  void grow(ExecContext context, int newCapacity) {
    words = growWords(context, words, newCapacity, 0);
  }

  private State state() {
    return new State(words, Buffer.EMPTY, Buffer.EMPTY, seen);
  }

  @Override
  void fold(
      ExecContext context,
      @Nullable Column values,
      @Nullable Buffer groups,
      @Nullable Buffer mask,
      int count,
      int groupCount) {
    if (fold == CudaFold.COUNT && groups == null && (values == null || !mayBeNull(values))) {
      CudaResults.launch(CudaStream.of(context), "ara_result_add", 1, words, (long) count);
      return;
    }
    Batch batch = new Batch(values, groups, mask, count, 0, 0, Buffer.EMPTY);
    fold.launch(context, batch, state(), groupCount);
  }

  private static boolean mayBeNull(Column values) {
    RowIds rowIds = values.rowIds();
    return values.validity() != null || rowIds != null && rowIds.mayBeNull();
  }

  @Override
  public Column finish(ExecContext context, int groupCount, Allocator allocator) {
    return CudaResults.finish(context, pending(context, groupCount, false), allocator);
  }

  @Override
  Pending pending(ExecContext context, int groupCount, boolean part) {
    ensure(context, groupCount);
    return pending(context, fold, new Groups(state(), groupCount, 0, false), type);
  }

  /** The results of such states, when they have been looked at. */
  static Pending pending(ExecContext context, CudaFold fold, Groups groups, DataType type) {
    ColumnShape shape = ColumnShape.of(type);
    return new Pending(
        groups,
        null,
        (findings, allocator) -> {
          if (fold == CudaFold.COUNT) {
            ColumnShape counts = shape.withMayBeNull(false);
            return CudaResults.integers(context, groups, counts, null, findings, allocator);
          }
          Buffer validity = CudaResults.validity(context, groups, findings, allocator);
          return CudaResults.floats(context, groups, shape, validity, false, allocator);
        });
  }

  @Override
  public void close() {
    super.close();
    memory.free(words);
    words = Buffer.EMPTY;
  }
}
