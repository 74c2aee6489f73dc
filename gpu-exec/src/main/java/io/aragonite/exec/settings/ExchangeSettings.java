package io.aragonite.exec.settings;

/**
 * How several devices share a query.
 *
 * @param replicatedRows tables up to so many rows are read whole by every device; {@link #AUTO}: by
 *     the query's largest table
 * @param join how the sides of a join are brought together
 * @param ranges whether dense keys are partitioned by ranges
 * @param sortedTables whether tables in order of a key are dealt out by its ranges; else in pieces
 * @param twoChunkRows rows of a build side from which a device sends them in two chunks; {@link
 *     #AUTO}: what suits the number of devices
 * @param hostRows rows of the last exchange, of a device, up to which a plan ends on the host; 0:
 *     never. The host is done with a few sooner than a GPU, which takes as long for many
 * @param sort how devices sort a chunkset together
 * @param sortPartRows rows of one part of a device that sorts in parts: as many as are worth its
 *     launches
 */
public record ExchangeSettings(
    long replicatedRows,
    JoinExchange join,
    Toggle ranges,
    boolean sortedTables,
    long twoChunkRows,
    int hostRows,
    SortExchange sort,
    int sortPartRows) {
  /** A number that the engine chooses. */
  public static final long AUTO = -1;

  /** How the sides of a join are brought together. */
  public enum JoinExchange {
    /** By price. */
    AUTO,
    /** Both by the hash of their keys. */
    HASH,
    /** One of them to all devices. */
    BROADCAST
  }

  /** How devices sort together. */
  public enum SortExchange {
    /** By price. */
    AUTO,
    /** Partition by ranges, exchange, sort. */
    PARTITION,
    /** Sort, exchange blocks, merge. */
    MERGE
  }
}
