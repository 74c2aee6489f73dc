package io.aragonite.exec.execution;

import io.aragonite.exec.collective.Rank;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.ExpressionCompiler;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.operator.ScanSource;
import io.aragonite.exec.pipeline.QueryResources;
import io.aragonite.exec.pipeline.Source;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.runtime.QueryMetrics;
import io.aragonite.exec.spill.QuerySpill;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What the execution of a query lends to its operators. */
final class ExecutionResources implements QueryResources {
  private final QueryExecution query;

  ExecutionResources(QueryExecution query) {
    this.query = query;
  }

  @Override
  public Source scanOf(List<ColumnShape> shapes, List<ColumnBatch> chunks, boolean ordered) {
    return scan(shapes, chunks, ordered, null);
  }

  @Override
  public Source scanOwned(List<ColumnShape> shapes, List<ColumnBatch> chunks, boolean ordered) {
    return scan(shapes, chunks, ordered, memory());
  }

  ScanSource scan(
      List<ColumnShape> shapes,
      List<ColumnBatch> chunks,
      boolean ordered,
      @Nullable QueryMemory owner) {
    return new ScanSource(
        shapes, chunks, ordered, query.device().properties(), query.workers().workers(), owner);
  }

  @Override
  public <T extends @Nullable Object> T work(PhysicalPlan node, Function<ExecContext, T> task) {
    try {
      return query.work(query.metrics().node(node), task);
    } catch (AragoniteException e) {
      throw withEstimate(e, node);
    }
  }

  /**
   * Where there is no room for what comes out of a join, the error says what had been expected of
   * it: whether its size or the estimate is what nobody had thought of.
   */
  AragoniteException withEstimate(AragoniteException error, PhysicalPlan node) {
    PhysicalPlan.Join largest = largestJoin(node);
    if (largest == null
        || largest.expected() == null
        || error.code() != ErrorCode.MEMORY_EXCEEDED
            && error.code() != ErrorCode.DISK_FAILED
            && error.code() != ErrorCode.RESULT_TOO_LARGE) {
      return error;
    }
    AragoniteException better =
        error.adding(
            " (of the largest join up to here the planner expected %,.0f rows, and %,d had come)"
                .formatted(largest.expected().outRows(), metrics(largest).rows.sum()));
    query.explain(error, better);
    return better;
  }

  private static PhysicalPlan.@Nullable Join largestJoin(PhysicalPlan node) {
    PhysicalPlan.Join largest = node instanceof PhysicalPlan.Join join ? join : null;
    for (PhysicalPlan input : node.inputs()) {
      PhysicalPlan.Join other = largestJoin(input);
      boolean larger = other != null && (largest == null || outRows(other) > outRows(largest));
      largest = larger ? other : largest;
    }
    return largest;
  }

  private static double outRows(PhysicalPlan.Join join) {
    return join.expected() == null ? 0 : join.expected().outRows();
  }

  @Override
  public ExecContext context() {
    return query.coordinator();
  }

  @Override
  public ExpressionCompiler expressions() {
    return query.device().expressions();
  }

  @Override
  public @Nullable Rank rank() {
    return query.rank();
  }

  @Override
  public Executor executor() {
    return query.executor();
  }

  @Override
  public QueryMemory memory() {
    return query.memory();
  }

  @Override
  public QuerySpill spill() {
    return query.spill();
  }

  @Override
  public QueryMetrics.NodeMetrics metrics(PhysicalPlan node) {
    return query.metrics().node(node);
  }

  @Override
  public <T extends AutoCloseable> T closeLater(T resource) {
    return query.closeLater(resource);
  }
}
