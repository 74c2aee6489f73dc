package io.aragonite.adapter;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.lang.reflect.Method;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import org.apache.calcite.jdbc.CalciteConnection;
import org.jspecify.annotations.Nullable;

/** A connection: hands out guarded statements and metadata. */
final class ConnectionGuard extends JdbcGuard<CalciteConnection> {
  private final Session session;
  private volatile @Nullable String preparing;

  ConnectionGuard(CalciteConnection target, Session session) {
    super(AragoniteConnection.class, target);
    this.session = session;
  }

  @Override
  @Nullable Object call(Method method, @Nullable Object @Nullable [] args) throws Throwable {
    switch (method.getName()) {
      case "createStatement":
        return guard(forward(method, args), null);
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
      default:
        return forward(method, args);
    }
  }

  private @Nullable Object prepare(Method method, @Nullable Object @Nullable [] args)
      throws Throwable {
    String sql = args == null ? null : (String) args[0];
    preparing = sql;
    Execution run = new Execution(session.options().timeout());
    try {
      return run.call(() -> guard(forward(method, args), sql));
    } catch (Throwable e) {
      AragoniteException ended = run.ended();
      throw ended != null ? ended : e;
    } finally {
      run.close();
    }
  }

  private Object guard(@Nullable Object statement, @Nullable String sql) {
    StatementGuard guard =
        new StatementGuard(notNull((Statement) statement), session, proxy(), sql);
    session.opened(guard);
    return guard.proxy();
  }

  private static <V> V notNull(@Nullable V value) {
    return java.util.Objects.requireNonNull(value);
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
