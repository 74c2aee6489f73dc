package io.aragonite.exec.device.cpu;

import io.aragonite.exec.device.Accumulator;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.memory.Allocator;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.RowIds;
import org.jspecify.annotations.Nullable;

/**
 * What accumulators share: growing with the number of groups, and knowing which groups have seen a
 * value. The latter is only kept where the result may be null; a result type without nulls is the
 * planner's promise that each group has a value.
 */
abstract class CpuAccumulator implements Accumulator {
  private static final int FIRST = 16;

  /** Rows taken in at once, a multiple of 64. */
  private static final int PIECE = 1 << 14;

  final QueryMemory memory;
  final DataType type;

  /** Groups that there is room for. */
  int capacity;

  /** A byte a group: whether it has seen a value; EMPTY if nobody wants to know. */
  private Buffer seen = Buffer.EMPTY;

  private final boolean tracksSeen;

  CpuAccumulator(QueryMemory memory, DataType type, boolean tracksSeen) {
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
    ensure(groupCount);
    // Partial results of other workers come in one piece: take it in pieces that stay in cache.
    for (int from = 0; from < count; from += PIECE) {
      int rows = Math.min(PIECE, count - from);
      if (from > 0) {
        context.checkCancelled();
      }
      long mark = context.scratch().mark();
      try {
        if (rows == count) {
          add(context, values, groups, mask, count, groupCount);
        } else if (mask != null) {
          add(context, values, groups, ints(mask, from, rows), rows, groupCount);
        } else {
          Column piece = values == null ? null : piece(values, from, rows);
          Buffer numbers = groups == null ? null : ints(groups, from, rows);
          add(context, piece, numbers, null, rows, groupCount);
        }
      } finally {
        context.scratch().release(mark);
      }
    }
  }

  private static Buffer ints(Buffer buffer, int from, int count) {
    return buffer.slice(4L * from, 4L * count);
  }

  private static Column piece(Column column, int from, int count) {
    RowIds rowIds = column.rowIds();
    return rowIds == null
        ? column.slice(from, count)
        : column.withRowIds(new RowIds(ints(rowIds.ids(), from, count), count, rowIds.mayBeNull()));
  }

  /** Takes in a batch; there is room for all groups. */
  void add(
      ExecContext context,
      @Nullable Column values,
      @Nullable Buffer groups,
      @Nullable Buffer mask,
      int count,
      int groupCount) {
    AccumulatorRows rows = AccumulatorRows.of(context, values, groups, mask, count, false);
    if (rows.count() > 0) {
      fold(context, values, rows, Math.max(1, groupCount));
      if (tracksSeen) {
        markSeen(rows);
      }
    }
  }

  /** Takes in rows, of which there is one at least, none of them null. */
  abstract void fold(
      ExecContext context, @Nullable Column values, AccumulatorRows rows, int groupCount);

  /** Makes room for groups from {@link #capacity} to {@code newCapacity}; they start empty. */
  abstract void grow(int newCapacity);

  final void ensure(int groupCount) {
    if (groupCount <= capacity && capacity > 0) {
      return;
    }
    int newCapacity = (int) Math.min(Integer.MAX_VALUE, Math.max(2L * capacity, groupCount));
    newCapacity = Math.max(FIRST, newCapacity);
    grow(newCapacity);
    if (tracksSeen) {
      seen = memory.grow(seen, newCapacity);
      Mem.fill(seen.address() + capacity, newCapacity - capacity, (byte) 0);
    }
    capacity = newCapacity;
  }

  private void markSeen(AccumulatorRows rows) {
    long flags = seen.address();
    if (rows.groups() == 0) {
      Mem.putByte(flags, (byte) 1);
      return;
    }
    for (int i = 0; i < rows.count(); i++) {
      Mem.putByte(flags + Mem.getInt(rows.groups() + 4L * i), (byte) 1);
    }
  }

  final boolean hasValue(int group) {
    return !tracksSeen || Mem.getByte(seen.address() + group) != 0;
  }

  /** The validity of the first groups, null if all of them have a value. */
  final @Nullable Buffer validity(int groupCount, Allocator allocator) {
    if (!tracksSeen) {
      return null;
    }
    int missing = 0;
    for (int group = 0; group < groupCount; group++) {
      missing += 1 - Mem.getByte(seen.address() + group);
    }
    if (missing == 0) {
      return null;
    }
    return CpuBits.pack(seen.address(), groupCount, allocator);
  }

  @Override
  public void close() {
    memory.free(seen);
    seen = Buffer.EMPTY;
  }
}
