package io.aragonite.adapter.execution;

import io.aragonite.adapter.options.Units;
import io.aragonite.exec.device.ColumnPrefetch;
import io.aragonite.exec.device.HostColumns;
import io.aragonite.exec.engine.Engine;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.limit.ReadProgress;
import io.aragonite.exec.limit.StopCheck;
import io.aragonite.exec.runtime.BatchResult;
import io.aragonite.exec.runtime.QueryMetrics;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.rules.runtime.GpuQuery;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.apache.calcite.avatica.ColumnMetaData;
import org.apache.calcite.avatica.Meta;
import org.apache.calcite.rel.type.RelDataType;
import org.jspecify.annotations.Nullable;

/**
 * One run of a statement, from the JDBC call that starts it until its result is closed: whether it
 * is to stop and why, and the queries that the engine runs for it. {@link #cancel} may come from
 * any thread.
 */
public final class Execution implements AutoCloseable {
  /** The name under which the run's data context knows it. */
  public static final String KEY = "aragoniteExecution";

  private static final ScopedValue<Execution> CURRENT = ScopedValue.newInstance();

  /** How often it is looked whether what was stopped has ended. */
  private static final Duration LOOK = Duration.ofMillis(20);

  /** Is told when a result waits for its client. */
  public interface WaitListener {
    /** The result waits; what the engine has begun of it may still go on. */
    void waits();

    /**
     * The client asks for more, and waits until this returns.
     *
     * @throws AragoniteException what the run ends with meanwhile
     */
    void goesOn();
  }

  private final @Nullable Duration timeout;
  private final long startNanos = System.nanoTime();
  private final AtomicBoolean stop = new AtomicBoolean();
  private final AtomicReference<@Nullable ErrorCode> reason = new AtomicReference<>();
  private final List<TrackedResult> results = new ArrayList<>();
  private final List<AutoCloseable> kept = new ArrayList<>();
  private final Map<GpuQuery, QueryMetrics> metrics = new IdentityHashMap<>();
  private @Nullable GpuQuery whole;
  private List<ColumnMetaData> columns = List.of();
  private @Nullable RelDataType rowType;
  private @Nullable RowWatch<?> rows;
  private final Deadlines.@Nullable Deadline ticket;
  private final boolean mayHaveParameters;
  private final BoundParameters parameters;
  private volatile Meta.@Nullable Signature signature;
  private boolean describing;
  private boolean counting;
  private final LongAdder steps = new LongAdder();

  /** What is read beside the engine's queries: for statistics, mostly. */
  private final ReadProgress planning = new ReadProgress();

  private volatile boolean closed;
  private volatile @Nullable WaitListener waitListener;

  /** Whether the result waits for its client. */
  private volatile boolean waits;

  private final String id = HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong());
  private final AtomicReference<@Nullable Runnable> observer = new AtomicReference<>();
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private final List<PreparedPlan> plans = new ArrayList<>();
  private volatile long planned;
  private volatile long memoryLimit;
  private volatile @Nullable String user;
  private final DeliveredRows delivered;

  /** For whom it began: a statement that is nested deeply is prepared by another thread. */
  private final @Nullable ClientRequest begunBy = ClientRequest.current();

  /**
   * @param timeout longest time from now to the last row, null for none
   */
  public Execution(@Nullable Duration timeout) {
    this(timeout, true, 0);
  }

  /**
   * @param mayHaveParameters whether somebody could have given values for parameters; not so for a
   *     plain {@code Statement}
   * @param maxRows rows that are wanted at most, 0 for all
   */
  public Execution(@Nullable Duration timeout, boolean mayHaveParameters, long maxRows) {
    this.timeout = timeout;
    this.mayHaveParameters = mayHaveParameters;
    this.parameters = new BoundParameters(mayHaveParameters);
    this.delivered = new DeliveredRows(maxRows == 0 ? Long.MAX_VALUE : maxRows);
    this.ticket =
        timeout == null ? null : Deadlines.after(timeout, () -> stop(ErrorCode.TIMED_OUT));
  }

  /** The run that this thread is preparing or starting, null if there is none. */
  public static @Nullable Execution current() {
    return CURRENT.isBound() ? CURRENT.get() : null;
  }

  /** What ends work for this run on a thread that is not the engine's. */
  public StopCheck stopCheck() {
    return new StopCheck(this::check, planning);
  }

  /** Makes this the current run while {@code action} is under way. */
  public <T> T call(ScopedValue.CallableOp<T, Throwable> action) throws Throwable {
    try (ClientRequest.RequestScope _ = ClientRequest.enter(begunBy);
        StopCheck.Scope _ = new StopCheck(this::step, planning).enter()) {
      ClientRequest request = ClientRequest.current();
      if (request != null) {
        request.onCancel(this::cancel);
      }
      return ScopedValue.where(CURRENT, this).call(action);
    }
  }

  /** What planning asks in all its loops; statistics may be gathered by several threads. */
  private void step() {
    steps.increment();
    check();
  }

  /** How often planning has asked whether it has to stop: a measure of its work. */
  public long steps() {
    return steps.sum();
  }

  /** Has a statement with parameters described only: its plan is made for the values' types. */
  public void describe() {
    describing = true;
  }

  /** Whether values in the text may become parameters of this run: nobody else gives it some. */
  public boolean takesLiterals() {
    return !mayHaveParameters && !describing;
  }

  /** Whether a statement with parameters is described only. */
  public boolean describing() {
    return describing;
  }

  /** The values of the statement's parameters. */
  public BoundParameters parameters() {
    return parameters;
  }

  /** Has the run's result be that of a plan for the types of its parameters. */
  public void signature(Meta.Signature planned) {
    signature = planned;
  }

  /** The plan for the types of the parameters; null if the statement has none. */
  public Meta.@Nullable Signature signature() {
    return signature;
  }

  /** The flag that planner, generated code and engine poll. */
  public AtomicBoolean stopFlag() {
    return stop;
  }

  public void cancel() {
    stop(ErrorCode.CANCELLED);
  }

  private void stop(ErrorCode why) {
    reason.compareAndSet(null, why);
    stop.set(true);
    for (TrackedResult result : results()) {
      result.cancel();
    }
    if (waits) {
      overWhenResting();
    }
  }

  /** What is stopped is over when nothing works for it any more. */
  private void overWhenResting() {
    if (resting()) {
      over();
    } else {
      Deadlines.after(LOOK, this::overWhenResting);
    }
  }

  /** Whether nothing works for the result until its next rows are asked for. */
  public boolean resting() {
    return results().stream().allMatch(TrackedResult::resting);
  }

  /**
   * Has somebody told when the result waits for its client, and when the client asks for more.
   *
   * @param listener of a run that has begun
   */
  public void onWait(WaitListener listener) {
    waitListener = listener;
  }

  /** The result waits for its client: no thread is within this run now, nor soon will be. */
  public void waitForClient() {
    WaitListener listener = waitListener;
    if (listener == null || closed) {
      return;
    }
    listener.waits();
    waits = true;
    if (reason.get() != null) {
      overWhenResting();
    }
  }

  /**
   * The client asks for more of the result.
   *
   * @throws AragoniteException if the run was stopped before it could go on
   */
  public void goOn() {
    WaitListener listener = waitListener;
    if (listener == null || closed) {
      return;
    }
    check();
    listener.goesOn();
    waits = false;
    check();
  }

  /** The client has not asked for more for too long: gives back what the result holds. */
  public void abandon() {
    if (waits) {
      stop(ErrorCode.RESULT_IDLE);
      // Readers that come now are waited for.
      Thread.ofPlatform().daemon().name("aragonite-idle-result").start(this::close);
    }
  }

  private synchronized List<TrackedResult> results() {
    return List.copyOf(results);
  }

  /** Time left, null for no limit; never negative. */
  @Nullable Duration remaining() {
    if (timeout == null) {
      return null;
    }
    Duration left = timeout.minusNanos(System.nanoTime() - startNanos);
    return left.isNegative() ? Duration.ZERO : left;
  }

  /** Has the run end soon since nobody wants its rows any more; it is closed next. */
  public void discard() {
    stop.set(true);
  }

  /**
   * @throws AragoniteException CANCELLED or TIMED_OUT if the run is to stop, INVALID_CALL if it is
   *     closed
   */
  public void check() {
    watchTime();
    if (stop.get()) {
      throw stopped();
    }
  }

  private AragoniteException stopped() {
    AragoniteException ended = ended();
    return ended != null
        ? ended
        : new AragoniteException(
            ErrorCode.INVALID_CALL,
            "The result, its statement or its connection is closed; run the query again.");
  }

  /** Why the run was stopped; null if it was not, or was closed. */
  @Nullable
  public AragoniteException ended() {
    watchTime();
    ErrorCode why = reason.get();
    if (why == null) {
      return null;
    }
    if (why == ErrorCode.TIMED_OUT && timeout != null) {
      return new AragoniteException(
          ErrorCode.TIMED_OUT,
          "The statement took longer than its limit of %s; raise setQueryTimeout or timeout=."
              .formatted(Units.formatNanos(timeout.toNanos())));
    }
    if (why == ErrorCode.RESULT_IDLE) {
      return new AragoniteException(
          ErrorCode.RESULT_IDLE,
          "Nobody has read on in the result for longer than the server keeps one"
              + " (--idle-result-time); run the query again.");
    }
    return new AragoniteException(ErrorCode.CANCELLED, "The statement was cancelled.");
  }

  /** Stops the run if its time is up: the engine may see it before the timer does. */
  private void watchTime() {
    Duration left = remaining();
    if (left != null && left.isZero() && !closed) {
      stop(ErrorCode.TIMED_OUT);
    }
  }

  /** Whether the run has ended, or is about to. */
  public boolean closed() {
    return closed;
  }

  /** A number by which it is told from other runs, in logs. */
  public String id() {
    return id;
  }

  /**
   * Has {@code end} called once when the run is over: closed, read to its end, or stopped while its
   * result waited for the client. Nothing works for it any more then.
   */
  public void onEnd(Runnable end) {
    observer.set(end);
    if (closed) {
      over();
    }
  }

  /** The run has failed; what it has failed by first counts. */
  public void failed(Throwable error) {
    failure.compareAndSet(null, error);
  }

  /** By what the run has failed, null if it has not. */
  public @Nullable Throwable failure() {
    return failure.get();
  }

  private void over() {
    Runnable end = observer.getAndSet(null);
    if (end != null) {
      end.run();
    }
  }

  /**
   * Limits what each of the engine's queries for this run may hold at once.
   *
   * @param bytes on each device; null: what there is
   */
  public void limitMemory(@Nullable Long bytes) {
    memoryLimit = bytes == null ? 0 : bytes;
  }

  /** Bytes that a query of the run may hold at once; 0: what there is. */
  public long memoryLimit() {
    return memoryLimit;
  }

  /**
   * Says who runs the statement: CURRENT_USER and the like.
   *
   * @param name null: nobody that has logged in
   */
  public void user(@Nullable String name) {
    user = name;
  }

  /** Who runs the statement; null if nobody has logged in. */
  public @Nullable String user() {
    return user;
  }

  /** The rows that the run hands out. */
  public DeliveredRows delivered() {
    return delivered;
  }

  /** When the first plan was there to run, as {@link System#nanoTime}; 0 if none was. */
  public long planned() {
    return planned;
  }

  /** The engine has handed out rows, null after the last; those of the whole result count. */
  @SuppressWarnings("ReferenceEquality") // the query itself
  void delivered(GpuQuery query, @Nullable ColumnBatch batch) {
    GpuQuery result;
    synchronized (this) {
      result = whole;
    }
    if (query != result) {
      return;
    }
    if (batch == null) {
      over();
    } else {
      delivered.add(batch.rows(), delivered.countsBytes() ? HostColumns.bytes(batch) : 0);
    }
  }

  /** Calcite's code has made a row of the result, or none is left. */
  void delivered(boolean row) {
    boolean counted;
    synchronized (this) {
      counted = whole == null;
    }
    if (!counted) {
      return;
    }
    if (row) {
      delivered.add(1, 0);
    } else {
      over();
    }
  }

  /** A plan runs for this. */
  public synchronized void reads(PreparedPlan plan) {
    plans.add(plan);
    if (planned == 0) {
      planned = System.nanoTime();
    }
  }

  /** The plan that runs for this, of several the last; null if none runs yet. */
  public synchronized @Nullable PreparedPlan plan() {
    return plans.isEmpty() ? null : plans.getLast();
  }

  /** The tables of all plans that have run, by their full names. */
  public Set<String> tables() {
    List<PreparedPlan> all;
    synchronized (this) {
      all = List.copyOf(plans);
    }
    Set<String> tables = new TreeSet<>();
    all.forEach(plan -> plan.addTables(tables));
    return tables;
  }

  /** Has the engine bring what the run reads to its device while it is still planned. */
  public void expects(Engine engine, List<ColumnPrefetch.ScanColumns> scans) {
    AutoCloseable prefetch;
    try (StopCheck.Scope _ = stopCheck().enter()) {
      prefetch = engine.prefetch(scans);
    }
    keep(prefetch);
  }

  /** Has something end when this run does, after its queries: now if it has ended. */
  public void keep(AutoCloseable ended) {
    boolean late;
    synchronized (this) {
      late = closed;
      if (!late) {
        kept.add(ended);
      }
    }
    if (late) {
      end(ended);
    }
  }

  /** Only the number of rows that the statement changes is wanted of this run. */
  public void countRows() {
    counting = true;
  }

  /** Whether rows are of no use to whoever has asked for this run. */
  public boolean countsRows() {
    return counting;
  }

  private static void end(AutoCloseable ended) {
    try {
      ended.close();
    } catch (Exception e) {
      throw new IllegalStateException("it does not throw", e);
    }
  }

  /** Keeps a query that the engine has started, so that it ends with this run. */
  public TrackedResult track(GpuQuery query, BatchResult result) {
    TrackedResult tracked = new TrackedResult(query, result, this);
    boolean late;
    synchronized (this) {
      metrics.put(query, result.metrics());
      late = closed;
      if (!late) {
        results.add(tracked);
      }
    }
    if (late) {
      // Nobody closes it any more.
      tracked.close();
    } else if (stop.get()) {
      tracked.cancel();
    }
    return tracked;
  }

  /**
   * Says what the statement's result is.
   *
   * @param query the statement as a whole, null if it is none
   * @param newColumns what JDBC knows of its columns
   * @param newRowType their types, null if there are none but JDBC's
   */
  synchronized void result(
      @Nullable GpuQuery query,
      List<ColumnMetaData> newColumns,
      @Nullable RelDataType newRowType,
      RowWatch<?> newRows) {
    whole = query;
    columns = newColumns;
    rowType = newRowType;
    rows = newRows;
  }

  /** Has the columns known of a result that no statement has. */
  public synchronized void columns(List<ColumnMetaData> known) {
    columns = known;
  }

  /** The columns of the result; none if nothing is known of them. */
  public synchronized List<ColumnMetaData> columns() {
    return columns;
  }

  /** The types of the result's columns; null if only JDBC's are known. */
  public synchronized @Nullable RelDataType rowType() {
    return rowType;
  }

  /** Whether Calcite's rows are at their end, null if nobody watches them. */
  public synchronized @Nullable Boolean rowsEnded() {
    return rows == null ? null : rows.ended();
  }

  /** The result of the statement as a whole, null if a part of it does not run on the device. */
  public synchronized @Nullable TrackedResult deviceResult() {
    // A statement that changes a table has run other queries before that of its result.
    int others = results.size() - 1;
    if (others < 0 || !results.subList(0, others).stream().allMatch(TrackedResult::closed)) {
      return null;
    }
    TrackedResult last = results.get(others);
    return last.query() == whole ? last : null;
  }

  /** What the engine counted for each of the run's queries. */
  public synchronized Map<GpuQuery, QueryMetrics> metrics() {
    return new IdentityHashMap<>(metrics);
  }

  /** How far the run is; from any thread. */
  public QueryProgress progress() {
    return QueryProgress.of(planning, metrics());
  }

  /** What whoever runs the statement should know of the values that it has read. */
  public Set<String> warnings() {
    Set<String> warnings = new TreeSet<>(planning.warnings());
    metrics().values().forEach(counted -> warnings.addAll(counted.reading().warnings()));
    return warnings;
  }

  /** Ends the run and gives its memory back. */
  @Override
  public void close() {
    watchTime(); // an error of a run that has failed is mapped after it was closed
    List<TrackedResult> open;
    List<AutoCloseable> ends;
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      open = List.copyOf(results);
      results.clear();
      ends = List.copyOf(kept);
      kept.clear();
    }
    if (ticket != null) {
      ticket.cancel();
    }
    try {
      open.forEach(TrackedResult::close);
    } finally {
      ends.forEach(Execution::end);
      // Not before: what has come to its end by itself is not told to stop.
      stop.set(true);
      over();
    }
  }
}
