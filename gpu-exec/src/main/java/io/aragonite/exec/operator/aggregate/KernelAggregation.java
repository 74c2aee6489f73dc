package io.aragonite.exec.operator.aggregate;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.ExpressionCompiler;
import io.aragonite.exec.device.Parallel;
import io.aragonite.exec.pipeline.BatchConsumer;
import io.aragonite.exec.pipeline.PipelineHead;
import io.aragonite.exec.vector.ColumnBatch;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Counts and sums for which a device has code that computes a row's keys and values, those of a
 * filter and a projection below too, and adds them up in one go. Batches that it does not take are
 * grouped as others are.
 */
sealed interface KernelAggregation permits PerfectHashAggregation, DirectAddressAggregation {
  /**
   * The one for an aggregation; null if there is none.
   *
   * @param grouped the rows to be grouped
   */
  static @Nullable KernelAggregation of(
      AggregateSpec spec, PipelineHead grouped, ExpressionCompiler compiler) {
    KernelAggregation few = PerfectHashAggregation.of(spec, grouped, compiler);
    return few != null ? few : DirectAddressAggregation.of(spec, grouped, compiler);
  }

  /** The rows that are to come to {@link #newWorker}. */
  PipelineHead head();

  /**
   * Takes in a worker's rows.
   *
   * @param groups get what was added up when all rows have come
   * @param others takes in batches that are to be grouped another way
   */
  BatchConsumer newWorker(ExecContext context, WorkerGroups groups, BatchConsumer others);

  /**
   * The groups that workers have not been given, when all rows have come: keys and then partial
   * results of 64 bits, in memory of the query that is the caller's. Of several tables, whose sums
   * together might not fit 64 bits, each may have the same group.
   */
  default List<List<ColumnBatch>> takeGroups(ExecContext context, Parallel parallel) {
    return List.of();
  }

  /** The memory held for {@link #takeGroups}. */
  default long bytes() {
    return 0;
  }
}
