package io.aragonite.adapter.console;

import io.aragonite.adapter.error.SqlErrors;
import io.aragonite.adapter.execution.ClientIdentity;
import io.aragonite.adapter.execution.Execution;
import io.aragonite.adapter.execution.QueryProgress;
import io.aragonite.exec.error.ErrorCode;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A run of a statement as the console shows it. While it goes on, all that is told comes from the
 * run itself; at its end what is left of it is kept. Safe for several threads.
 */
public final class LoggedQuery {
  /** What a query does, or has come to. */
  enum QueryState {
    WAITING,
    PLANNING,
    RUNNING,
    /** Some of its rows have been handed out. */
    FETCHING,
    DONE,
    FAILED,
    CANCELLED
  }

  /** What is kept of a plan at most. */
  static final int MOST_PLAN_BYTES = 256 << 10;

  /** Of a statement; more of it tells nobody more. */
  static final int MOST_CHARACTERS = 1 << 16;

  /** Objects and fields, about. */
  private static final int OWN_BYTES = 500;

  /**
   * What it has come to.
   *
   * @param code {@code AR-nnn}; empty if it has not failed
   * @param hidden whether its figures tell of rows that its user does not see
   */
  record Outcome(
      QueryState state,
      long nanos,
      long rows,
      String code,
      String error,
      boolean hidden,
      QueryFigures figures) {}

  private final QueryLog log;
  private final String id;
  private final ClientIdentity client;
  private final String sql;
  private final boolean restricted;
  private final Instant began = Instant.now();
  private final long begin = System.nanoTime();
  private volatile boolean admitted;
  private volatile @Nullable Execution run;
  private volatile @Nullable Outcome outcome;

  /** Of one that has ended a moment ago. */
  private volatile @Nullable RanPlan ran;

  private volatile byte @Nullable [] plan;

  LoggedQuery(
      QueryLog log,
      ClientIdentity client,
      String id,
      String sql,
      @Nullable Execution run,
      boolean restricted) {
    this.restricted = restricted;
    this.log = log;
    this.client = client;
    this.id = id;
    this.run = run;
    this.sql = sql.length() > MOST_CHARACTERS ? sql.substring(0, MOST_CHARACTERS) + "\u2026" : sql;
  }

  String id() {
    return id;
  }

  ClientIdentity client() {
    return client;
  }

  /** Its text, with what may be secret in it. */
  String sql() {
    return sql;
  }

  Instant began() {
    return began;
  }

  /** It has had its turn. */
  public void admitted() {
    admitted = true;
  }

  /** Whether it has had its turn, and goes on. */
  boolean holdsSlot() {
    return admitted && outcome == null;
  }

  boolean waits() {
    return !admitted && outcome == null;
  }

  /** It is over; a second call does nothing. */
  public void ended() {
    Execution ending = run;
    if (ending == null || outcome != null) {
      return;
    }
    long nanos = System.nanoTime() - begin;
    Throwable failure = ending.ended();
    failure = failure != null ? failure : ending.failure();
    RanPlan last = RanPlan.of(ending);
    boolean hidden = restricted && last != null && last.hidesRows();
    QueryFigures figures = last == null ? QueryFigures.NONE : QueryFigures.of(last.metrics());
    keep(outcome(failure, nanos, ending.delivered().rows(), hidden, figures), last);
  }

  /** It could not even be prepared. */
  void failed(Throwable error) {
    keep(outcome(error, 0, 0, false, QueryFigures.NONE), null);
  }

  private void keep(Outcome result, @Nullable RanPlan last) {
    if (last != null && result.nanos() >= QueryLog.SLOW_NANOS) {
      String json = last.json(result.nanos(), result.rows());
      byte[] bytes = json == null ? null : json.getBytes(StandardCharsets.UTF_8);
      plan = bytes == null || bytes.length > MOST_PLAN_BYTES ? null : bytes;
    } else {
      ran = last;
    }
    synchronized (this) {
      if (outcome != null) {
        return;
      }
      outcome = result;
    }
    run = null;
    log.ended(this);
  }

  private static Outcome outcome(
      @Nullable Throwable failure, long nanos, long rows, boolean hidden, QueryFigures figures) {
    if (failure == null) {
      return new Outcome(QueryState.DONE, nanos, rows, "", "", hidden, figures);
    }
    SQLException told = SqlErrors.of(failure);
    int number = told.getErrorCode();
    String message =
        number == ErrorCode.INTERNAL.number()
            ? "A defect of the server, whose log says more."
            : String.valueOf(told.getMessage());
    return new Outcome(
        number == ErrorCode.CANCELLED.number() ? QueryState.CANCELLED : QueryState.FAILED,
        nanos,
        rows,
        "AR-" + number,
        message,
        hidden,
        figures);
  }

  /** Forgets the objects of its plan. */
  void dropPlan() {
    ran = null;
  }

  /** Whether it has these. */
  boolean hasPlanObjects() {
    return ran != null;
  }

  /** Bytes of the heap that are kept of it, about. */
  long bytes() {
    byte[] text = plan;
    Outcome result = outcome;
    return OWN_BYTES
        + 2L * sql.length()
        + (result == null ? 0 : 2L * result.error().length())
        + (text == null ? 0 : text.length);
  }

  /** Has it end soon. */
  boolean cancel() {
    Execution going = run;
    if (going == null) {
      return false;
    }
    going.cancel();
    return true;
  }

  /** What it is at one moment. */
  Snapshot snapshot() {
    Execution going = run;
    Outcome result = outcome;
    if (result != null || going == null) {
      Outcome known = result == null ? outcome(null, 0, 0, false, QueryFigures.NONE) : result;
      return new Snapshot(known, null, ran, plan);
    }
    RanPlan now = RanPlan.of(going);
    long rows = going.delivered().rows();
    QueryState state =
        !admitted
            ? QueryState.WAITING
            : now == null
                ? QueryState.PLANNING
                : rows == 0 ? QueryState.RUNNING : QueryState.FETCHING;
    QueryFigures figures = now == null ? QueryFigures.NONE : QueryFigures.of(now.metrics());
    boolean hidden = restricted && (now == null || now.hidesRows());
    return new Snapshot(
        new Outcome(state, System.nanoTime() - begin, rows, "", "", hidden, figures),
        going.progress(),
        now,
        null);
  }

  /**
   * What a query is at one moment.
   *
   * @param progress null of one that has ended
   * @param ran its plan, if the objects of that are there
   * @param plan the same as JSON, if it was kept
   */
  record Snapshot(
      Outcome outcome,
      @Nullable QueryProgress progress,
      @Nullable RanPlan ran,
      byte @Nullable [] plan) {
    /** Its plan as JSON; null if there is none, or none any more. */
    @Nullable String json() {
      byte[] kept = plan;
      if (kept != null) {
        return new String(kept, StandardCharsets.UTF_8);
      }
      return ran == null ? null : ran.json(outcome.nanos(), outcome.rows());
    }
  }
}
