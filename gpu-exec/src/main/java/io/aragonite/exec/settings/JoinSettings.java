package io.aragonite.exec.settings;

/**
 * What joins choose by price, unless it is set.
 *
 * @param filter whether keys of a build side filter the probe side early
 * @param transfer whether relations filter each other before the joins
 * @param partitionTables whether partitions have hash tables of their own
 * @param spilled how the parts of a spilled join are joined
 */
public record JoinSettings(
    Toggle filter, Toggle transfer, Toggle partitionTables, SpilledJoinMethod spilled) {
  /** How two parts that are both in memory are joined. */
  public enum SpilledJoinMethod {
    /** By price. */
    AUTO,
    /** Partition by partition. */
    PARTITIONED,
    /** By one table over the build side. */
    TABLE
  }
}
