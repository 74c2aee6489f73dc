package io.aragonite.exec.execution;

import io.aragonite.exec.collective.Rank;
import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.Parallel;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.limit.StopCheck;
import io.aragonite.exec.memory.MappedFiles;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.pipeline.BatchConsumer;
import io.aragonite.exec.pipeline.ParameterValues;
import io.aragonite.exec.pipeline.PipelineHead;
import io.aragonite.exec.pipeline.PlanCompiler;
import io.aragonite.exec.pipeline.Sink;
import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.runtime.QueryMetrics;
import io.aragonite.exec.runtime.QueryOptions;
import io.aragonite.exec.spill.QuerySpill;
import io.aragonite.exec.spill.SpillableRowCollection;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.HostObjects;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One query while it runs: its memory, its workers, what it must close, and whether it is to stop.
 *
 * <p>All pipelines are run by one coordinating thread at a time, which is worker 0 itself; {@link
 * #stop} may come from any thread.
 */
public final class QueryExecution implements AutoCloseable {
  private final Device device;
  private final Executor executor;
  private final QueryMetrics metrics;
  private final @Nullable Rank rank;

  /** The query of which this is what is done on the host; null: it is whole. */
  private final @Nullable QueryExecution whole;

  private final HostObjects hostObjects;
  private final ParameterValues parameters;
  private final QueryMemory memory;
  private final QueryMemory hostMemory;
  private final Workers workers;
  private final QuerySpill spill;
  private final List<AutoCloseable> resources = new ArrayList<>();
  private long deadline;
  private final boolean limited;
  private final double limitSeconds;
  private final @Nullable BooleanSupplier cancelFlag;
  private final @Nullable JoinAlgorithm join;
  private volatile @Nullable Throwable stopped;

  /**
   * @param executor lends threads to workers other than the coordinating one
   */
  public QueryExecution(
      Device device, Executor executor, QueryOptions options, QueryMetrics metrics) {
    this(device, executor, options, metrics, null);
  }

  /**
   * @param executor lends threads to workers other than the coordinating one
   * @param metrics begun by whoever opens the ranks of a query
   * @param rank its place among the queries that run one plan together; null: it runs alone
   */
  public QueryExecution(
      Device device,
      Executor executor,
      QueryOptions options,
      QueryMetrics metrics,
      @Nullable Rank rank) {
    this.device = device;
    this.executor = executor;
    this.metrics = metrics;
    this.rank = rank;
    whole = null;
    this.hostObjects = rank == null ? new HostObjects() : rank.hostObjects();
    parameters = new ParameterValues(options.parameters());
    cancelFlag = options.cancelled();
    join = options.join();
    limited = options.timeout() != null;
    limitSeconds = options.timeout() == null ? 0 : options.timeout().toNanos() / 1e9;
    deadline = System.nanoTime() + (options.timeout() == null ? 0 : options.timeout().toNanos());
    memory = device.newQueryMemory(options.memoryBytes());
    hostMemory = device.hostMemory(memory, options.memoryBytes());
    if (rank == null) {
      metrics.begin(device.name(), () -> device.usage(memory));
    }
    workers = new Workers(this, executor, device.workers(options.workers()));
    metrics.begin(workers);
    spill = new QuerySpill(device, memory, hostMemory, options.memoryBytes(), options.statement());
    // Ranks of one query wait for each other already.
    spill.watch(workers.context(0), rank == null);
    metrics.holds(
        new QueryMetrics.Holding(
            () -> memory.used() + (hostMemory.equals(memory) ? 0 : hostMemory.used()),
            () -> memory.peak() + (hostMemory.equals(memory) ? 0 : hostMemory.peak())));
  }

  /** What of a query is done on the host, by one worker, in the memory that it has there. */
  private QueryExecution(QueryExecution whole) {
    this.whole = whole;
    device = whole.device.host();
    executor = whole.executor;
    metrics = whole.metrics;
    rank = null;
    hostObjects = whole.hostObjects;
    parameters = whole.parameters;
    memory = whole.hostMemory;
    hostMemory = memory;
    limited = false;
    limitSeconds = 0;
    cancelFlag = null;
    join = whole.join;
    workers = new Workers(this, executor, 1);
    metrics.begin(workers);
    spill = whole.spill.onHost();
  }

  /**
   * The query's work over few rows on the host: the host's device runs pipelines as this one does,
   * and ends when this query is to. Closed with it.
   */
  QueryExecution onHost() {
    return closeLater(new QueryExecution(this));
  }

  /** Has the query end when another was to, in whose place it runs; before it runs. */
  void inPlaceOf(QueryExecution other) {
    deadline = other.deadline;
  }

  public Device device() {
    return device;
  }

  public QueryMetrics metrics() {
    return metrics;
  }

  public HostObjects hostObjects() {
    return hostObjects;
  }

  public QueryMemory memory() {
    return memory;
  }

  /** Host memory of the query: {@link #memory} itself if the device's memory is host memory. */
  public QueryMemory hostMemory() {
    return hostMemory;
  }

  Executor executor() {
    return executor;
  }

  QuerySpill spill() {
    return spill;
  }

  @Nullable Rank rank() {
    return rank;
  }

  @Nullable JoinAlgorithm join() {
    return join;
  }

  ParameterValues parameters() {
    return parameters;
  }

  Workers workers() {
    return workers;
  }

  ExecContext coordinator() {
    return workers.context(0);
  }

  /** Has this thread, the coordinating one, look whether the query is to end wherever it works. */
  StopCheck.Scope entered() {
    return coordinator().stopCheck().enter();
  }

  /** Runs a pipeline to its end, the sink's included. */
  void run(PipelineHead head, Sink sink, QueryMetrics.NodeMetrics node) {
    PipelineRun run = new PipelineRun(this, head, sink, node);
    run.runAll();
  }

  /** Does work between pipelines and books its time to a node. */
  <T extends @Nullable Object> T work(
      QueryMetrics.NodeMetrics node, Function<ExecContext, T> task) {
    Workers.WorkerContext coordinator = workers.context(0);
    coordinator.clock.switchTo(node);
    long mark = coordinator.scratch().mark();
    try (StopCheck.Scope _ = entered()) {
      return task.apply(coordinator);
    } finally {
      coordinator.scratch().release(mark);
      coordinator.clock.switchTo(null);
    }
  }

  /** Does work on all workers, without a plan: for benchmarks and tools. */
  public <T extends @Nullable Object> T work(Function<ExecContext, T> task) {
    return work(new QueryMetrics.NodeMetrics(), task);
  }

  synchronized <T extends AutoCloseable> T closeLater(T resource) {
    resources.add(resource);
    return resource;
  }

  /** Makes all workers end with {@code reason} soon. The first reason counts. */
  void stop(Throwable reason) {
    if (whole != null) {
      whole.stop(reason);
      return;
    }
    synchronized (this) {
      if (stopped == null) {
        stopped = reason;
      }
    }
  }

  /** Has the reason for which the query stops be another one, that says more of it. */
  @SuppressWarnings("ReferenceEquality") // this very error, not one like it
  void explain(Throwable reason, Throwable better) {
    if (whole != null) {
      whole.explain(reason, better);
      return;
    }
    synchronized (this) {
      if (stopped == reason) {
        stopped = better;
      }
    }
  }

  /** Makes all workers end soon, as the user asked. */
  public void cancel() {
    stop(cancelled());
  }

  private static AragoniteException cancelled() {
    return new AragoniteException(ErrorCode.CANCELLED, "The query was cancelled.");
  }

  /**
   * Runs a plan whose rows nobody here asks for: they have gone to another device when it returns.
   */
  public void runRank(PhysicalPlan plan) {
    run(plan, shapes -> new EmptySink());
  }

  /**
   * Runs a plan whose rows stay in the device's memory until the query is closed, for benchmarks.
   * Returns when they are there.
   */
  public SpillableRowCollection collect(PhysicalPlan plan) {
    try (StopCheck.Scope _ = entered()) {
      checkCancelled();
      PlanCompiler compiler = new PhysicalPlanCompiler(this);
      SpillableRowCollection rows = compiler.collect(compiler.compile(plan), plan);
      device.transfers().await(coordinator());
      return rows;
    } catch (Throwable e) {
      stop(e);
      throw toException(e);
    }
  }

  private void run(PhysicalPlan plan, Function<List<ColumnShape>, Sink> sink) {
    try (StopCheck.Scope _ = entered()) {
      checkCancelled();
      PipelineHead head = new PhysicalPlanCompiler(this).compile(plan);
      new PipelineRun(this, head, sink.apply(head.shapes()), new QueryMetrics.NodeMetrics())
          .runAll();
    } catch (Throwable e) {
      stop(e);
      throw toException(e);
    }
  }

  /**
   * Returns when the device has done all that the query has asked of it, copies included: they may
   * be from or to memory of another query. No worker may be running, and none runs again.
   */
  public void awaitDevice() {
    try {
      workers.endCopies();
    } finally {
      device.transfers().await(coordinator());
    }
  }

  /** Where there are no rows. */
  private static final class EmptySink implements Sink {
    @Override
    public BatchConsumer newWorker(ExecContext context) {
      return batch -> {};
    }

    @Override
    public void finish(ExecContext context, Parallel parallel) {}
  }

  /** Why the query is to stop, null if it is not. */
  @Nullable Throwable stopped() {
    return whole == null ? stopped : whole.stopped();
  }

  void checkCancelled() {
    if (whole != null) {
      whole.checkCancelled();
      return;
    }
    if (stopped == null) {
      if (cancelFlag != null && cancelFlag.getAsBoolean()) {
        stop(cancelled());
      } else if (Thread.currentThread().isInterrupted()) {
        stop(
            new AragoniteException(
                ErrorCode.CANCELLED, "The query was cancelled: its thread was interrupted."));
      } else if (limited && System.nanoTime() - deadline > 0) {
        stop(
            new AragoniteException(
                ErrorCode.TIMED_OUT,
                "The query did not end within its time limit of %.2f s; allow more time (timeout=, setQueryTimeout) or ask for less."
                    .formatted(limitSeconds)));
      }
    }
    Throwable reason = stopped;
    if (reason != null) {
      throw toException(reason);
    }
  }

  private static AragoniteException defect(Throwable reason) {
    return new AragoniteException(
        ErrorCode.INTERNAL, "The query failed by a defect of the engine: " + reason, reason);
  }

  /** The reason as an error of the catalogue. */
  static AragoniteException toException(Throwable reason) {
    return switch (reason) {
      case AragoniteException known -> known;
      case OutOfMemoryError full ->
          new AragoniteException(
              ErrorCode.MEMORY_EXCEEDED,
              "The Java heap is full; give the JVM more with -Xmx, or ask for less.",
              full);
      // It says nothing of its own.
      case ExceptionInInitializerError failed when failed.getCause() != null ->
          defect(failed.getCause());
      // Behind the first statement that needed the class.
      case NoClassDefFoundError gone
          when gone.getCause() instanceof ExceptionInInitializerError first ->
          new AragoniteException(
              ErrorCode.INTERNAL,
              "The query failed by a defect: %s; %s"
                  .formatted(gone.getMessage(), first.getMessage()),
              gone);
      default -> {
        AragoniteException shorter = MappedFiles.explain(reason);
        yield shorter != null ? shorter : defect(reason);
      }
    };
  }

  private void closeMemory() {
    try {
      memory.close();
    } finally {
      try {
        hostMemory.close();
      } finally {
        spill.leave();
      }
    }
  }

  /** Frees everything. No worker may be running. */
  @Override
  public void close() {
    List<AutoCloseable> open;
    synchronized (this) {
      open = new ArrayList<>(resources.reversed());
      resources.clear();
    }
    Throwable failure = null;
    try {
      // Copies that are under way use what is freed next.
      workers.endCopies();
    } catch (RuntimeException e) {
      failure = e;
    }
    for (AutoCloseable resource : open) {
      try {
        resource.close();
      } catch (Exception e) {
        failure = failure == null ? e : failure;
      }
    }
    try {
      spill.close();
    } catch (RuntimeException e) {
      failure = failure == null ? e : failure;
    }
    try {
      workers.close();
    } finally {
      metrics.end(workers);
      if (whole == null) {
        closeMemory();
      }
    }
    if (failure != null) {
      throw toException(failure);
    }
  }
}
