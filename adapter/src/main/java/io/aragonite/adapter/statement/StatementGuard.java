package io.aragonite.adapter.statement;

import io.aragonite.adapter.ddl.TableStatement;
import io.aragonite.adapter.ddl.TableStatementParser;
import io.aragonite.adapter.deep.DeepCalls;
import io.aragonite.adapter.error.SqlErrors;
import io.aragonite.adapter.execution.Execution;
import io.aragonite.adapter.execution.QueryProgress;
import io.aragonite.adapter.result.ArrowResult;
import io.aragonite.adapter.result.ResultSetGuard;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.LongStream;
import org.apache.calcite.jdbc.CalciteConnection;
import org.jspecify.annotations.Nullable;

/**
 * A statement: each run of it is an {@link Execution} that {@code cancel} and the time limit stop,
 * planning and fetching included. The statement can be used again afterwards. (Avatica's own cancel
 * waits for the planner and spoils the statement; it is not used.)
 */
public class StatementGuard extends StatementSettings {
  private final Session session;
  private final Connection connection;
  private final @Nullable String prepared;
  private volatile @Nullable Execution execution;
  private volatile @Nullable ResultSetGuard result;

  /** The run whose warnings nobody wants to see again. */
  private volatile @Nullable Execution warningsCleared;

  private volatile @Nullable String lastSql;
  private volatile int timeoutSeconds;
  private volatile boolean closed;
  private final List<String> batch = new CopyOnWriteArrayList<>();

  /** Whether somebody has gone past the result of the last run, or there was no run. */
  private volatile boolean over = true;

  /** Held by who runs the statement: others that run it come after, and end what ran before. */
  private final ReentrantLock running = new ReentrantLock();

  /** A plain statement. */
  public StatementGuard(Statement target, Session session, Connection connection) {
    this(Statement.class, target, session, connection, null);
  }

  /**
   * @param prepared the text of a prepared statement, null for a plain one
   */
  StatementGuard(
      Class<? extends Statement> type,
      Statement target,
      Session session,
      Connection connection,
      @Nullable String prepared) {
    super(type, target);
    this.session = session;
    this.connection = connection;
    this.prepared = prepared;
  }

  // Queries make no keys, so that a wish for them changes nothing.

  @Override
  public ResultSet executeQuery(String sql) throws SQLException {
    return execute("executeQuery", sql, () -> target.executeQuery(sql));
  }

  @Override
  public boolean execute(String sql) throws SQLException {
    return execute("execute", sql, () -> target.execute(sql));
  }

  @Override
  public boolean execute(String sql, int keys) throws SQLException {
    return execute("execute", sql, () -> target.execute(sql));
  }

  @Override
  public boolean execute(String sql, int[] keys) throws SQLException {
    return execute("execute", sql, () -> target.execute(sql));
  }

  @Override
  public boolean execute(String sql, String[] keys) throws SQLException {
    return execute("execute", sql, () -> target.execute(sql));
  }

  @Override
  public int executeUpdate(String sql) throws SQLException {
    return execute("executeUpdate", sql, () -> target.executeUpdate(sql));
  }

  @Override
  public int executeUpdate(String sql, int keys) throws SQLException {
    return execute("executeUpdate", sql, () -> target.executeUpdate(sql));
  }

  @Override
  public int executeUpdate(String sql, int[] keys) throws SQLException {
    return execute("executeUpdate", sql, () -> target.executeUpdate(sql));
  }

  @Override
  public int executeUpdate(String sql, String[] keys) throws SQLException {
    return execute("executeUpdate", sql, () -> target.executeUpdate(sql));
  }

  @Override
  public long executeLargeUpdate(String sql) throws SQLException {
    return execute("executeLargeUpdate", sql, () -> target.executeLargeUpdate(sql));
  }

  @Override
  public long executeLargeUpdate(String sql, int keys) throws SQLException {
    return execute("executeLargeUpdate", sql, () -> target.executeLargeUpdate(sql));
  }

  @Override
  public long executeLargeUpdate(String sql, int[] keys) throws SQLException {
    return execute("executeLargeUpdate", sql, () -> target.executeLargeUpdate(sql));
  }

  @Override
  public long executeLargeUpdate(String sql, String[] keys) throws SQLException {
    return execute("executeLargeUpdate", sql, () -> target.executeLargeUpdate(sql));
  }

  @Override
  public void addBatch(String sql) throws SQLException {
    run(
        "addBatch",
        () -> {
          checkTargetOpen();
          if (sql == null) {
            throw new AragoniteException(
                ErrorCode.INVALID_CALL, "The text of the statement is null.");
          }
          batch.add(sql);
        });
  }

  @Override
  public void clearBatch() throws SQLException {
    run(
        "clearBatch",
        () -> {
          checkTargetOpen();
          batch.clear();
        });
  }

  @Override
  public int[] executeBatch() throws SQLException {
    return execute(
        "executeBatch",
        null,
        () -> LongStream.of(batchCounts("executeBatch")).mapToInt(Math::toIntExact).toArray());
  }

  @Override
  public long[] executeLargeBatch() throws SQLException {
    return execute("executeLargeBatch", null, () -> batchCounts("executeLargeBatch"));
  }

  /** Runs the statements of the batch, which is empty then; Avatica's batches know no tables. */
  long[] batchCounts(String method) throws SQLException {
    List<String> statements = List.copyOf(batch);
    batch.clear();
    return counts(
        statements.size(),
        i -> {
          if (target.execute(statements.get(i))) {
            throw ofAQuery(method);
          }
          return target.getLargeUpdateCount();
        });
  }

  /** What runs one statement of a batch. */
  interface BatchStep {
    long run(int index) throws SQLException;
  }

  /** Runs a batch to its end, or to the first statement that fails. */
  static long[] counts(int size, BatchStep step) throws SQLException {
    long[] counts = new long[size];
    for (int i = 0; i < size; i++) {
      try {
        counts[i] = step.run(i);
      } catch (SQLException | RuntimeException e) {
        throw SqlErrors.ofBatch(e, Arrays.copyOf(counts, i));
      }
    }
    return counts;
  }

  static AragoniteException ofAQuery(String method) {
    return new AragoniteException(
        ErrorCode.INVALID_CALL,
        "%s is for statements that change tables; queries are run by executeQuery or execute."
            .formatted(method));
  }

  /** A statement has one result, so that none comes after it. */
  @Override
  public boolean getMoreResults() throws SQLException {
    return getMoreResults(CLOSE_CURRENT_RESULT);
  }

  @Override
  public boolean getMoreResults(int current) throws SQLException {
    return call("getMoreResults", () -> moreResults(current));
  }

  private boolean moreResults(int current) throws SQLException {
    checkTargetOpen();
    ResultSetGuard last = result;
    switch (current) {
      case CLOSE_CURRENT_RESULT, CLOSE_ALL_RESULTS -> {
        if (last != null) {
          last.close();
        }
      }
      case KEEP_CURRENT_RESULT -> {}
      default ->
          throw new AragoniteException(
              ErrorCode.INVALID_CALL,
              "getMoreResults takes a constant of java.sql.Statement, which %d is not."
                  .formatted(current));
    }
    over = true;
    return false;
  }

  @Override
  public int getUpdateCount() throws SQLException {
    return call("getUpdateCount", () -> Math.toIntExact(updateCount()));
  }

  @Override
  public long getLargeUpdateCount() throws SQLException {
    return call("getLargeUpdateCount", this::updateCount);
  }

  private long updateCount() throws SQLException {
    long count = target.getLargeUpdateCount(); // refuses where the statement is closed
    return over ? -1 : count;
  }

  /** Of the last run: times that were cut, for instance. */
  @Override
  public @Nullable SQLWarning getWarnings() throws SQLException {
    return this.<@Nullable SQLWarning>call(
        "getWarnings",
        () -> {
          SQLWarning first = target.getWarnings(); // refuses where the statement is closed
          Execution run = execution;
          if (run == null || run.equals(warningsCleared)) {
            return first;
          }
          for (String sentence : run.warnings()) {
            SQLWarning next = SqlErrors.warning(sentence);
            if (first == null) {
              first = next;
            } else {
              first.setNextWarning(next);
            }
          }
          return first;
        });
  }

  @Override
  public void clearWarnings() throws SQLException {
    super.clearWarnings();
    warningsCleared = execution;
  }

  /** Stops what runs; from any thread. */
  @Override
  public void cancel() throws SQLException {
    run(
        "cancel",
        () -> {
          checkTargetOpen();
          Execution run = execution;
          if (run != null) {
            run.cancel();
          }
        });
  }

  @Override
  public void setQueryTimeout(int seconds) throws SQLException {
    run("setQueryTimeout", () -> limitTo(seconds));
  }

  @Override
  public int getQueryTimeout() throws SQLException {
    return call(
        "getQueryTimeout",
        () -> {
          checkTargetOpen();
          return timeoutSeconds;
        });
  }

  @Override
  public Connection getConnection() throws SQLException {
    return call(
        "getConnection",
        () -> {
          checkTargetOpen();
          return connection;
        });
  }

  @Override
  public @Nullable ResultSet getResultSet() throws SQLException {
    return this.<@Nullable ResultSet>call(
        "getResultSet",
        () -> {
          ResultSet rows = target.getResultSet(); // refuses where the statement is closed
          return over ? null : resultSet(rows);
        });
  }

  @Override
  public void close() throws SQLException {
    run("close", this::finish);
  }

  @Override
  public boolean isClosed() throws SQLException {
    return call("isClosed", () -> closed || session.closed() || target.isClosed());
  }

  @Override
  protected <V> V inner(Class<V> wanted) throws SQLException {
    if (wanted == QueryProgress.class) {
      Execution run = execution;
      return wanted.cast(run == null ? new QueryProgress(0, 0, 0, 0, 0, 0) : run.progress());
    }
    return wanted == ArrowResult.class ? wanted.cast(arrow()) : super.inner(wanted);
  }

  @Override
  protected boolean hasInner(Class<?> wanted) throws SQLException {
    return wanted == ArrowResult.class || wanted == QueryProgress.class || super.hasInner(wanted);
  }

  /**
   * Stops the run before anything else: Calcite's own close waits for who plans, and the run's
   * memory for who reads.
   */
  private void finish() throws SQLException {
    closed = true;
    discard();
    try {
      target.close();
    } finally {
      session.closed(this);
      end();
    }
  }

  /**
   * Runs the statement. One thread does at a time; what the one before has begun to read ends.
   *
   * @param sql null where the method has no text
   */
  final <V> V execute(String method, @Nullable String sql, JdbcCall<V> body) throws SQLException {
    return call(
        method,
        () -> {
          running.lock();
          try {
            return inTurn(method, sql, body);
          } finally {
            running.unlock();
          }
        });
  }

  private <V> V inTurn(String method, @Nullable String sql, JdbcCall<V> body) throws Throwable {
    end();
    over = isBatch(method); // its results are what it returns
    lastSql = prepared != null ? prepared : sql;
    if (lastSql == null && !isBatch(method)) {
      throw new AragoniteException(ErrorCode.INVALID_CALL, "The text of the statement is null.");
    }
    Execution run = new Execution(timeout(), prepared != null, target.getLargeMaxRows());
    execution = run;
    if (isUpdate(method)) {
      run.countRows();
    }
    boolean keep = false;
    try {
      checkOpen();
      boolean nested = Execution.current() != null;
      String text = lastSql == null ? String.join(";\n", batch) : lastSql;
      V value =
          DeepCalls.call(
              lastSql,
              () ->
                  run.call(() -> {
                    if (!nested) {
                      session.runs().begin(run, text);
                    }
                    return perform(method, run, body);
                  }));
      run.check();
      if (isUpdate(method) && isOfAQuery(value)) {
        throw ofAQuery(method);
      }
      if (target.getResultSet() == null) {
        run.delivered().wrote(Math.max(0, target.getLargeUpdateCount()));
      }
      V mine = handedOut(value);
      ran();
      keep = mine instanceof ResultSet || Boolean.TRUE.equals(mine);
      return mine;
    } catch (Throwable e) {
      run.failed(e);
      over = true; // a query that was refused has a result that nobody may read
      AragoniteException ended = run.ended();
      throw ended != null && !isBatch(method) ? ended : e; // a batch's tells what stays in effect
    } finally {
      if (!keep) {
        run.close();
      }
    }
  }

  private <V> V perform(String method, Execution run, JdbcCall<V> body) throws Throwable {
    if (!isBatch(method)) {
      requireQuery(method);
      plan(run);
    }
    return body.run();
  }

  /** What changes tables is not run where rows are wanted. */
  private void requireQuery(String method) {
    String sql = lastSql;
    TableStatement.InSchema change =
        method.equals("executeQuery") && sql != null ? TableStatementParser.parse(sql) : null;
    // where tables cannot be changed at all, that is the error
    if (change != null && change.returning() == null && session.isOwnSchema(change.schema())) {
      throw new AragoniteException(
          ErrorCode.INVALID_CALL,
          "executeQuery is for queries; statements that change tables or write files are run by"
              + " executeUpdate or execute. INSERT, UPDATE and DELETE have rows with RETURNING.");
    }
  }

  /** Before a run: has it use a plan of its own, where it needs one. */
  void plan(Execution run) throws SQLException {}

  /** After a run. */
  void ran() throws SQLException {}

  /** The plan of a prepared statement for the values of its parameters. */
  final void plan(Execution run, String sql) throws SQLException {
    CalciteConnection calcite = target.getConnection().unwrap(CalciteConnection.class);
    run.signature(AragonitePrepare.signature(session, calcite, sql));
  }

  /** Whether the tables that a plan was made for may not be those of the next run. */
  final boolean tablesMayChange() {
    return session.hasOwnSchema() || session.timeZoneChanged();
  }

  @SuppressWarnings("unchecked") // where V is what results are, it is ResultSet
  private <V> V handedOut(V value) {
    return value instanceof ResultSet rows ? (V) guarded(rows) : value;
  }

  private void checkOpen() {
    if (closed) {
      throw new AragoniteException(ErrorCode.INVALID_CALL, CLOSED);
    }
  }

  private static boolean isUpdate(String method) {
    return method.contains("Update") || isBatch(method);
  }

  private static boolean isBatch(String method) {
    return method.contains("Batch");
  }

  private boolean isOfAQuery(@Nullable Object value) throws SQLException {
    return target.getResultSet() != null && !(value instanceof int[] || value instanceof long[]);
  }

  private @Nullable Duration timeout() {
    Duration limit = session.options().timeout();
    if (timeoutSeconds == 0) {
      return limit;
    }
    Duration own = Duration.ofSeconds(timeoutSeconds);
    return limit == null || own.compareTo(limit) < 0 ? own : limit;
  }

  private void limitTo(int seconds) throws SQLException {
    checkTargetOpen();
    if (seconds < 0) {
      throw new AragoniteException(
          ErrorCode.INVALID_CALL,
          "A query timeout is a number of seconds, or 0 for none; %d is neither."
              .formatted(seconds));
    }
    timeoutSeconds = seconds;
  }

  private @Nullable ResultSet resultSet(@Nullable ResultSet rows) {
    return rows == null ? null : guarded(rows);
  }

  private ResultSet guarded(ResultSet rows) {
    Execution run = execution;
    if (run == null) {
      return rows;
    }
    ResultSetGuard known = result;
    if (known == null || !known.guards(rows)) {
      known = new ResultSetGuard(rows, this, run, this::resultClosed);
      result = known;
    }
    return known;
  }

  /** Some statements close with their results ({@link Statement#closeOnCompletion}). */
  private void resultClosed() throws SQLException {
    if (target.isClosed()) {
      closed = true;
      session.closed(this);
    }
  }

  private ArrowResult arrow() throws SQLException {
    resultSet(target.getResultSet());
    ResultSetGuard known = result;
    if (known == null) {
      throw new AragoniteException(
          ErrorCode.INVALID_CALL, "Execute a query before asking the statement for Arrow columns.");
    }
    return known.arrow();
  }

  /** Whether it has a run that is not over, other than this one. */
  @SuppressWarnings("ReferenceEquality") // runs are what they are
  boolean runsBeside(@Nullable Execution other) {
    Execution run = execution;
    return run != null && run != other && !run.closed();
  }

  /** Has what runs end soon, since it is closed next; from any thread. */
  void discard() {
    Execution run = execution;
    if (run != null) {
      run.discard();
    }
  }

  /** Ends the last run, if there was one. */
  void end() {
    Execution run = execution;
    execution = null;
    result = null;
    if (run != null) {
      run.close();
    }
  }

  @Override
  protected SQLException mapped(Throwable error) {
    Execution run = execution;
    if (run != null) {
      run.failed(error);
    }
    AragoniteException ended = run == null ? null : run.ended();
    if (ended == null && (closed || session.closed())) {
      return SqlErrors.ofClosed(error, CLOSED);
    }
    if (ended != null) {
      return SqlErrors.ofEnded(ended, error);
    }
    return SqlErrors.of(error, session.names(lastSql));
  }
}
