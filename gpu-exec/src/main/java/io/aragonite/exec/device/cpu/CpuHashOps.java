package io.aragonite.exec.device.cpu;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.HashOps;
import io.aragonite.exec.device.HashTable;
import io.aragonite.exec.device.KeyFilter;
import io.aragonite.exec.device.MovedColumn;
import io.aragonite.exec.device.PartitionFunction;
import io.aragonite.exec.device.PartitionedWords;
import io.aragonite.exec.device.PerfectHashTable;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.vector.RowIds;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Builds what is looked up by words, as loops over native memory. */
final class CpuHashOps implements HashOps {
  @Override
  public HashTable build(
      ExecContext context,
      Buffer words,
      int wordBytes,
      @Nullable RowIds rows,
      int count,
      @Nullable PartitionFunction order,
      QueryMemory memory) {
    long mark = context.scratch().mark();
    Buffer wide = CpuPartition.widened(context, words, wordBytes, count);
    HashTable table = CpuHashTable.build(context, wide, rows, count, memory);
    context.scratch().release(mark);
    return table;
  }

  @Override
  public int directBits(ExecContext context, PartitionFunction order) {
    return -1;
  }

  @Override
  public @Nullable PerfectHashTable perfectHashTable(
      ExecContext context,
      PartitionFunction order,
      int bits,
      @Nullable PartitionedWords rows,
      int wordBytes,
      int count,
      QueryMemory memory) {
    return null;
  }

  @Override
  public int joinedPartitionRows(int wordBytes) {
    return CpuPartitionJoin.GOOD_ROWS;
  }

  @Override
  public int joinPartitions(
      ExecContext context,
      int parts,
      int wordBytes,
      PartitionedWords build,
      PartitionedWords probe,
      Buffer outRows,
      List<MovedColumn> columns) {
    return CpuPartitionJoin.join(context, parts, wordBytes, build, probe, outRows, columns);
  }

  @Override
  public KeyFilter buildFilter(
      ExecContext context, Buffer words, int count, double tested, QueryMemory memory) {
    return new CpuKeyFilter(words, count, tested, memory);
  }
}
