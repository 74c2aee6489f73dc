package io.aragonite.exec.pipeline;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.WorkingTable;
import io.aragonite.exec.spill.SpillableRowCollection;
import io.aragonite.exec.table.Table;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the compilation of a plan offers to the nodes' own code: {@link #compile} returns the open
 * end of the pipeline that yields a node's rows, and a node that needs all of its input first (a
 * build side, an aggregate, a sort) {@link #run runs} the input's pipeline into a sink there and
 * then. So whoever compiles the next pipeline already knows what the ones before it found: sizes,
 * shapes, distinct counts.
 */
public interface PlanCompiler {
  /** The pipeline that yields the rows of {@code plan}. Runs those it depends on. */
  PipelineHead compile(PhysicalPlan plan);

  /** Leaves a filter for the rows of a node that is going to be compiled. */
  void filter(PhysicalPlan node, DynamicFilter filter);

  /** The share of a node's rows that the filters are expected to leave which are there by now. */
  double expectedShare(PhysicalPlan node);

  /** Says what the rows of a node are that is going to be compiled: they have been made before. */
  void bring(PhysicalPlan node, PipelineHead rows);

  /** How many rows of a node have been made before it is compiled; -1 if none have. */
  long broughtRows(PhysicalPlan node);

  /**
   * A compiler for another run of plans that this one has compiled, or will: what joins leave for
   * rows of one run is nothing to those of the next.
   */
  PlanCompiler again();

  /** Says what the rows of a working table are; their memory stays the caller's. */
  void working(WorkingTable table, List<ColumnShape> shapes, List<ColumnBatch> chunks);

  /** Pins columns of a table in the device's memory until the query ends. */
  Table.Pin pin(PhysicalPlan.Scan scan);

  /**
   * Runs a pipeline to its end, {@link Sink#finish} included.
   *
   * @param node whose sink it is, for the metrics
   */
  void run(PipelineHead head, Sink sink, PhysicalPlan node);

  /**
   * Runs a pipeline to its end and keeps its rows. What an exchange has brought is kept as it is,
   * and in a device's own memory what a join or a grouping has made.
   *
   * @param node who wants them, for the metrics
   */
  SpillableRowCollection collect(PipelineHead head, PhysicalPlan node);

  /** The expression with the values of this execution in place of parameters. */
  Expr resolve(Expr expression);

  List<Expr> resolve(List<Expr> expressions);

  /**
   * The value of a literal or parameter that counts rows (OFFSET, FETCH).
   *
   * @param what for messages
   * @throws AragoniteException INVALID_ARGUMENT if it is null or negative
   */
  long rowCount(@Nullable Expr expression, long ifAbsent, String what);

  /** What of the query the nodes' operators use while they run. */
  QueryResources resources();

  /** The algorithm that the query's joins on equal keys must use; null: the plan's. */
  @Nullable JoinAlgorithm join();
}
