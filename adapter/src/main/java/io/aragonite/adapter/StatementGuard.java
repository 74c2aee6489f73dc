package io.aragonite.adapter;

import io.aragonite.adapter.parameter.Parameters;
import io.aragonite.adapter.deep.DeepCalls;
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
final class StatementGuard extends JdbcGuard<Statement> {
  private final Session session;
  private final Connection connection;
  private final @Nullable String sql;
  private volatile @Nullable Execution execution;
  private @Nullable ResultSetGuard result;
  private @Nullable String lastSql;
  private int timeoutSeconds;
  private @Nullable ResultSetMetaData columns;

  /**
   * Null if the statement has no parameters, or if Calcite plans for them before they are known.
   */
  private final @Nullable Parameters parameters;

  /**
   * @param sql the text of a prepared statement, null for a plain one
   */
  StatementGuard(Statement target, Session session, Connection connection, @Nullable String sql)
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
  @Nullable Object call(Method method, @Nullable Object @Nullable [] args) throws Throwable {
    switch (method.getName()) {
      case "execute", "executeQuery", "executeUpdate", "executeLargeUpdate", "executeBatch":
      case "executeLargeBatch":
        return run(method, args);
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
        try {
          return forward(method, args);
        } finally {
          session.closed(this);
          end();
        }
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
    if (result == null || result.target != rows) {
      result = new ResultSetGuard(rows, (Statement) proxy(), run);
    }
    return result.proxy();
  }

  private ArrowResult arrow() throws SQLException {
    resultSet(target.getResultSet());
    if (result == null) {
      throw new AragoniteException(
          ErrorCode.INVALID_CALL, "Execute a query before asking the statement for Arrow columns.");
    }
    return result.arrow();
  }

  /** Stops what runs; from any thread. */
  void cancel() {
    Execution run = execution;
    if (run != null) {
      run.cancel();
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
  SQLException mapped(Throwable error) {
    Execution run = execution;
    AragoniteException ended = run == null ? null : run.ended();
    return SqlErrors.of(ended != null ? ended : error, session.names(lastSql));
  }
}
