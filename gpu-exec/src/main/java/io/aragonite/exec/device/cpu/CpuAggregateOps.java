package io.aragonite.exec.device.cpu;

import io.aragonite.exec.device.Accumulator;
import io.aragonite.exec.device.AggregateOps;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.GroupTable;
import io.aragonite.exec.device.SumTable;
import io.aragonite.exec.memory.Allocator;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import org.jspecify.annotations.Nullable;

/** Numbers groups and folds their values, as loops over native memory. */
final class CpuAggregateOps implements AggregateOps {
  @Override
  public void rehash(
      ExecContext context, Buffer words, Buffer groups, Buffer positions, int count, Buffer out) {
    CpuHash.rehash(words, groups, positions, count, out);
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
    return CpuSegments.reduce(context, function, values, starts, segments, type, allocator);
  }

  @Override
  public GroupTable newGroupTable(ExecContext context, QueryMemory memory) {
    return new CpuGroupTable(memory);
  }

  @Override
  public Accumulator newAccumulator(
      ExecContext context,
      AggregateFunction function,
      @Nullable ColumnShape input,
      DataType type,
      QueryMemory memory) {
    return CpuAccumulators.create(function, input, type, memory);
  }

  @Override
  public void addSums(ExecContext context, SumTable table, SumTable to, int first, int end) {
    CpuTableAggregation.addSums(context, table, to, first, end);
  }
}
