package io.aragonite.exec.device;

import io.aragonite.exec.vector.ColumnBatch;

/**
 * Counts and sums of groups, made ready for a device: a row's group and the values that are summed
 * are computed and added in one go, without columns of them. Safe for several threads.
 */
public interface CompiledAggregation {
  /**
   * Adds a batch's rows.
   *
   * @return whether that was done; if not, {@code totals} are as before, and the rows are to be
   *     aggregated another way: a row fails, or code is still being made
   */
  boolean add(ExecContext context, ColumnBatch batch, GroupSums totals);
}
