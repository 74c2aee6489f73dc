package io.aragonite.exec.device.cpu;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.memory.Allocator;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** SUM of floats, in doubles. The order of additions is not specified. */
final class DoubleSumAccumulator extends CpuAccumulator {
  private Buffer sums = Buffer.EMPTY;

  DoubleSumAccumulator(AggregateFunction function, DataType type, QueryMemory memory) {
    super(memory, type, type.nullable() && function != AggregateFunction.SUM0);
  }

  @Override
  void fold(ExecContext context, @Nullable Column values, AccumulatorRows rows, int groupCount) {
    long doubles = rows.doubles(context, Objects.requireNonNull(values));
    CpuFolds.sumDoubles(doubles, rows.groups(), rows.count(), sums.address());
  }

  @Override
  void grow(int newCapacity) {
    sums = memory.grow(sums, 8L * newCapacity);
    Mem.fill(sums.address() + 8L * capacity, 8L * (newCapacity - capacity), (byte) 0);
  }

  @Override
  public Column finish(ExecContext context, int groupCount, Allocator allocator) {
    ensure(groupCount);
    Buffer validity = validity(groupCount, allocator);
    ColumnShape shape = ColumnShape.of(type);
    Buffer out = allocator.allocate((long) groupCount * shape.storage().width());
    if (shape.storage() == Storage.FLOAT) {
      for (int group = 0; group < groupCount; group++) {
        Mem.putFloat(
            out.address() + 4L * group, (float) Mem.getDouble(sums.address() + 8L * group));
      }
    } else {
      Mem.copy(sums.address(), out.address(), 8L * groupCount);
    }
    return new Column(shape, groupCount, out, Buffer.EMPTY, validity, null);
  }

  @Override
  public void close() {
    super.close();
    memory.free(sums);
    sums = Buffer.EMPTY;
  }
}
