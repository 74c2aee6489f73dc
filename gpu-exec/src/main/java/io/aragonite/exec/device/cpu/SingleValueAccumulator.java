package io.aragonite.exec.device.cpu;

import io.aragonite.exec.device.Accumulator;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Allocator;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.vector.Column;
import org.jspecify.annotations.Nullable;

/** SINGLE_VALUE: ANY_VALUE that refuses a second row, null or not. */
final class SingleValueAccumulator implements Accumulator {
  private final Accumulator value;
  private final QueryMemory memory;

  /** A byte a group: whether it has had its row. */
  private Buffer taken = Buffer.EMPTY;

  private int capacity;

  /**
   * @param value takes the value; closed with this
   */
  SingleValueAccumulator(Accumulator value, QueryMemory memory) {
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
    int room = Math.max(1, groupCount);
    if (room > capacity) {
      int newCapacity = (int) Math.min(Integer.MAX_VALUE, Math.max(2L * capacity, room));
      taken = memory.grow(taken, newCapacity);
      Mem.fill(taken.address() + capacity, newCapacity - capacity, (byte) 0);
      capacity = newCapacity;
    }
    for (int i = 0; i < count; i++) {
      int row = mask == null ? i : Mem.getInt(mask.address() + 4L * i);
      int group = groups == null ? 0 : Mem.getInt(groups.address() + 4L * row);
      if (Mem.getByte(taken.address() + group) != 0) {
        throw new AragoniteException(
            ErrorCode.SCALAR_SUBQUERY_ROWS,
            "A scalar subquery returned more than one row; add a condition, an aggregate or LIMIT 1"
                + " to it.");
      }
      Mem.putByte(taken.address() + group, (byte) 1);
    }
    value.update(context, values, groups, mask, count, groupCount);
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
