package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.MovedColumn;
import io.aragonite.exec.device.PartitionFunction;
import io.aragonite.exec.device.PartitionOps;
import io.aragonite.exec.device.PartitionOps.SeparatePartitions;
import io.aragonite.exec.memory.Buffer;
import java.util.List;

/**
 * Partitions rows by digits or by the order of a hash table, and packs partitioned keys, as
 * kernels.
 */
final class CudaPartitionOps implements PartitionOps {
  @Override
  public void radixPartition(
      ExecContext context,
      Buffer keys,
      Buffer ids,
      int count,
      int shift,
      int bits,
      Buffer outKeys,
      Buffer outIds,
      Buffer outOffsets) {
    CudaSort.radixPartition(context, keys, ids, count, shift, bits, outKeys, outIds, outOffsets);
  }

  @Override
  public PartitionFunction partitionFunction(
      ExecContext context, Buffer words, int wordBytes, int count) {
    return CudaHashBuild.order(context, words, wordBytes, count);
  }

  @Override
  public void partitionRows(
      ExecContext context,
      PartitionFunction order,
      int bits,
      Buffer words,
      int wordBytes,
      int count,
      Buffer outWords,
      List<MovedColumn> columns,
      Buffer outOffsets) {
    MovedColumn moved = new MovedColumn(words, outWords, wordBytes);
    CudaPartition.rows(context, order, bits, moved, count, columns, outOffsets);
  }

  @Override
  public void partitionSizes(
      ExecContext context,
      PartitionFunction order,
      int bits,
      Buffer words,
      int wordBytes,
      int count,
      Buffer outSizes) {
    CudaPartition.sizes(context, order, bits, words, wordBytes, count, outSizes);
  }

  @Override
  public void placePartitions(
      ExecContext context,
      PartitionFunction order,
      int bits,
      MovedColumn words,
      int count,
      List<MovedColumn> columns,
      Buffer places,
      SeparatePartitions aside) {
    CudaPartition.place(context, order, bits, words, count, columns, places, aside);
  }

  @Override
  public void keyPlaces(ExecContext context, Buffer keys, int count, int outBytes, Buffer out) {
    CudaPackedKeys.places(context, keys, count, outBytes, out);
  }

  @Override
  public void packPlaces(
      ExecContext context,
      Buffer places,
      int count,
      Buffer groupStarts,
      int partBits,
      Buffer out,
      Buffer outPartStarts) {
    CudaPackedKeys.pack(context, places, count, groupStarts, partBits, out, outPartStarts);
  }

  @Override
  public void unpackKeys(
      ExecContext context,
      Buffer packed,
      int pieces,
      int partBits,
      int part,
      int count,
      Buffer out) {
    CudaPackedKeys.unpack(context, packed, pieces, partBits, part, count, out);
  }

  @Override
  public int partitionPasses(int bits) {
    return bits <= PASS_BITS ? 1 : 2;
  }
}
