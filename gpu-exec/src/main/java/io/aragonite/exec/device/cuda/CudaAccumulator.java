package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.Accumulator;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import org.jspecify.annotations.Nullable;

/**
 * What accumulators share: growing with the number of groups, and knowing which groups have seen a
 * value. The latter is only kept where the result may be null; a result type without nulls is the
 * planner's promise that each group has a value.
 */
abstract class CudaAccumulator implements Accumulator {
  private static final int FIRST = 64;

  final QueryMemory memory;
  final DataType type;
  final boolean tracksSeen;

  /** Groups that there is room for, a multiple of 64. */
  int capacity;

  /** A byte a group: whether it has seen a value; EMPTY if nobody wants to know. */
  Buffer seen = Buffer.EMPTY;

  CudaAccumulator(QueryMemory memory, DataType type, boolean tracksSeen) {
    this.memory = memory;
    this.type = type;
    this.tracksSeen = tracksSeen;
  }

  @Override
  public final void update(
      ExecContext context,
      @Nullable Column values,
      @Nullable Buffer groups,
      @Nullable Buffer mask,
      int count,
      int groupCount) {
    ensure(context, groupCount);
    boolean allNull = values != null && values.shape().storage() == Storage.NONE;
    if (count > 0 && !allNull) {
      fold(context, values, groups, mask, count, Math.max(1, groupCount));
    }
  }

  /** Takes in a batch of at least one row; there is room for all groups. */
  abstract void fold(
      ExecContext context,
      @Nullable Column values,
      @Nullable Buffer groups,
      @Nullable Buffer mask,
      int count,
      int groupCount);

  /**
   * The groups, if a column is made of them after a look; null if the accumulator makes it itself.
   *
   * @param part whether for {@link #finishPart}
   */
  CudaResults.@Nullable Pending pending(ExecContext context, int groupCount, boolean part) {
    return null;
  }

  /** Makes room for groups from {@link #capacity} to {@code newCapacity}; they start empty. */
  abstract void grow(ExecContext context, int newCapacity);

  final void ensure(ExecContext context, int groupCount) {
    if (groupCount <= capacity && capacity > 0) {
      return;
    }
    long wanted = Math.max(FIRST, Math.max(2L * capacity, groupCount));
    int newCapacity = (int) Math.min(Integer.MAX_VALUE - 63, (wanted + 63) & -64);
    grow(context, newCapacity);
    if (tracksSeen) {
      seen = memory.grow(seen, newCapacity);
      CudaStream.of(context)
          .fill(seen.address() + capacity, (byte) 0, (long) newCapacity - capacity);
    }
    capacity = newCapacity;
  }

  /** Room for a 64-bit word a group; the groups from {@link #capacity} on are {@code start}. */
  final Buffer growWords(ExecContext context, Buffer words, int newCapacity, long start) {
    Buffer grown = memory.grow(words, 8L * newCapacity);
    int more = newCapacity - capacity;
    context.scan().fill(context, grown.slice(8L * capacity, 8L * more), 8, start, more);
    return grown;
  }

  @Override
  public void close() {
    memory.free(seen);
    seen = Buffer.EMPTY;
  }
}
