package io.aragonite.adapter.statement;

import io.aragonite.adapter.deep.DeepCalls;
import io.aragonite.adapter.error.JdbcGuard;
import io.aragonite.adapter.error.SqlErrors;
import io.aragonite.adapter.execution.Execution;
import io.aragonite.adapter.metadata.ColumnsGuard;
import io.aragonite.adapter.metadata.MetaRows;
import io.aragonite.adapter.parameter.Parameters;
import io.aragonite.adapter.result.ArrowResult;
import io.aragonite.adapter.result.JavaValues;
import io.aragonite.adapter.result.ResultSetGuard;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.TimeZone;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.calcite.avatica.AvaticaPreparedStatement;
import org.apache.calcite.jdbc.CalciteConnection;
import org.jspecify.annotations.Nullable;

/**
 * A statement: each run of it is an {@link Execution} that {@code cancel} and the time limit stop,
 * planning and fetching included. The statement can be used again afterwards. (Avatica's own cancel
 * waits for the planner and spoils the statement; it is not used.)
 */
public final class StatementGuard extends JdbcGuard<Statement> {
  private static final String CLOSED = "The statement is closed.";

  private final Session session;
  private final Connection connection;
  private final @Nullable String sql;
  private volatile @Nullable Execution execution;
  private volatile @Nullable ResultSetGuard result;
  private volatile @Nullable String lastSql;
  private volatile int timeoutSeconds;
  private volatile boolean closed;

  /** Held by who runs the statement: others that run it come after, and end what ran before. */
  private final ReentrantLock running = new ReentrantLock();

  private @Nullable ResultSetMetaData columns;

  /**
   * Null if the statement has no parameters, or if Calcite plans for them before they are known.
   */
  private final @Nullable Parameters parameters;

  /**
   * @param sql the text of a prepared statement, null for a plain one
   */
  public StatementGuard(
      Statement target, Session session, Connection connection, @Nullable String sql)
      throws SQLException {
    super(target instanceof PreparedStatement ? PreparedStatement.class : Statement.class, target);
    this.session = session;
    this.connection = connection;
    this.sql = sql;
    this.parameters = parameters(target);
  }

  private static @Nullable Parameters parameters(Statement target) throws SQLException {
    if (!(target instanceof AvaticaPreparedStatement prepared)
        || prepared.getStatementType().canUpdate()
        || prepared.getParameterCount() == 0) {
      return null;
    }
    CalciteConnection connection = target.getConnection().unwrap(CalciteConnection.class);
    String zone = connection.config().timeZone();
    return new Parameters(
        prepared.getParameterCount(),
        zone == null ? TimeZone.getDefault() : TimeZone.getTimeZone(zone));
  }

  @Override
  @Nullable
  public Object call(Method method, @Nullable Object @Nullable [] args) throws Throwable {
    switch (method.getName()) {
      case "execute", "executeQuery", "executeUpdate", "executeLargeUpdate", "executeBatch":
      case "executeLargeBatch":
        return inTurn(method, args);
      case "clearParameters":
        if (parameters != null) {
          parameters.clear();
        }
        return forward(method, args);
      case "setObject":
        if (parameters != null) {
          return set(method, args);
        }
        if (args != null) {
          args[1] = JavaValues.parameter(args[1]);
        }
        return forward(method, args);
      case "getMetaData":
        return metaData((ResultSetMetaData) forward(method, args));
      case "getGeneratedKeys":
        return new MetaRows(List.of(new MetaRows.Column("GENERATED_KEY", Long.class))).resultSet();
      case "cancel":
        cancel();
        return null;
      case "setQueryTimeout":
        return setQueryTimeout(args);
      case "getQueryTimeout":
        return timeoutSeconds;
      case "getConnection":
        return connection;
      case "getResultSet":
        return resultSet((ResultSet) forward(method, args));
      case "close":
        close();
        return null;
      case "isClosed":
        return closed || session.closed() || target.isClosed();
      case "unwrap":
        if (args != null && args[0] == ArrowResult.class) {
          return arrow();
        }
        return forward(method, args);
      case "isWrapperFor":
        if (args != null && args[0] == AvaticaPreparedStatement.class && columns != null) {
          return false; // a server takes the columns from what was prepared if it is one
        }
        return args != null && args[0] == ArrowResult.class
            || Objects.equals(forward(method, args), true);
      case "setEscapeProcessing", "setPoolable":
        return null; // hints; Avatica refuses them, and pools call them
      default:
        return parameters != null && isSetter(method) ? set(method, args) : forward(method, args);
    }
  }

  /**
   * The columns of the last run, before the first one those that are described; null if unknown.
   */
  private @Nullable ResultSetMetaData metaData(@Nullable ResultSetMetaData described)
      throws SQLException {
    if (described == null) {
      return null;
    }
    ResultSetMetaData last = parameters == null ? null : columns;
    if (last != null) {
      return last;
    }
    return parameters != null && described.getColumnCount() == 0
        ? null
        : new ColumnsGuard(described).proxy();
  }

  private static boolean isSetter(Method method) {
    return method.getDeclaringClass() == PreparedStatement.class
        && method.getName().startsWith("set");
  }

  /** Keeps the value of a parameter; Calcite's statement only learns that there is one. */
  private @Nullable Object set(Method method, @Nullable Object @Nullable [] args)
      throws SQLException {
    if (target.isClosed()) {
      throw new AragoniteException(ErrorCode.INVALID_CALL, "The statement is closed.");
    }
    Objects.requireNonNull(parameters).set(method.getName(), Objects.requireNonNull(args));
    ((PreparedStatement) target).setNull((Integer) Objects.requireNonNull(args[0]), Types.NULL);
    return null;
  }

  /**
   * Stops the run before anything else: Calcite's own close waits for who plans, and the run's
   * memory for who reads.
   */
  private void close() throws SQLException {
    closed = true;
    discard();
    try {
      target.close();
    } finally {
      session.closed(this);
      end();
    }
  }

  /** One thread runs the statement at a time; what the one before has begun to read ends. */
  private @Nullable Object inTurn(Method method, @Nullable Object @Nullable [] args)
      throws Throwable {
    running.lock();
    try {
      return run(method, args);
    } finally {
      running.unlock();
    }
  }

  private @Nullable Object run(Method method, @Nullable Object @Nullable [] args) throws Throwable {
    end();
    lastSql = sql != null || args == null || args.length == 0 ? sql : (String) args[0];
    if (lastSql == null && args != null && args.length > 0) {
      throw new AragoniteException(ErrorCode.INVALID_CALL, "The text of the statement is null.");
    }
    Execution run = new Execution(timeout(), sql != null, target.getLargeMaxRows());
    execution = run;
    boolean keep = false;
    try {
      if (closed) {
        throw new AragoniteException(ErrorCode.INVALID_CALL, CLOSED);
      }
      Object value = DeepCalls.call(lastSql, () -> run.call(() -> perform(method, args)));
      run.check();
      if (isUpdate(method) && isOfAQuery(value)) {
        throw new AragoniteException(
            ErrorCode.INVALID_CALL,
            "%s is for statements that change tables; queries are run by executeQuery or execute."
                .formatted(method.getName()));
      }
      Object mine = value instanceof ResultSet rows ? resultSet(rows) : value;
      if (parameters != null && target.getResultSet() != null) {
        columns = new ColumnsGuard(target.getResultSet().getMetaData()).proxy();
      }
      keep = mine instanceof ResultSet || Boolean.TRUE.equals(mine);
      return mine;
    } catch (Throwable e) {
      AragoniteException ended = run.ended();
      throw ended != null ? ended : e;
    } finally {
      if (!keep) {
        run.close();
      }
    }
  }

  private static boolean isUpdate(Method method) {
    return method.getName().contains("Update") || method.getName().contains("Batch");
  }

  /** Avatica counts -1 rows for a query. */
  private boolean isOfAQuery(@Nullable Object value) throws SQLException {
    return target.getResultSet() != null
        || value instanceof int[] counts && IntStream.of(counts).anyMatch(count -> count == -1)
        || value instanceof long[] large && LongStream.of(large).anyMatch(count -> count == -1);
  }

  /** Queries make no keys, so that a wish for them changes nothing. */
  private @Nullable Object perform(Method method, @Nullable Object @Nullable [] args)
      throws Throwable {
    if (parameters != null && !method.getName().contains("Batch")) {
      plan(parameters);
    }
    if (args == null || args.length < 2 || !(args[0] instanceof String text)) {
      return forward(method, args);
    }
    return switch (method.getName()) {
      case "execute" -> target.execute(text);
      case "executeUpdate" -> target.executeUpdate(text);
      default -> target.executeLargeUpdate(text);
    };
  }

  /** Has the present run use a plan for the types of the parameters. */
  private void plan(Parameters given) throws SQLException {
    Execution run = Objects.requireNonNull(execution);
    run.parameters(given.values());
    CalciteConnection calcite = target.getConnection().unwrap(CalciteConnection.class);
    run.signature(AragonitePrepare.signature(session, calcite, Objects.requireNonNull(sql)));
  }

  private @Nullable Duration timeout() {
    Duration limit = session.options().timeout();
    if (timeoutSeconds == 0) {
      return limit;
    }
    Duration own = Duration.ofSeconds(timeoutSeconds);
    return limit == null || own.compareTo(limit) < 0 ? own : limit;
  }

  private @Nullable Object setQueryTimeout(@Nullable Object @Nullable [] args) throws SQLException {
    if (target.isClosed()) {
      throw new AragoniteException(ErrorCode.INVALID_CALL, "The statement is closed.");
    }
    int seconds = args != null && args[0] instanceof Integer value ? value : -1;
    if (seconds < 0) {
      throw new AragoniteException(
          ErrorCode.INVALID_CALL,
          "A query timeout is a number of seconds, or 0 for none; %d is neither."
              .formatted(seconds));
    }
    timeoutSeconds = seconds;
    return null;
  }

  @SuppressWarnings("ReferenceEquality") // each result has a guard of its own
  private @Nullable ResultSet resultSet(@Nullable ResultSet rows) {
    Execution run = execution;
    if (rows == null || run == null) {
      return rows;
    }
    ResultSetGuard known = result;
    if (known == null || known.target != rows) {
      known = new ResultSetGuard(rows, (Statement) proxy(), run, this::resultClosed);
      result = known;
    }
    return known.proxy();
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

  /** Stops what runs; from any thread. */
  void cancel() {
    Execution run = execution;
    if (run != null) {
      run.cancel();
    }
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
  public SQLException mapped(Throwable error) {
    Execution run = execution;
    AragoniteException ended = run == null ? null : run.ended();
    if (ended == null && (closed || session.closed())) {
      return SqlErrors.ofClosed(error, CLOSED);
    }
    return SqlErrors.of(ended != null ? ended : error, session.names(lastSql));
  }
}
