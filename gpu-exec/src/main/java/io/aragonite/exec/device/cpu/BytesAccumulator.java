package io.aragonite.exec.device.cpu;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Allocator;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * MIN, MAX and ANY_VALUE of strings. A group keeps its string in a heap of bytes, where a new one
 * replaces the old if it is not longer, and goes to the end if it is; the heap is compacted when
 * half of it is waste.
 */
final class BytesAccumulator extends CpuAccumulator {
  /** State: place in the heap (8 bytes), length, -1 for none (4), room (4). */
  private static final int STATE = 16;

  private static final int LENGTH = 8;
  private static final int ROOM = 12;
  private static final int FIRST_HEAP = 1 << 12;

  private final AggregateFunction function;
  private final ColumnShape shape;
  private Buffer states = Buffer.EMPTY;
  private Buffer heap = Buffer.EMPTY;
  private long heapUsed;
  private long heapLive;

  BytesAccumulator(
      AggregateFunction function, ColumnShape input, DataType type, QueryMemory memory) {
    super(memory, type, true);
    this.function = function;
    this.shape = input.withType(type).withMayBeNull(type.nullable());
  }

  @Override
  void grow(int newCapacity) {
    states = memory.grow(states, (long) STATE * newCapacity);
    for (int group = capacity; group < newCapacity; group++) {
      long state = states.address() + (long) STATE * group;
      Mem.putLong(state, 0);
      Mem.putInt(state + LENGTH, -1);
      Mem.putInt(state + ROOM, 0);
    }
  }

  @Override
  void fold(ExecContext context, @Nullable Column values, AccumulatorRows rows, int groupCount) {
    Column column = Objects.requireNonNull(values);
    long bytes = column.values().address();
    long offsets = column.offsets().address();
    for (int i = 0; i < rows.count(); i++) {
      int row = rows.row(i);
      int group = rows.groups() == 0 ? 0 : Mem.getInt(rows.groups() + 4L * i);
      int begin = Mem.getInt(offsets + 4L * row);
      int length = Mem.getInt(offsets + 4L * row + 4) - begin;
      long state = states.address() + (long) STATE * group;
      if (wanted(state, bytes + begin, length)) {
        store(state, bytes + begin, length);
      }
    }
  }

  private boolean wanted(long state, long text, int length) {
    int known = Mem.getInt(state + LENGTH);
    if (known < 0) {
      return true;
    }
    if (function == AggregateFunction.ANY_VALUE) {
      return false;
    }
    int order = compare(text, length, heap.address() + Mem.getLong(state), known);
    return function == AggregateFunction.MIN ? order < 0 : order > 0;
  }

  private void store(long state, long text, int length) {
    if (length > Mem.getInt(state + ROOM)) {
      heapLive -= Mem.getInt(state + ROOM);
      Mem.putInt(state + ROOM, 0);
      Mem.putInt(state + LENGTH, -1);
      makeRoom(length);
      Mem.putLong(state, heapUsed);
      Mem.putInt(state + ROOM, length);
      heapUsed += length;
      heapLive += length;
    }
    Mem.putInt(state + LENGTH, length);
    CpuGather.copy(text, heap.address() + Mem.getLong(state), length);
  }

  private void makeRoom(int length) {
    if (heapUsed + length <= heap.size()) {
      return;
    }
    long wanted = Math.max(FIRST_HEAP, 2 * (heapLive + length));
    Buffer fresh = memory.allocate(wanted);
    long used = 0;
    for (int group = 0; group < capacity; group++) {
      long state = states.address() + (long) STATE * group;
      int live = Mem.getInt(state + LENGTH);
      if (live >= 0) {
        CpuGather.copy(heap.address() + Mem.getLong(state), fresh.address() + used, live);
        Mem.putLong(state, used);
        Mem.putInt(state + ROOM, live);
        used += live;
      }
    }
    memory.free(heap);
    heap = fresh;
    heapUsed = used;
    heapLive = used;
  }

  /** Compares by unsigned bytes. */
  static int compare(long a, int lengthA, long b, int lengthB) {
    int common = Math.min(lengthA, lengthB);
    int i = 0;
    for (; i + 8 <= common; i += 8) {
      long x = Mem.getLong(a + i);
      long y = Mem.getLong(b + i);
      if (x != y) {
        return Long.compareUnsigned(Long.reverseBytes(x), Long.reverseBytes(y));
      }
    }
    for (; i < common; i++) {
      int order = (Mem.getByte(a + i) & 255) - (Mem.getByte(b + i) & 255);
      if (order != 0) {
        return order;
      }
    }
    return lengthA - lengthB;
  }

  @Override
  public Column finish(ExecContext context, int groupCount, Allocator allocator) {
    ensure(groupCount);
    Buffer validity = validity(groupCount, allocator);
    Buffer offsets = allocator.allocate(4L * (groupCount + 1));
    long total = 0;
    for (int group = 0; group < groupCount; group++) {
      Mem.putInt(offsets.address() + 4L * group, (int) total);
      total += Math.max(0, Mem.getInt(states.address() + (long) STATE * group + LENGTH));
      if (total > Integer.MAX_VALUE) {
        throw new AragoniteException(
            ErrorCode.RESULT_TOO_LARGE,
            function + " over " + groupCount + " groups takes more than 2 GiB of text.");
      }
    }
    Mem.putInt(offsets.address() + 4L * groupCount, (int) total);
    Buffer values = allocator.allocate(total);
    for (int group = 0; group < groupCount; group++) {
      long state = states.address() + (long) STATE * group;
      int length = Mem.getInt(state + LENGTH);
      if (length > 0) {
        int place = Mem.getInt(offsets.address() + 4L * group);
        CpuGather.copy(heap.address() + Mem.getLong(state), values.address() + place, length);
      }
    }
    ColumnShape newShape = validity == null ? shape : shape.withMayBeNull(true);
    return new Column(newShape, groupCount, values, offsets, validity, null);
  }

  @Override
  public void close() {
    super.close();
    memory.free(states);
    memory.free(heap);
    states = Buffer.EMPTY;
    heap = Buffer.EMPTY;
  }
}
