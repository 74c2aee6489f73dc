package io.aragonite.adapter;

import io.aragonite.adapter.deep.DeepCalls;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.lang.reflect.Method;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import org.apache.calcite.jdbc.CalciteConnection;
import org.jspecify.annotations.Nullable;

/** A connection: hands out guarded statements and metadata. */
final class ConnectionGuard extends JdbcGuard<CalciteConnection> {
  private final Session session;
  private final String url;
  private volatile @Nullable String preparing;

  /**
   * @param url what the connection was opened with
   */
  ConnectionGuard(CalciteConnection target, Session session, String url) {
    super(AragoniteConnection.class, target);
    this.session = session;
    this.url = url;
  }

  @Override
  @Nullable Object call(Method method, @Nullable Object @Nullable [] args) throws Throwable {
    switch (method.getName()) {
      case "createStatement":
        // results are read forwards and not updated, whatever was asked for
        return guard(target.createStatement(), null);
      case "prepareStatement":
        return prepare(method, args);
      case "getMetaData":
        return new MetaDataGuard(notNull((DatabaseMetaData) forward(method, args)), this).proxy();
      case "metrics":
        return session.metrics();
      case "close":
        try {
          session.end();
          return forward(method, args);
        } finally {
          session.close();
        }
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

  private @Nullable Object prepare(Method method, @Nullable Object @Nullable [] args)
      throws Throwable {
    String sql = args == null ? null : (String) args[0];
    preparing = sql;
    Execution run = new Execution(session.options().timeout());
    run.describe();
    if (sql == null) {
      throw new AragoniteException(ErrorCode.INVALID_CALL, "The text of the statement is null.");
    }
    try {
      return DeepCalls.call(sql, () -> run.call(() -> guard(target.prepareStatement(sql), sql)));
    } catch (Throwable e) {
      AragoniteException ended = run.ended();
      throw ended != null ? ended : e;
    } finally {
      run.close();
    }
  }

  private Object guard(@Nullable Object statement, @Nullable String sql) throws SQLException {
    StatementGuard guard =
        new StatementGuard(notNull((Statement) statement), session, proxy(), sql);
    session.opened(guard);
    return guard.proxy();
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
  SQLException mapped(Throwable error) {
    return SqlErrors.of(error, session.names(preparing));
  }
}
