package io.aragonite.exec.device.cpu;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.memory.Allocator;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import org.jspecify.annotations.Nullable;

/** COUNT of rows or of values. */
final class CountAccumulator extends CpuAccumulator {
  private Buffer counts = Buffer.EMPTY;

  CountAccumulator(QueryMemory memory, DataType type) {
    super(memory, type, false);
  }

  @Override
  void fold(ExecContext context, @Nullable Column values, AccumulatorRows rows, int groupCount) {
    CpuFolds.count(context, rows.groups(), rows.count(), groupCount, counts.address());
  }

  @Override
  void grow(int newCapacity) {
    counts = memory.grow(counts, 8L * newCapacity);
    Mem.fill(counts.address() + 8L * capacity, 8L * (newCapacity - capacity), (byte) 0);
  }

  @Override
  public Column finish(ExecContext context, int groupCount, Allocator allocator) {
    ensure(groupCount);
    ColumnShape shape = ColumnShape.of(type).withMayBeNull(false);
    return CpuResults.narrow(shape, counts.address(), groupCount, null, allocator);
  }

  @Override
  public void close() {
    super.close();
    memory.free(counts);
    counts = Buffer.EMPTY;
  }
}
