package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.Accumulator;
import io.aragonite.exec.device.AggregateOps;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.GroupTable;
import io.aragonite.exec.memory.Allocator;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Numbers groups and folds their values, as kernels. */
final class CudaAggregateOps implements AggregateOps {
  @Override
  public void rehash(
      ExecContext context, Buffer words, Buffer groups, Buffer positions, int count, Buffer out) {
    CudaGather.rehash(context, words, groups, positions, count, out);
  }

  @Override
  public GroupTable newGroupTable(ExecContext context, QueryMemory memory) {
    return new CudaGroupTable(memory);
  }

  @Override
  public Accumulator newAccumulator(
      ExecContext context,
      AggregateFunction function,
      @Nullable ColumnShape input,
      DataType type,
      QueryMemory memory) {
    return CudaAccumulators.create(function, input, type, memory);
  }

  @Override
  public List<Column> finish(
      ExecContext context,
      List<Accumulator> accumulators,
      List<Integer> groups,
      boolean parts,
      Allocator allocator) {
    return CudaAccumulators.finish(context, accumulators, groups, parts, allocator);
  }

  @Override
  public Column segmentedReduce(
      ExecContext context,
      AggregateFunction function,
      Column values,
      Buffer starts,
      int segments,
      DataType type,
      Allocator allocator) {
    return CudaSegments.reduce(context, function, values, starts, segments, type, allocator);
  }
}
