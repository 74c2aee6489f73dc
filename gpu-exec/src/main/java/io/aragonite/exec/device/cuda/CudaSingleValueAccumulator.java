package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.Accumulator;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Allocator;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.vector.Column;
import org.jspecify.annotations.Nullable;

/** SINGLE_VALUE: ANY_VALUE that refuses a second row, null or not. */
final class CudaSingleValueAccumulator implements Accumulator {
  private final Accumulator value;
  private final QueryMemory memory;

  /** A 32-bit flag a group: whether it has had its row. */
  private Buffer taken = Buffer.EMPTY;

  private int capacity;

  /**
   * @param value takes the value; closed with this
   */
  CudaSingleValueAccumulator(Accumulator value, QueryMemory memory) {
    this.value = value;
    this.memory = memory;
  }

  @Override
  public void update(
      ExecContext context,
      @Nullable Column values,
      @Nullable Buffer groups,
      @Nullable Buffer mask,
      int count,
      int groupCount) {
    CudaStream stream = CudaStream.of(context);
    int room = Math.max(1, groupCount);
    if (room > capacity) {
      int newCapacity = (int) Math.min(Integer.MAX_VALUE, Math.max(2L * capacity, room));
      taken = memory.grow(taken, 4L * newCapacity);
      stream.fill(taken.address() + 4L * capacity, (byte) 0, 4L * ((long) newCapacity - capacity));
      capacity = newCapacity;
    }
    if (count > 0) {
      take(context, groups, mask, count);
    }
    value.update(context, values, groups, mask, count, groupCount);
  }

  private void take(
      ExecContext context, @Nullable Buffer groups, @Nullable Buffer mask, int count) {
    CudaStream stream = CudaStream.of(context);
    QueryMemory.Arena scratch = context.scratch();
    long mark = scratch.mark();
    try {
      Buffer second = scratch.allocate(4);
      stream.fill(second.address(), (byte) 0, 4);
      CudaResults.launch(
          stream,
          "ara_result_single",
          count,
          groups == null ? Buffer.EMPTY : groups,
          mask == null ? Buffer.EMPTY : mask,
          count,
          taken,
          second);
      if (stream.readInt(second.address()) != 0) {
        throw new AragoniteException(
            ErrorCode.SCALAR_SUBQUERY_ROWS,
            "A scalar subquery returned more than one row; add a condition, an aggregate or LIMIT 1"
                + " to it.");
      }
    } finally {
      scratch.release(mark);
    }
  }

  @Override
  public Column finish(ExecContext context, int groupCount, Allocator allocator) {
    return value.finish(context, groupCount, allocator);
  }

  @Override
  public void close() {
    value.close();
    memory.free(taken);
    taken = Buffer.EMPTY;
  }
}
