package io.aragonite.exec.device.cpu;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.memory.Allocator;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import org.jspecify.annotations.Nullable;

/** Any function of a bare NULL but COUNT: null. */
final class NullAccumulator extends CpuAccumulator {
  NullAccumulator(QueryMemory memory, DataType type) {
    super(memory, type, false);
  }

  @Override
  void fold(ExecContext context, @Nullable Column values, AccumulatorRows rows, int groupCount) {}

  @Override
  void grow(int newCapacity) {}

  @Override
  public Column finish(ExecContext context, int groupCount, Allocator allocator) {
    return CpuResults.nulls(ColumnShape.of(type), groupCount, allocator);
  }
}
