package io.aragonite.exec.device;

import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.vector.RowIds;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Hash operations of a device with memory of its own, run by its host; see {@link DiscreteDevice}.
 */
final class HostBackedHashOps implements HashOps {
  @Override
  public HashTable build(
      ExecContext context,
      Buffer words,
      int wordBytes,
      @Nullable RowIds rows,
      int count,
      @Nullable PartitionFunction order,
      QueryMemory memory) {
    try (StagedCall call = new StagedCall(context)) {
      RowIds hostRows =
          rows == null ? null : new RowIds(call.in(rows.ids(), 4L * count), count, false);
      Buffer hostWords = call.in(words, (long) wordBytes * count);
      HashOps hash = call.host().hash();
      return new HostBackedHashTable(
          hash.build(
              call.host(), hostWords, wordBytes, hostRows, count, order, context.hostMemory()));
    }
  }

  /** No number of rows: these joins go through a table over all rows. */
  @Override
  public int joinedPartitionRows(int wordBytes) {
    return 0;
  }

  /** By a table over all rows of the build side. */
  @Override
  public int joinPartitions(
      ExecContext context,
      int parts,
      int wordBytes,
      PartitionedWords build,
      PartitionedWords probe,
      Buffer outRows,
      List<MovedColumn> columns) {
    int buildRows = context.device().transfers().readInt(context, build.starts(), 4L * parts);
    int probeRows = context.device().transfers().readInt(context, probe.starts(), 4L * parts);
    try (HashTable table =
        build(context, build.words(), wordBytes, null, buildRows, null, context.memory())) {
      if (!table.unique()) {
        return -1;
      }
      if (outRows.size() > 0) {
        table.lookup(context, new ProbeWords(probe.words(), wordBytes, probeRows), outRows);
      }
      return table.fetch(context, probe.words(), wordBytes, probeRows, columns);
    }
  }

  @Override
  public KeyFilter buildFilter(
      ExecContext context, Buffer words, int count, double tested, QueryMemory memory) {
    try (StagedCall call = new StagedCall(context)) {
      HashOps hash = call.host().hash();
      return new HostBackedKeyFilter(
          hash.buildFilter(
              call.host(), call.in(words, 8L * count), count, tested, context.hostMemory()));
    }
  }

  @Override
  public int directBits(ExecContext context, PartitionFunction order) {
    return Boolean.getBoolean(HostPerfectHashTable.PROPERTY) && !order.mixed() && order.range() >= 0
        ? 1
        : -1;
  }

  @Override
  public @Nullable PerfectHashTable perfectHashTable(
      ExecContext context,
      PartitionFunction order,
      int partitionBits,
      @Nullable PartitionedWords rows,
      int wordBytes,
      int count,
      QueryMemory memory) {
    return rows != null || count == 0
        ? null
        : new HostPerfectHashTable(order, partitionBits, wordBytes, count);
  }
}
