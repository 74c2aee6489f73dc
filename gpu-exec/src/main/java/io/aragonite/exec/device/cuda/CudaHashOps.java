package io.aragonite.exec.device.cuda;

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

/** Builds what is looked up by words, as kernels. */
final class CudaHashOps implements HashOps {
  @Override
  public HashTable build(
      ExecContext context,
      Buffer words,
      int wordBytes,
      @Nullable RowIds rows,
      int count,
      @Nullable PartitionFunction order,
      QueryMemory memory) {
    return CudaHashBuild.build(context, words, wordBytes, rows, count, order, memory);
  }

  @Override
  public int joinedPartitionRows(int wordBytes) {
    return CudaPartitionJoin.goodRows(wordBytes);
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
    return CudaPartitionJoin.join(context, parts, wordBytes, build, probe, outRows, columns);
  }

  @Override
  public int directBits(ExecContext context, PartitionFunction order) {
    return CudaPerfectHashTable.leastBits(order, CudaStream.of(context).gpu().maxSharedBytes());
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
    return CudaPerfectHashTable.of(context, order, bits, rows, wordBytes, count, memory);
  }

  @Override
  public KeyFilter buildFilter(
      ExecContext context, Buffer words, int count, double tested, QueryMemory memory) {
    return new CudaKeyFilter(context, words, count, memory);
  }
}
