package io.aragonite.exec.group;

import io.aragonite.exec.collective.Barrier;
import io.aragonite.exec.collective.Rank;
import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.DeviceUsage;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.execution.QueryExecution;
import io.aragonite.exec.execution.ResultStream;
import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.runtime.BatchResult;
import io.aragonite.exec.runtime.QueryMetrics;
import io.aragonite.exec.runtime.QueryOptions;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.HostObjects;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One plan run by several devices, a query each: the first one's rows, on the thread that asks for
 * them, are the result; the others run on threads of their own. Memory of all is given back when
 * the last has ended, since they read each other's.
 */
final class RankResults implements BatchResult {
  /** At its level TRACE has what the ranks of each query did when. */
  private static final Logger LOG = LoggerFactory.getLogger(RankResults.class);

  /** How long ranks may take to end, of a query all of whose rows have been handed out. */
  private static final long ENDING_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Rank first;
  private final long created = System.nanoTime();
  private final Barrier meeting;
  private final PhysicalPlan plan;
  private final QueryMetrics metrics;
  private final ResultStream rows;

  /** All but the first. */
  private final List<RankTask> helpers = new ArrayList<>();

  /** Whether ranks are done with each other when their part of the plan is. */
  private final boolean apart;

  private final CountDownLatch ended;
  private boolean started;
  private boolean closed;

  /** Whether all rows have been handed out. */
  private boolean complete;

  /**
   * @param plan of {@code spread}
   */
  RankResults(
      List<Device> devices,
      Executor executor,
      PhysicalPlan plan,
      ExchangePlanner.ExchangePlan spread,
      QueryOptions options,
      QueryMetrics metrics) {
    this.meeting = new Barrier(devices);
    this.plan = plan;
    this.apart = !sortsTogether(plan);
    this.metrics = metrics;
    this.ended = new CountDownLatch(devices.size() - 1);
    for (int i = 1; i < devices.size(); i++) {
      BorrowedThread thread = new BorrowedThread(executor);
      thread.wake();
      Rank rank = rank(i, spread);
      helpers.add(
          new RankTask(
              rank,
              thread,
              () -> new QueryExecution(rank.device(), executor, options, metrics, rank)));
    }
    first = rank(0, spread);
    QueryExecution query =
        new QueryExecution(devices.getFirst(), executor, options, metrics, first);
    metrics.begin(DeviceGroup.name(devices), () -> usage(query));
    spread.originals().forEach(metrics::inPlaceOf);
    rows = new ResultStream(query, executor, plan);
    first.span("opening", created);
  }

  private Rank rank(int index, ExchangePlanner.ExchangePlan spread) {
    Rank rank = new Rank(meeting, index);
    rank.place(spread.orders());
    rank.firstOnly(spread.onFirst());
    rank.onAll(spread.onAll());
    rank.passing(spread.passing());
    rank.last(spread.last());
    return rank;
  }

  /** A rank other than the first: opened, run and mostly closed on a thread of its own. */
  private static final class RankTask {
    private final Rank rank;
    private final BorrowedThread thread;
    private final Supplier<QueryExecution> opening;
    private volatile @Nullable QueryExecution query;
    private boolean cancelled;

    /** Whether it has been closed, or has failed to. */
    private volatile boolean gone;

    RankTask(Rank rank, BorrowedThread thread, Supplier<QueryExecution> opening) {
      this.rank = rank;
      this.thread = thread;
      this.opening = opening;
    }

    QueryExecution open() {
      QueryExecution opened = opening.get();
      synchronized (this) {
        query = opened;
        if (cancelled) {
          opened.cancel();
        }
      }
      return opened;
    }

    synchronized void cancel() {
      cancelled = true;
      if (query != null && !gone) {
        query.cancel();
      }
    }

    /** Its query, if there is one that is to be closed. */
    @Nullable QueryExecution left() {
      return gone ? null : query;
    }
  }

  /**
   * A thread for a helper. It is woken before the queries are opened, which takes as long as to
   * wake a thread; one that waits in vain for a little while goes, and another is asked for then.
   */
  private static final class BorrowedThread implements Runnable {
    private static final Runnable GONE = () -> {};

    private final Executor executor;
    private final AtomicReference<@Nullable Runnable> work = new AtomicReference<>();

    BorrowedThread(Executor executor) {
      this.executor = executor;
    }

    void wake() {
      try {
        executor.execute(this);
      } catch (RuntimeException | Error e) {
        // Who has work for it asks again, and gets the error.
        work.set(GONE);
      }
    }

    void give(Runnable task) {
      if (!work.compareAndSet(null, task)) {
        executor.execute(task);
      }
    }

    @Override
    public void run() {
      Barrier.spin(() -> work.get() != null);
      Runnable given = work.getAndSet(GONE);
      if (given != null) {
        given.run();
      }
    }
  }

  /** Whether devices sort host memory together, and read each other's pieces at any time. */
  private static boolean sortsTogether(PhysicalPlan plan) {
    return plan instanceof PhysicalPlan.Join join
            && join.algorithm() == JoinAlgorithm.HOST_SORT_MERGE
        || plan.inputs().stream().anyMatch(RankResults::sortsTogether);
  }

  private DeviceUsage usage(QueryExecution query) {
    DeviceUsage all = query.device().usage(query.memory());
    for (RankTask helper : helpers) {
      QueryExecution opened = helper.query;
      DeviceUsage one = opened == null ? DeviceUsage.NONE : opened.device().usage(opened.memory());
      all =
          new DeviceUsage(
              all.kernels() + one.kernels(),
              all.toDeviceBytes() + one.toDeviceBytes(),
              all.toHostBytes() + one.toHostBytes(),
              all.deviceNanos() + one.deviceNanos());
    }
    return all;
  }

  private void start() {
    if (started) {
      return;
    }
    started = true;
    for (RankTask helper : helpers) {
      try {
        long asked = System.nanoTime();
        helper.thread.give(() -> run(helper, asked));
      } catch (RuntimeException | Error e) {
        ended.countDown();
        meeting.fail(e);
      }
    }
  }

  private void run(RankTask helper, long asked) {
    Rank rank = helper.rank;
    long start = rank.span("beginning", asked);
    try {
      QueryExecution query = helper.open();
      start = rank.span("opening", start);
      query.runRank(plan);
      start = rank.span("all", start);
      if (apart) {
        // What others read of it they have, or the plan would not have come to its end.
        helper.gone = true;
        query.close();
        rank.span("closing", start);
      }
    } catch (Throwable e) {
      meeting.fail(e);
    } finally {
      ended.countDown();
    }
  }

  /** What went wrong first is what the query's error is. */
  private AragoniteException failed(AragoniteException error) {
    Throwable reason = meeting.fail(error);
    Throwable cause = meeting.failure();
    return cause instanceof AragoniteException known
        ? known
        : cause == null || cause.equals(reason)
            ? error
            : new AragoniteException(
                ErrorCode.INTERNAL, "A device's part of the query failed: " + cause, cause);
  }

  @Override
  public List<ColumnShape> shapes() {
    start();
    try {
      return rows.shapes();
    } catch (AragoniteException e) {
      throw failed(e);
    }
  }

  @Override
  public @Nullable ColumnBatch next() {
    start();
    try {
      ColumnBatch batch = rows.next();
      complete |= batch == null;
      return batch;
    } catch (AragoniteException e) {
      throw failed(e);
    }
  }

  @Override
  public boolean resting() {
    return rows.resting();
  }

  @Override
  public HostObjects hostObjects() {
    return rows.hostObjects();
  }

  @Override
  public void cancel() {
    rows.cancel();
    helpers.forEach(RankTask::cancel);
  }

  @Override
  public QueryMetrics metrics() {
    return metrics;
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    long start = System.nanoTime();
    try {
      if (complete && apart) {
        // Beside the others, which do the same when their part of the plan has come to its end.
        rows.close();
      }
    } finally {
      endHelpers();
    }
    first.span("closing", start);
    if (LOG.isTraceEnabled()) {
      trace();
    }
  }

  /**
   * Behind the last exchange ranks end, and close what is theirs, by themselves; told to end in the
   * midst of it they would fail, and leave closing to this thread, one after the other. Any other
   * is told to, and nobody's memory goes before all have ended.
   */
  private void endHelpers() {
    if (!complete || !awaitHelpers(ENDING_NANOS)) {
      helpers.forEach(RankTask::cancel);
      if (started) {
        awaitHelpers(Long.MAX_VALUE);
      }
    }
    List<QueryExecution> left =
        helpers.stream().map(RankTask::left).filter(Objects::nonNull).toList();
    // After an error one may still be reading what the next to be closed has sent.
    left.forEach(DeviceTaskGroup::await);
    try {
      rows.close();
    } finally {
      DeviceTaskGroup.close(left);
    }
  }

  /** What each rank's thread did, in microseconds since the query was opened. */
  private void trace() {
    StringBuilder text = new StringBuilder();
    List<Rank> ranks = new ArrayList<>(List.of(first));
    helpers.forEach(helper -> ranks.add(helper.rank));
    for (Rank rank : ranks) {
      text.append("\nrank ").append(rank.index());
      for (Rank.TimeSpan span : rank.spans()) {
        text.append(
            String.format(
                Locale.ROOT,
                "\n  %8.1f %8.1f %s",
                (span.from() - created) / 1e3,
                (span.to() - span.from()) / 1e3,
                span.what()));
      }
    }
    LOG.trace("{}", text);
  }

  /** Waits until all have ended; false if they have not in so long. */
  private boolean awaitHelpers(long nanos) {
    Barrier.spin(() -> ended.getCount() == 0);
    long from = System.nanoTime();
    boolean interrupted = false;
    boolean all = false;
    long left = nanos;
    while (!all && left > 0) {
      try {
        all = ended.await(left, TimeUnit.NANOSECONDS);
      } catch (InterruptedException e) {
        interrupted = true;
      }
      left = nanos - (System.nanoTime() - from);
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return all;
  }

  /** What went wrong first on any device; null if nothing did. For tests. */
  @Nullable Throwable failure() {
    return meeting.failure();
  }
}
