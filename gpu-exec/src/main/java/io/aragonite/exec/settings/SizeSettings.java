package io.aragonite.exec.settings;

/**
 * Sizes from which on operators work otherwise. They suit all machines, so that no system property
 * sets most of them; 0 where the engine finds the size itself.
 *
 * @param batchRows rows of a batch and of a morsel, a multiple of 64; 0: what suits the device
 * @param partialGroups groups of a worker's table from which on it is put aside
 * @param sampledRows rows of a batch from which on a grouping strategy is chosen by a sample, on
 *     the host too if it is not the default
 * @param packedRows rows of a spilled part from which on keys are packed
 * @param spillBytes memory that spilling operators use at most, every other block of which leaves
 *     memory as soon as it can; 0: what the query has
 * @param streamedBytes bytes of a table from which on its scan streams; 0: half of the query's fair
 *     share
 * @param rowGroupRows rows of a row group of a Parquet file that is written, each page of which has
 *     a sixth of them
 */
public record SizeSettings(
    int batchRows,
    int partialGroups,
    int sampledRows,
    int packedRows,
    long spillBytes,
    long streamedBytes,
    int rowGroupRows) {
  /** {@link #sampledRows}: fewer rows take a table hardly any time. */
  public static final int SAMPLED_ROWS = 1 << 23;

  /** {@link #partialGroups}: a table of so many still fits the caches. */
  public static final int PARTIAL_GROUPS = 1 << 17;

  /**
   * {@link #packedRows}: there are 4 bytes more for each of 65,536 groups of rows, and 2 less for
   * each row.
   */
  public static final int PACKED_ROWS = 1 << 18;

  /** {@link #rowGroupRows}: as many as other writers take. */
  public static final int ROW_GROUP_ROWS = 122_880;

  /** The usual sizes. */
  public static final SizeSettings DEFAULT =
      new SizeSettings(0, PARTIAL_GROUPS, SAMPLED_ROWS, PACKED_ROWS, 0, 0, ROW_GROUP_ROWS);

  /** Rows of a batch, of a device that such batches suit. */
  public int batchRows(int suitable) {
    return batchRows == 0 ? suitable : batchRows;
  }
}
