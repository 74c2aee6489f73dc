package io.aragonite.exec.execution;

import io.aragonite.exec.device.CopyQueue;
import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.HostExecContext;
import io.aragonite.exec.device.Parallel;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.limit.StopCheck;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.runtime.QueryMetrics;
import io.aragonite.exec.vector.HostObjects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.IntConsumer;
import java.util.function.ObjIntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The workers of one query. Worker 0 is the coordinating thread; the others borrow threads while
 * there is something to do.
 */
final class Workers implements Parallel, QueryMetrics.WorkerTimes, AutoCloseable {
  private final QueryExecution query;
  private final Executor executor;
  private final WorkerContext[] contexts;

  Workers(QueryExecution query, Executor executor, int count) {
    this.query = query;
    this.executor = executor;
    contexts = new WorkerContext[count];
    for (int i = 0; i < count; i++) {
      contexts[i] = new WorkerContext(query);
    }
    contexts[0].parallel = this;
  }

  @Override
  public int workers() {
    return contexts.length;
  }

  @Override
  public long uncountedNanos(QueryMetrics.NodeMetrics node) {
    long nanos = 0;
    for (WorkerContext context : contexts) {
      nanos += context.clock.unbooked(node);
    }
    return nanos;
  }

  WorkerContext context(int worker) {
    return contexts[worker];
  }

  /** In a pipeline worker 0 works alone, as the others do. */
  void coordinate(boolean on) {
    contexts[0].parallel = on ? this : null;
  }

  @Override
  public void forEach(int tasks, ObjIntConsumer<ExecContext> task) {
    AtomicInteger next = new AtomicInteger();
    WorkerClock coordinator = contexts[0].clock;
    boolean coordinating = contexts[0].parallel == this;
    coordinate(false);
    try {
      runOn(
          Math.min(tasks, contexts.length),
          worker -> {
            WorkerContext context = contexts[worker];
            if (worker > 0) {
              context.clock.switchTo(coordinator.current());
            }
            for (int i = next.getAndIncrement(); i < tasks; i = next.getAndIncrement()) {
              query.checkCancelled();
              long mark = context.scratch().mark();
              task.accept(context, i);
              context.scratch().release(mark);
            }
            if (worker > 0) {
              context.clock.switchTo(null);
            }
          });
    } finally {
      coordinate(coordinating);
    }
  }

  /**
   * Runs {@code work} once for each of the workers 0 to {@code count - 1}, worker 0 on this thread,
   * and returns when all have ended. The first error stops the query and is thrown. What has found
   * no thread when this one is done, this one does as well: short work does not wait until as many
   * threads are awake as there are workers.
   */
  void runOn(int count, IntConsumer work) {
    if (count <= 1) {
      guarded(0, work);
    } else {
      CountDownLatch ended = new CountDownLatch(count - 1);
      AtomicIntegerArray begun = new AtomicIntegerArray(count);
      for (int i = 1; i < count; i++) {
        start(i, work, begun, ended);
      }
      guarded(0, work);
      for (int i = count - 1; i > 0; i--) {
        begin(i, work, begun, ended);
      }
      await(ended);
    }
    Throwable reason = query.stopped();
    if (reason != null) {
      throw QueryExecution.toException(reason);
    }
  }

  /** Does a worker's part, unless another thread does. */
  private void begin(int worker, IntConsumer work, AtomicIntegerArray begun, CountDownLatch ended) {
    if (begun.compareAndSet(worker, 0, 1)) {
      guarded(worker, work);
      ended.countDown();
    }
  }

  private void start(int worker, IntConsumer work, AtomicIntegerArray begun, CountDownLatch ended) {
    try {
      executor.execute(() -> begin(worker, work, begun, ended));
    } catch (RejectedExecutionException e) {
      query.stop(
          new AragoniteException(ErrorCode.CANCELLED, "The engine was closed during a query.", e));
    } catch (Throwable e) {
      query.stop(e);
    }
  }

  private void guarded(int worker, IntConsumer work) {
    if (query.stopped() != null) {
      return;
    }
    try (StopCheck.Scope _ = contexts[worker].stopCheck().enter()) {
      work.accept(worker);
    } catch (Throwable e) {
      query.stop(e);
    }
  }

  /** Workers end by themselves soon after an interrupt has stopped the query: no early return. */
  private void await(CountDownLatch ended) {
    boolean interrupted = false;
    while (true) {
      try {
        ended.await();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
        query.cancel();
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Waits until no copies of the workers are under way; there are no more. */
  void endCopies() {
    RuntimeException failure = null;
    for (WorkerContext context : contexts) {
      try {
        context.endCopies();
      } catch (RuntimeException e) {
        failure = failure == null ? e : failure;
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  @Override
  public void close() {
    for (WorkerContext context : contexts) {
      context.close();
    }
  }

  /** What one worker works with. */
  static final class WorkerContext implements ExecContext, AutoCloseable {
    private final QueryExecution query;
    private final StopCheck stopCheck;
    final WorkerClock clock = new WorkerClock();
    private QueryMemory.@Nullable Arena scratch;
    private @Nullable HostExecContext onHost;
    private @Nullable CopyQueue copies;
    private volatile @Nullable Parallel parallel;

    WorkerContext(QueryExecution query) {
      this.query = query;
      stopCheck =
          new StopCheck(
              query::checkCancelled,
              bytes -> query.hostMemory().reserve(bytes),
              bytes -> query.hostMemory().unreserve(bytes),
              query.metrics().reading());
    }

    @Override
    public StopCheck stopCheck() {
      return stopCheck;
    }

    @Override
    public Device device() {
      return query.device();
    }

    @Override
    public QueryMemory.Arena scratch() {
      QueryMemory.Arena arena = scratch;
      if (arena == null) {
        arena = query.memory().newArena();
        scratch = arena;
      }
      return arena;
    }

    @Override
    public QueryMemory memory() {
      return query.memory();
    }

    @Override
    public ExecContext onHost() {
      if (query.device().traits().hostMemory()) {
        return this;
      }
      HostExecContext known = onHost;
      if (known == null) {
        known = new HostExecContext(this, query.hostMemory());
        onHost = known;
      }
      return known;
    }

    @Override
    public CopyQueue copies() {
      CopyQueue known = copies;
      if (known == null) {
        known = query.device().transfers().newQueue(this);
        copies = known;
      }
      return known;
    }

    void endCopies() {
      CopyQueue known = copies;
      // Whatever comes of it, it is not closed again: what it gave back is somebody else's then.
      copies = null;
      if (known != null) {
        known.close();
      }
    }

    @Override
    public void addFigure(String name, long value) {
      QueryMetrics.NodeMetrics node = clock.current();
      if (node != null) {
        node.figures.merge(name, value, Long::sum);
      }
    }

    @Override
    public HostObjects hostObjects() {
      return query.hostObjects();
    }

    @Override
    public Parallel parallel() {
      Parallel helpers = parallel;
      return helpers == null ? Parallel.alone(this) : helpers;
    }

    @Override
    public void checkCancelled() {
      query.checkCancelled();
    }

    @Override
    public void close() {
      endCopies();
      if (scratch != null) {
        scratch.close();
        scratch = null;
      }
      if (onHost != null) {
        onHost.close();
        onHost = null;
      }
    }
  }
}
