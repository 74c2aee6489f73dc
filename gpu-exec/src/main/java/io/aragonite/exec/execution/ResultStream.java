package io.aragonite.exec.execution;

import io.aragonite.exec.device.Device;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.limit.StopCheck;
import io.aragonite.exec.pipeline.PipelineHead;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.runtime.BatchResult;
import io.aragonite.exec.runtime.QueryMetrics;
import io.aragonite.exec.runtime.QueryOptions;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.HostObjects;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A query's rows as they come. The query starts when the shapes or the first rows are asked for, so
 * that whoever holds the result can cancel all of it. All pipelines but the last run on the asking
 * thread and its helpers; the last one too if it is small or ordered, a morsel at a time. Else, and
 * where a morsel may have many more rows than a batch, it runs in the background, at most a few
 * batches ahead of the consumer. Rows come in the order of their source where the pipeline {@link
 * PipelineHead#keepsOrder keeps} it, however many workers run it.
 */
public final class ResultStream implements BatchResult {
  /** How often a query begins again that was refused memory which others held. */
  private static final int MOST_AGAIN = 3;

  /** Bytes of a worker's rows that wait for those before them: a part of a file's, or some ... */
  private static final long HELD_BYTES = 16 << 20;

  /** ... of small morsels: what stays in a cache is quicker to read ... */
  private static final long FINE_BYTES = 2 << 20;

  /** ... and what part of the memory those of all workers take at most. */
  private static final int HELD_SHARE = 16;

  private final PhysicalPlan plan;
  private final Executor executor;

  /** Makes the query once more; null: it belongs to others too. */
  private final @Nullable Supplier<QueryExecution> again;

  private volatile QueryExecution query;
  private volatile ResultQueue queue;
  private volatile boolean cancelled;
  private @Nullable List<ColumnShape> shapes;
  private @Nullable PipelineRun last;
  private @Nullable ResultSink sink;
  private boolean inline;
  private boolean inStage;
  private ResultQueue.@Nullable Entry current;
  private boolean ended;
  private boolean closed;

  /**
   * @param metrics where the query counts
   */
  public ResultStream(
      Device device,
      Executor executor,
      PhysicalPlan plan,
      QueryOptions options,
      QueryMetrics metrics) {
    this(
        new QueryExecution(device, executor, options, metrics),
        executor,
        plan,
        () -> new QueryExecution(device, executor, options, metrics));
  }

  /**
   * @param query closed with the result
   */
  public ResultStream(QueryExecution query, Executor executor, PhysicalPlan plan) {
    this(query, executor, plan, null);
  }

  private ResultStream(
      QueryExecution query,
      Executor executor,
      PhysicalPlan plan,
      @Nullable Supplier<QueryExecution> again) {
    this.again = again;
    this.plan = plan;
    this.executor = executor;
    this.query = query;
    this.queue = new ResultQueue(query);
  }

  @Override
  public List<ColumnShape> shapes() {
    return start();
  }

  private List<ColumnShape> start() {
    List<ColumnShape> known = shapes;
    for (int time = 0; known == null; time++) {
      try (StopCheck.Scope _ = query.entered()) {
        known = start(time > 0);
        shapes = known;
      } catch (Throwable e) {
        AragoniteException error = failed(e);
        boolean outdone =
            error.code() == ErrorCode.MEMORY_EXCEEDED && query.spill().outdone() && !cancelled;
        if (again == null || time >= MOST_AGAIN || !outdone) {
          throw error;
        }
        // Nobody has seen anything of it: what it holds goes to the others, and it waits.
        QueryExecution before = query;
        before.close();
        query = again.get();
        query.inPlaceOf(before);
        queue = new ResultQueue(query);
        if (cancelled) {
          query.cancel();
        }
      }
    }
    return known;
  }

  /**
   * @param alone whether it has been tried beside others
   */
  private List<ColumnShape> start(boolean alone) {
    query.checkCancelled();
    query.spill().enter(alone);
    PhysicalPlanCompiler.End end = new PhysicalPlanCompiler(query).compileWhole(plan);
    PipelineHead head = end.head();
    QueryMetrics.NodeMetrics nobody = new QueryMetrics.NodeMetrics();
    ResultSink rows = new ResultSink(queue, end.query(), head.shapes());
    PipelineRun run = new PipelineRun(end.query(), head, rows, nobody);
    last = run;
    sink = rows;
    inline = run.small();
    query.spill().beginEmitting();
    if (!inline) {
      int workers = query.workers().workers();
      long share = query.device().host().memory().limit() / HELD_SHARE;
      queue.bound(2 * workers, Math.min(workers * (run.fine() ? FINE_BYTES : HELD_BYTES), share));
      queue.runBehind(executor, run::runAll);
    }
    return head.shapes();
  }

  @Override
  public @Nullable ColumnBatch next() {
    start();
    try (StopCheck.Scope _ = query.entered()) {
      if (current != null) {
        current.free(query.hostMemory());
        current = null;
      }
      current = ended ? null : inline ? nextInline() : queue.take();
    } catch (Throwable e) {
      throw failed(e);
    }
    ended = current == null;
    return current == null ? null : current.batch();
  }

  private ResultQueue.@Nullable Entry nextInline() {
    PipelineRun run = last;
    ResultQueue.Entry entry = queue.poll();
    while (entry == null && run != null) {
      query.checkCancelled();
      run.begin();
      if (sink != null && sink.emitMore()) {
        // The next rows of a morsel that has run.
      } else if (!inStage) {
        inStage = run.nextStage();
        if (!inStage) {
          run.finishSink();
          run = null;
          last = null;
        }
      } else if (!run.runMorsel(0) && !run.nextRound()) {
        run.finishStage(0);
        inStage = false;
      }
      entry = queue.poll();
    }
    return entry;
  }

  @SuppressWarnings("ReferenceEquality") // the very error, not one like it
  private AragoniteException failed(Throwable e) {
    query.stop(e);
    Throwable reason = query.stopped();
    // What was thrown because of the first reason says more.
    boolean explained = e instanceof AragoniteException && e.getCause() == reason;
    return QueryExecution.toException(reason == null || explained ? e : reason);
  }

  @Override
  public boolean resting() {
    return queue.resting();
  }

  @Override
  public HostObjects hostObjects() {
    return query.hostObjects();
  }

  @Override
  public void cancel() {
    cancelled = true;
    query.cancel();
    queue.wake();
  }

  @Override
  public QueryMetrics metrics() {
    return query.metrics();
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    if (!ended) {
      ended = true;
      query.cancel();
      queue.wake();
    }
    queue.awaitEnd();
    query.close();
  }
}
