package io.aragonite.adapter;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
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

  /**
   * @param sql the text of a prepared statement, null for a plain one
   */
  StatementGuard(Statement target, Session session, Connection connection, @Nullable String sql) {
    super(target instanceof PreparedStatement ? PreparedStatement.class : Statement.class, target);
    this.session = session;
    this.connection = connection;
    this.sql = sql;
  }

  @Override
  @Nullable Object call(Method method, @Nullable Object @Nullable [] args) throws Throwable {
    switch (method.getName()) {
      case "execute", "executeQuery", "executeUpdate", "executeLargeUpdate", "executeBatch":
      case "executeLargeBatch":
        return run(method, args);
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
        return args != null && args[0] == ArrowResult.class
            || java.util.Objects.equals(forward(method, args), true);
      case "setEscapeProcessing", "setPoolable":
        return null; // hints; Avatica refuses them, and pools call them
      default:
        return forward(method, args);
    }
  }

  private @Nullable Object run(Method method, @Nullable Object @Nullable [] args) throws Throwable {
    end();
    lastSql = sql != null || args == null || args.length == 0 ? sql : (String) args[0];
    Execution run = new Execution(timeout());
    execution = run;
    boolean keep = false;
    try {
      Object value = run.call(() -> forward(method, args));
      run.check();
      Object mine = value instanceof ResultSet rows ? resultSet(rows) : value;
      keep = mine instanceof ResultSet || Boolean.TRUE.equals(mine);
      return mine;
    } finally {
      if (!keep) {
        run.close();
      }
    }
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
