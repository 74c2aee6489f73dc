package io.aragonite.exec.operator.join;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.MovedColumn;
import io.aragonite.exec.device.PartitionFunction;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.operator.join.PartitionedHashJoin.JoinInput;
import io.aragonite.exec.vector.Column;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How both sides of a join are partitioned: the transformation of Wu, Koutsoukos and Alonso's
 * PHJ-OM. Equal words come to the same partition.
 *
 * @param order of the build side's words
 * @param bits that partitions are made by
 * @param ownTables whether each partition has a table of its own; else one table over the whole
 *     build side is visited part by part
 */
record PartitionPlan(PartitionFunction order, int bits, boolean ownTables) {
  /** The order of a build side's words, by which both sides are partitioned. */
  static PartitionFunction order(ExecContext context, JoinInput build) {
    return context
        .partition()
        .partitionFunction(context, build.key().values(), build.wordBytes(), build.rows());
  }

  /**
   * For partitions with tables of their own; null if one table is better, or they cannot be so
   * small.
   *
   * @param gathered columns of the build side that are fetched for a probe row
   */
  static @Nullable PartitionPlan ownTables(
      ExecContext context,
      PartitionFunction order,
      JoinInput build,
      JoinInput probe,
      List<Column> gathered) {
    int bits = PerPartitionTablePolicy.bits(context, order, build, probe, gathered.size());
    return bits > 0 ? new PartitionPlan(PerPartitionTablePolicy.mixed(order), bits, true) : null;
  }

  /**
   * For one table.
   *
   * @param gathered as above
   */
  static PartitionPlan oneTable(
      ExecContext context, PartitionFunction order, int buildRows, List<Column> gathered) {
    int bits =
        RowPartition.bits(context.device(), order, buildRows, PartitionedHashJoin.width(gathered));
    // The table is made of words in partitions.
    return new PartitionPlan(order.anyOrder(), bits, false);
  }

  int parts() {
    return 1 << bits;
  }

  /** Tables in which words are looked up. */
  int tables() {
    return ownTables ? parts() : 1;
  }

  /** A side in partitions; its memory as it was stays the caller's. */
  RowPartition partition(ExecContext context, JoinInput side) {
    return RowPartition.of(
        context, order, bits, side.key().values(), side.wordBytes(), side.rows(), side.payload());
  }

  /**
   * Looks up the probe side's words in the partitions' tables, and fetches payload for those that
   * are found.
   *
   * @param some how many partitions are looked at, from the first on
   * @param payload of the build side
   * @return how many were found; -1 if a word is there twice or a partition is too large
   */
  int fetch(
      ExecContext context,
      int some,
      int wordBytes,
      RowPartition build,
      RowPartition probe,
      List<MovedColumn> payload) {
    return lookUp(context, some, wordBytes, build, probe, Buffer.EMPTY, payload);
  }

  /**
   * Finds the build side's row for each row of the probe side in the partitions' tables.
   *
   * @return null if a word is there twice or a partition is too large
   */
  @Nullable FoundPartners partners(
      ExecContext context, int wordBytes, RowPartition build, RowPartition probe, int probeRows) {
    Buffer rows = context.memory().allocate(4L * probeRows);
    int pairs = lookUp(context, parts(), wordBytes, build, probe, rows, List.of());
    if (pairs < 0) {
      context.memory().free(rows);
      return null;
    }
    return new FoundPartners(rows, pairs);
  }

  /**
   * @param rows the build side's row for each row of the probe side, or -1; whoever takes it frees
   *     it
   * @param pairs how many have one
   */
  record FoundPartners(Buffer rows, int pairs) {}

  private static int lookUp(
      ExecContext context,
      int some,
      int wordBytes,
      RowPartition build,
      RowPartition probe,
      Buffer rows,
      List<MovedColumn> payload) {
    return context
        .hash()
        .joinPartitions(
            context, some, wordBytes, build.partitions(), probe.partitions(), rows, payload);
  }
}
