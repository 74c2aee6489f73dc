package io.aragonite.exec.device;

import io.aragonite.exec.vector.ColumnBatch;

/**
 * Counts and sums of many groups, made ready for a device: a row's group and the values that are
 * summed are computed and added to a table in one go, without columns of them. Safe for several
 * threads.
 */
public interface CompiledTableAggregation {
  /**
   * Adds a batch's rows.
   *
   * @return whether that was done; if not, {@code totals} are as before, and the rows are to be
   *     aggregated another way: a row may fail, sums may leave 64 bits, or code is still being made
   */
  boolean add(ExecContext context, ColumnBatch batch, SumTable totals);

  /**
   * Whether each worker has a table for its caches, and tables are added up; if not, rows are added
   * by atomic operations to a table that all threads of a device share.
   */
  default boolean tablePerWorker() {
    return false;
  }
}
