package io.aragonite.exec.device.cuda;

import io.aragonite.exec.column.RowIds;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.HostBackedPrimitives;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import org.jspecify.annotations.Nullable;

/**
 * The primitives as kernels, one class a family. What has no kernel yet runs on the host and is
 * counted there.
 */
final class CudaPrimitives extends HostBackedPrimitives {
  @Override
  public void fill(ExecContext context, Buffer out, int width, long value, int count) {
    CudaScan.fill(context, out, width, value, count);
  }

  @Override
  public void iota(ExecContext context, Buffer out, int start, int count) {
    CudaScan.iota(context, out, start, count);
  }

  @Override
  public HashTable hashBuild(
      ExecContext context, Buffer words, @Nullable RowIds rows, int count, QueryMemory memory) {
    return CudaHashTable.build(context, words, rows, count, memory);
  }

  @Override
  public void hashLookup(
      ExecContext context, HashTable table, Buffer words, int count, Buffer outRows) {
    ((CudaHashTable) table).lookup(CudaStream.of(context), words, count, outRows);
  }

  @Override
  public int hashProbe(
      ExecContext context,
      HashTable table,
      Buffer words,
      int count,
      ProbeCursor cursor,
      Buffer outProbe,
      Buffer outBuild,
      int capacity) {
    return CudaHash.probe(
        context, (CudaHashTable) table, words, count, cursor, outProbe, outBuild, capacity);
  }

  @Override
  public GroupTable newGroupTable(ExecContext context, QueryMemory memory) {
    return new CudaGroupTable(memory);
  }

  @Override
  public int assignGroups(
      ExecContext context,
      GroupTable table,
      Buffer words,
      int count,
      Buffer outGroups,
      Buffer outNewRows) {
    return ((CudaGroupTable) table).assign(context, words, count, outGroups, outNewRows);
  }
}
