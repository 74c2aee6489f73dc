package io.aragonite.exec.operator.join;

import io.aragonite.exec.device.Batches;
import io.aragonite.exec.device.HashTable;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.vector.ColumnBatch;

/**
 * A partitioned join whose sides are arranged. Nothing of its inputs is needed any more.
 *
 * @param parts partitions
 * @param tables in which words are looked up: one, one a partition, or none, because payload lay
 *     where the words say
 */
record JoinState(int parts, int tables, RemainingJoin rest) implements AutoCloseable {
  @Override
  public void close() {
    rest.close();
  }

  /** What has been done of a join. */
  sealed interface RemainingJoin extends AutoCloseable {
    /** What is left to do: rows of the output, or of the probe side. */
    int rows();

    @Override
    void close();
  }

  /** All of it: its output, which whoever takes it frees. */
  record JoinedOutput(QueryMemory memory, ColumnBatch pairs) implements RemainingJoin {
    @Override
    public int rows() {
      return pairs.rows();
    }

    @Override
    public void close() {
      pairs.columns().forEach(column -> Batches.free(memory, column));
    }
  }

  /**
   * Words are to be looked up in a table over the build side's.
   *
   * @param freeSides frees what both sides are in
   */
  record TableProbe(
      HashTable table,
      PartitionedHashJoin.JoinInput build,
      PartitionedHashJoin.JoinInput probe,
      Runnable freeSides)
      implements RemainingJoin {
    @Override
    public int rows() {
      return probe.rows();
    }

    @Override
    public void close() {
      table.close();
      freeSides.run();
    }
  }

  /** Partners have been found: those of {@code matched} rows. */
  record PartitionMatches(
      QueryMemory memory,
      RowPartition left,
      RowPartition right,
      PartitionedHashJoin.JoinInput build,
      PartitionedHashJoin.JoinInput probe,
      Buffer matched,
      Buffer partners,
      int pairs)
      implements RemainingJoin {
    @Override
    public int rows() {
      return pairs;
    }

    @Override
    public void close() {
      left.close();
      right.close();
      memory.free(matched);
      memory.free(partners);
    }
  }
}
