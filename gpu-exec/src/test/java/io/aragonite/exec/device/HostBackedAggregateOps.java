package io.aragonite.exec.device;

import io.aragonite.exec.memory.Allocator;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import org.jspecify.annotations.Nullable;

/**
 * Aggregate operations of a device with memory of its own, run by its host; see {@link
 * DiscreteDevice}.
 */
final class HostBackedAggregateOps implements AggregateOps {
  @Override
  public void rehash(
      ExecContext context, Buffer words, Buffer groups, Buffer positions, int count, Buffer out) {
    try (StagedCall call = new StagedCall(context)) {
      Buffer result = call.room(8L * count);
      call.host()
          .aggregate()
          .rehash(
              call.host(),
              call.in(words, words.size()),
              call.in(groups, groups.size()),
              call.in(positions, 4L * count),
              count,
              result);
      call.back(result, out, 8L * count);
    }
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
    try (StagedCall call = new StagedCall(context)) {
      Column result =
          call.host()
              .aggregate()
              .segmentedReduce(
                  call.host(),
                  function,
                  call.in(values),
                  call.in(starts, 4L * segments + 4),
                  segments,
                  type,
                  context.hostScratch());
      return call.back(result, allocator);
    }
  }

  @Override
  public GroupTable newGroupTable(ExecContext context, QueryMemory memory) {
    ExecContext host = context.onHost();
    return new HostBackedGroupTable(host.aggregate().newGroupTable(host, host.memory()));
  }

  @Override
  public Accumulator newAccumulator(
      ExecContext context,
      AggregateFunction function,
      @Nullable ColumnShape input,
      DataType type,
      QueryMemory memory) {
    ExecContext host = context.onHost();
    return new HostAccumulator(
        host.aggregate().newAccumulator(host, function, input, type, host.memory()));
  }

  /** State on the host. */
  private record HostAccumulator(Accumulator state) implements Accumulator {
    @Override
    public void update(
        ExecContext context,
        @Nullable Column values,
        @Nullable Buffer groups,
        @Nullable Buffer mask,
        int count,
        int groupCount) {
      try (StagedCall call = new StagedCall(context)) {
        Buffer hostMask = mask == null ? null : call.in(mask, 4L * count);
        // With a mask there are more rows than counted: as many as there are group numbers.
        Buffer hostGroups =
            groups == null ? null : call.in(groups, mask == null ? 4L * count : groups.size());
        Column hostValues = values == null ? null : call.in(values);
        state.update(call.host(), hostValues, hostGroups, hostMask, count, groupCount);
      }
    }

    @Override
    public Column finish(ExecContext context, int groupCount, Allocator allocator) {
      try (StagedCall call = new StagedCall(context)) {
        return call.back(state.finish(call.host(), groupCount, context.hostScratch()), allocator);
      }
    }

    @Override
    public Column finishPart(ExecContext context, int groupCount, Allocator allocator) {
      try (StagedCall call = new StagedCall(context)) {
        Column part = state.finishPart(call.host(), groupCount, context.hostScratch());
        return call.back(part, allocator);
      }
    }

    @Override
    public void close() {
      state.close();
    }
  }
}
