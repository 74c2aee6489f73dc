package io.aragonite.exec.pipeline;

import io.aragonite.exec.collective.Rank;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.ExpressionCompiler;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.runtime.QueryMetrics;
import io.aragonite.exec.spill.QuerySpill;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What a running query lends to its operators: memory, threads, the place for what memory does not
 * hold, and the metrics of their nodes. All of it ends with the query.
 */
public interface QueryResources {
  /** A source over columns in memory. */
  Source scanOf(List<ColumnShape> shapes, List<ColumnBatch> chunks, boolean ordered);

  /** As {@link #scanOf}; the chunks' buffers are freed when their rows have been used. */
  Source scanOwned(List<ColumnShape> shapes, List<ColumnBatch> chunks, boolean ordered);

  /** Does work between pipelines, on all workers, and books its time to a node. */
  <T extends @Nullable Object> T work(PhysicalPlan node, Function<ExecContext, T> task);

  /**
   * The context of the coordinating thread, for work between pipelines; its {@link
   * ExecContext#parallel} are all workers of the query.
   */
  ExecContext context();

  ExpressionCompiler expressions();

  /** The query's place among those that run the plan together; null: it runs alone. */
  @Nullable Rank rank();

  /** Lends threads of the host, for work on its memory between pipelines. */
  Executor executor();

  /** The query's memory. */
  QueryMemory memory();

  /** Where the query's rows go that memory does not hold. */
  QuerySpill spill();

  /** The figures of a node. */
  QueryMetrics.NodeMetrics metrics(PhysicalPlan node);

  /** Closes something when the query ends, in the reverse order of registration. */
  <T extends AutoCloseable> T closeLater(T resource);
}
