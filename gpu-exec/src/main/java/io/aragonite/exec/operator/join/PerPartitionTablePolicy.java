package io.aragonite.exec.operator.join;

import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.HashTable;
import io.aragonite.exec.device.PartitionFunction;
import io.aragonite.exec.device.PartitionOps;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.operator.join.PartitionedHashJoin.JoinInput;
import io.aragonite.exec.profile.MachineProfile;
import io.aragonite.exec.settings.EngineSettings;
import io.aragonite.exec.settings.Toggle;

/**
 * Whether a partitioned join makes its partitions so small that each has a table of its own in the
 * fastest memory ({@link io.aragonite.exec.device.HashOps#joinPartitions}), instead of one table
 * over all of them that is visited part by part. That may take another pass over both sides, and
 * saves visits at random, which are dearer the more columns are fetched, and where words must be
 * mixed.
 */
final class PerPartitionTablePolicy {
  /** Rows whose words are looked at to guess whether all are unique. */
  private static final int SAMPLE = 1 << 17;

  /**
   * What of a visit at random to the cache is saved, of building and of probing, and what another
   * pass takes over the profile's: fitted to joins of 2^23 to 2^27 rows on an H200 with words
   * dense, sparse and clustered, one to four columns, and matches from 1/16 to 1.
   */
  private static final double BUILD_SAVED = 0.6;

  private static final double PROBE_SAVED = 0.3;

  /** An insert into one table over partitions of a GPU, over a visit to its cache. */
  private static final double INSERT = 9.7;

  private static final double PASS_COST = 1.17;

  private PerPartitionTablePolicy() {}

  /**
   * Bits to partition by; 0 if it is better not to, or cannot be done.
   *
   * @param order of the build side's words
   * @param fetched columns of the build side that are fetched for a probe row
   */
  static int bits(
      ExecContext context, PartitionFunction order, JoinInput build, JoinInput probe, int fetched) {
    Device device = context.device();
    int wordBytes = build.wordBytes();
    Toggle wanted = wanted();
    int bits = bits(device.hash().joinedPartitionRows(wordBytes), build.rows());
    boolean surelyEqual =
        !order.mixed() && Long.compareUnsigned(order.range(), build.rows() - 1L) < 0;
    if (bits == 0 || surelyEqual || wanted == Toggle.OFF) {
      return 0;
    }
    // A table by direct address over dense words is quicker to make than a second pass, but not
    // where a third of a GPU's table would be empty.
    boolean loose =
        !device.traits().morselDriven()
            && Long.compareUnsigned(order.range(), build.rows() + build.rows() / 2L) >= 0;
    boolean better =
        wanted == Toggle.ON
            || (order.mixed() || loose) && saved(device, bits, build, probe, fetched) > 0;
    return better && seemUnique(context, order, build) ? bits : 0;
  }

  static Toggle wanted() {
    return EngineSettings.current().joins().partitionTables();
  }

  private static int bits(int partitionRows, int rows) {
    if (partitionRows == 0) {
      return 0;
    }
    int bits = 1;
    while ((long) partitionRows << bits < rows) {
      bits++;
    }
    return bits > PartitionOps.PARTITION_BITS ? 0 : bits;
  }

  /** Nanoseconds, of words that must be mixed. */
  private static double saved(
      Device device, int bits, JoinInput build, JoinInput probe, int fetched) {
    MachineProfile profile = device.profile();
    int passes = device.partition().partitionPasses(bits);
    double pass =
        profile.partition(build.rows(), build.rowBytes())
            + profile.partition(probe.rows(), probe.rowBytes());
    double insert =
        device.traits().morselDriven()
            ? profile.insertHitNanos() + profile.mixedInsertNanos()
            : profile.hitNanos() * INSERT;
    double visit = profile.hitNanos() * (1 + fetched) + profile.mixedProbeNanos();
    // Slots are a word and an id, twice as many as rows; they are cleared and written back.
    double table = profile.sequential(2 * 4.0 * build.wordBytes() * build.rows());
    return table
        + BUILD_SAVED * build.rows() * insert
        + PROBE_SAVED * probe.rows() * visit
        - PASS_COST * (passes - 1) * pass
        - profile.steps(12, 3);
  }

  /** By its mixed words an order spreads what is unique evenly. */
  static PartitionFunction mixed(PartitionFunction order) {
    return new PartitionFunction(true, order.base(), order.range());
  }

  private static boolean seemUnique(ExecContext context, PartitionFunction order, JoinInput build) {
    int wordBytes = build.wordBytes();
    int sample = Math.min(build.rows(), SAMPLE);
    int from = (build.rows() - sample) / 2;
    Buffer some = build.key().values().slice((long) wordBytes * from, (long) wordBytes * sample);
    HashTable table =
        context
            .hash()
            .build(context, some, wordBytes, null, sample, mixed(order), context.memory());
    try (table) {
      return table.unique();
    }
  }
}
