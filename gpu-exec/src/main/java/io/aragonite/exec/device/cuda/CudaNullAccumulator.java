package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.Accumulator;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.memory.Allocator;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import org.jspecify.annotations.Nullable;

/** Any function of a bare NULL but COUNT: null. */
record CudaNullAccumulator(DataType type) implements Accumulator {
  @Override
  public void update(
      ExecContext context,
      @Nullable Column values,
      @Nullable Buffer groups,
      @Nullable Buffer mask,
      int count,
      int groupCount) {}

  @Override
  public Column finish(ExecContext context, int groupCount, Allocator allocator) {
    return CudaResults.nulls(context, ColumnShape.of(type), groupCount, allocator);
  }

  @Override
  public void close() {}
}
