package io.aragonite.adapter;

import io.aragonite.adapter.deep.DeepCalls;
import io.aragonite.adapter.error.JdbcGuard;
import io.aragonite.adapter.error.SqlErrors;
import io.aragonite.adapter.execution.Execution;
import io.aragonite.adapter.statement.Session;
import io.aragonite.adapter.statement.StatementGuard;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.lang.reflect.Method;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.concurrent.Executor;
import org.apache.calcite.jdbc.CalciteConnection;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A connection: hands out guarded statements and metadata. */
final class ConnectionGuard extends JdbcGuard<CalciteConnection> {
  private static final Logger LOG = LoggerFactory.getLogger(ConnectionGuard.class);

  private final Session session;
  private final String url;
  private final Object closing = new Object();

  /**
   * @param url what the connection was opened with
   */
  ConnectionGuard(CalciteConnection target, Session session, String url) {
    super(AragoniteConnection.class, target);
    this.session = session;
    this.url = url;
  }

  @Override
  @Nullable
  public Object call(Method method, @Nullable Object @Nullable [] args) throws Throwable {
    switch (method.getName()) {
      case "createStatement":
        // results are read forwards and not updated, whatever was asked for
        return guard(createStatement(), null);
      case "prepareStatement":
        return prepare(method, args);
      case "getMetaData":
        return new MetaDataGuard(notNull((DatabaseMetaData) forward(method, args)), this).proxy();
      case "metrics":
        return session.metrics();
      case "close":
        close();
        return null;
      case "abort":
        abort(args == null ? null : (Executor) args[0]);
        return null;
      case "isClosed":
        return session.closed() || target.isClosed();
      case "nativeSQL":
        return args == null ? null : args[0];
      case "setTransactionIsolation", "setAutoCommit", "commit", "rollback":
        // Queries only: every level is kept, there is nothing to commit or to take back.
        if (target.isClosed()) {
          throw new AragoniteException(ErrorCode.INVALID_CALL, "The connection is closed.");
        }
        return null;
      case "getAutoCommit":
        return true;
      case "setSchema":
        if (args != null && args[0] instanceof String wanted) {
          target.setSchema(AragoniteDriver.schemaName(target, wanted));
        }
        return null;
      case "getTypeMap":
        return new HashMap<String, Class<?>>();
      case "setClientInfo":
        return null; // there is none that means anything here; pools and tools set their name
      default:
        return forward(method, args);
    }
  }

  /** Avatica numbers statements by a counter that two threads may see alike. */
  private Statement createStatement() throws SQLException {
    synchronized (target) {
      return target.createStatement();
    }
  }

  /** Ends what runs, waits until its readers have left, and gives the share of the engine back. */
  private void close() throws SQLException {
    synchronized (closing) { // who closes too comes back when it is done
      try {
        session.end();
        target.close();
      } finally {
        session.close();
      }
    }
  }

  /** Stops what runs at once; the rest is another thread's to do. */
  private void abort(@Nullable Executor executor) throws SQLException {
    if (executor == null) {
      throw new AragoniteException(ErrorCode.INVALID_CALL, "abort needs an executor, not null.");
    }
    session.stop();
    executor.execute(() -> {
      try {
        close();
      } catch (SQLException | RuntimeException e) {
        LOG.warn("a connection that was aborted could not be closed", e);
      }
    });
  }

  private @Nullable Object prepare(Method method, @Nullable Object @Nullable [] args)
      throws Throwable {
    String sql = args == null ? null : (String) args[0];
    if (sql == null) {
      throw new AragoniteException(ErrorCode.INVALID_CALL, "The text of the statement is null.");
    }
    Execution run = new Execution(session.options().timeout());
    run.describe();
    try {
      return DeepCalls.call(sql, () -> run.call(() -> guard(target.prepareStatement(sql), sql)));
    } catch (Throwable e) {
      AragoniteException ended = run.ended();
      throw mapped(ended != null ? ended : e, sql);
    } finally {
      run.close();
    }
  }

  private Object guard(@Nullable Object statement, @Nullable String sql) throws SQLException {
    Statement made = notNull((Statement) statement);
    StatementGuard guard = new StatementGuard(made, session, proxy(), sql);
    boolean done = false;
    try {
      session.opened(guard);
      done = true;
      return guard.proxy();
    } finally {
      if (!done) {
        made.close();
      }
    }
  }

  private static <V> V notNull(@Nullable V value) {
    return java.util.Objects.requireNonNull(value);
  }

  /** What the connection was opened with. */
  String url() {
    return url;
  }

  /** The session, for the metadata of this connection. */
  Session session() {
    return session;
  }

  @Override
  public SQLException mapped(Throwable error) {
    return mapped(error, null);
  }

  /**
   * @param sql the statement that the call was about, whose names are near those that are wrong
   */
  private SQLException mapped(Throwable error, @Nullable String sql) {
    return session.closed()
        ? SqlErrors.ofClosed(error, "The connection is closed.")
        : SqlErrors.of(error, session.names(sql));
  }
}
