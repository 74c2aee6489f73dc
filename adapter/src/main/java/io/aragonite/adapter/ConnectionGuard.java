package io.aragonite.adapter;

import io.aragonite.adapter.deep.DeepCalls;
import io.aragonite.adapter.error.SqlErrors;
import io.aragonite.adapter.execution.Execution;
import io.aragonite.adapter.jdbc.DelegatingConnection;
import io.aragonite.adapter.parameter.ArrayParameters;
import io.aragonite.adapter.parameter.ParameterValue;
import io.aragonite.adapter.result.ArrayValue;
import io.aragonite.adapter.sql.parse.TypeNames;
import io.aragonite.adapter.statement.ConnectionMetrics;
import io.aragonite.adapter.statement.PreparedStatementGuard;
import io.aragonite.adapter.statement.Session;
import io.aragonite.adapter.statement.StatementGuard;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.rules.metadata.CardinalityProvider;
import java.sql.Array;
import java.sql.ClientInfoStatus;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLClientInfoException;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLWarning;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.Executor;
import org.apache.calcite.jdbc.CalciteConnection;
import org.apache.calcite.rel.type.RelDataType;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A connection: hands out guarded statements and metadata. */
final class ConnectionGuard extends DelegatingConnection implements AragoniteConnection {
  private static final Logger LOG = LoggerFactory.getLogger(ConnectionGuard.class);

  private final Session session;
  private final String url;
  private final Object closing = new Object();
  private final TransactionState transactions;

  /**
   * @param url what the connection was opened with
   */
  ConnectionGuard(CalciteConnection target, Session session, String url) {
    super(AragoniteConnection.class, target);
    this.session = session;
    this.url = url;
    this.transactions = new TransactionState(session::changes);
  }

  // Results are read forwards and not updated, and no keys are made, whatever is asked for.

  @Override
  public Statement createStatement() throws SQLException {
    return call("createStatement", this::newStatement);
  }

  @Override
  public Statement createStatement(int type, int concurrency) throws SQLException {
    return call(
        "createStatement",
        () -> {
          substitute(type, concurrency);
          return newStatement();
        });
  }

  @Override
  public Statement createStatement(int type, int concurrency, int holdability) throws SQLException {
    return createStatement(type, concurrency);
  }

  @Override
  public PreparedStatement prepareStatement(String sql) throws SQLException {
    return call("prepareStatement", () -> prepare(sql));
  }

  @Override
  public PreparedStatement prepareStatement(String sql, int type, int concurrency)
      throws SQLException {
    return call(
        "prepareStatement",
        () -> {
          substitute(type, concurrency);
          return prepare(sql);
        });
  }

  @Override
  public PreparedStatement prepareStatement(String sql, int type, int concurrency, int holdability)
      throws SQLException {
    return prepareStatement(sql, type, concurrency);
  }

  @Override
  public PreparedStatement prepareStatement(String sql, int keys) throws SQLException {
    return call("prepareStatement", () -> prepare(sql));
  }

  @Override
  public PreparedStatement prepareStatement(String sql, int[] keys) throws SQLException {
    return call("prepareStatement", () -> prepare(sql));
  }

  @Override
  public PreparedStatement prepareStatement(String sql, String[] keys) throws SQLException {
    return call("prepareStatement", () -> prepare(sql));
  }

  @Override
  public DatabaseMetaData getMetaData() throws SQLException {
    return call("getMetaData", () -> new MetaDataGuard(target.getMetaData(), this, target));
  }

  @Override
  public ConnectionMetrics metrics() {
    return session.metrics();
  }

  @Override
  public void setCardinalities(@Nullable CardinalityProvider provider) {
    session.setCardinalities(provider);
  }

  @Override
  public void close() throws SQLException {
    run("close", this::end);
  }

  @Override
  public void abort(@Nullable Executor executor) throws SQLException {
    run("abort", () -> stop(executor));
  }

  @Override
  public boolean isClosed() throws SQLException {
    return call("isClosed", () -> session.closed() || target.isClosed());
  }

  @Override
  public @Nullable String nativeSQL(@Nullable String sql) throws SQLException {
    return this.<@Nullable String>call(
        "nativeSQL",
        () -> {
          checkOpen();
          return sql;
        });
  }

  // There are no transactions: see TransactionState.

  @Override
  public void setTransactionIsolation(int level) throws SQLException {
    run(
        "setTransactionIsolation",
        () -> {
          checkOpen();
          TransactionState.requireLevel(level);
        });
  }

  @Override
  public int getTransactionIsolation() throws SQLException {
    return call(
        "getTransactionIsolation",
        () -> {
          checkOpen();
          return TRANSACTION_NONE;
        });
  }

  @Override
  public void setAutoCommit(boolean autoCommit) throws SQLException {
    run(
        "setAutoCommit",
        () -> {
          checkOpen();
          transactions.setAutoCommit(autoCommit);
        });
  }

  @Override
  public boolean getAutoCommit() throws SQLException {
    return call(
        "getAutoCommit",
        () -> {
          checkOpen();
          return true;
        });
  }

  @Override
  public void commit() throws SQLException {
    run(
        "commit",
        () -> {
          checkOpen();
          transactions.commit();
        });
  }

  @Override
  public void rollback() throws SQLException {
    run(
        "rollback",
        () -> {
          checkOpen();
          transactions.rollback();
        });
  }

  @Override
  public void rollback(Savepoint savepoint) throws SQLException {
    run(
        "rollback",
        () -> {
          checkOpen();
          throw new SQLFeatureNotSupportedException();
        });
  }

  @Override
  public void setHoldability(int holdability) throws SQLException {
    run(
        "setHoldability",
        () -> {
          checkOpen();
          if (holdability == ResultSet.CLOSE_CURSORS_AT_COMMIT) {
            throw new SQLFeatureNotSupportedException();
          }
          if (holdability != ResultSet.HOLD_CURSORS_OVER_COMMIT) {
            throw new AragoniteException(
                ErrorCode.INVALID_CALL,
                "%d is no holdability; they are constants of java.sql.ResultSet."
                    .formatted(holdability));
          }
        });
  }

  @Override
  public @Nullable SQLWarning getWarnings() throws SQLException {
    return this.<@Nullable SQLWarning>call(
        "getWarnings",
        () -> {
          checkOpen();
          return transactions.warnings();
        });
  }

  @Override
  public void clearWarnings() throws SQLException {
    run(
        "clearWarnings",
        () -> {
          checkOpen();
          transactions.clearWarnings();
        });
  }

  /** Avatica makes arrays of nothing that it knows a type of. */
  @Override
  public Array createArrayOf(String type, Object[] elements) throws SQLException {
    return call(
        "createArrayOf",
        () -> {
          checkOpen();
          ParameterValue array =
              ArrayParameters.of(elements, TypeNames.jdbcType(type), session::timeZone);
          RelDataType list = array.type().in(getTypeFactory());
          return ArrayValue.of(
              (List<@Nullable Object>) Objects.requireNonNull(array.value()),
              Objects.requireNonNull(list.getComponentType()),
              session.timeZone());
        });
  }

  /** There are no catalogs: JDBC has the wish for one ignored. */
  @Override
  public void setCatalog(@Nullable String catalog) throws SQLException {
    run("setCatalog", this::checkOpen);
  }

  @Override
  public @Nullable String getCatalog() throws SQLException {
    return this.<@Nullable String>call(
        "getCatalog",
        () -> {
          checkOpen();
          return null;
        });
  }

  @Override
  public void setSchema(@Nullable String wanted) throws SQLException {
    run(
        "setSchema",
        () -> {
          checkOpen();
          if (wanted != null) {
            target.setSchema(AragoniteDriver.schemaName(target, wanted));
          }
        });
  }

  @Override
  public Map<String, Class<?>> getTypeMap() throws SQLException {
    return call(
        "getTypeMap",
        () -> {
          checkOpen();
          return new HashMap<>();
        });
  }

  @Override
  public void setTypeMap(@Nullable Map<String, Class<?>> map) throws SQLException {
    run(
        "setTypeMap",
        () -> {
          checkOpen();
          if (map != null && !map.isEmpty()) {
            throw new SQLFeatureNotSupportedException();
          }
        });
  }

  // There is no client information that means anything here; pools and tools set their name.

  @Override
  public void setClientInfo(@Nullable String name, @Nullable String value)
      throws SQLClientInfoException {
    checkOpenFor(name == null ? Set.of() : Set.of(name));
  }

  @Override
  public void setClientInfo(@Nullable Properties properties) throws SQLClientInfoException {
    checkOpenFor(properties == null ? Set.of() : properties.stringPropertyNames());
  }

  /** JDBC has an error of its own where client information cannot be kept. */
  private void checkOpenFor(Set<String> names) throws SQLClientInfoException {
    try {
      run("setClientInfo", this::checkOpen);
    } catch (SQLException e) {
      Map<String, ClientInfoStatus> failed = new HashMap<>();
      names.forEach(name -> failed.put(name, ClientInfoStatus.REASON_UNKNOWN));
      throw new SQLClientInfoException(
          e.getMessage(), e.getSQLState(), e.getErrorCode(), failed, e);
    }
  }

  private void checkOpen() throws SQLException {
    if (target.isClosed()) {
      throw new AragoniteException(ErrorCode.INVALID_CALL, "The connection is closed.");
    }
  }

  /** Says which results come instead of others that were asked for. */
  private void substitute(int type, int concurrency) {
    if (type != ResultSet.TYPE_FORWARD_ONLY || concurrency != ResultSet.CONCUR_READ_ONLY) {
      transactions.warn("Results are read forwards and not updated, other than was asked for.");
    }
  }

  /** Avatica numbers statements by a counter that two threads may see alike. */
  private Statement newStatement() throws SQLException {
    Statement statement;
    synchronized (target) {
      statement = target.createStatement();
    }
    return opened(statement, new StatementGuard(statement, session, this));
  }

  /** Ends what runs, waits until its readers have left, and gives the share of the engine back. */
  private void end() throws SQLException {
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
  private void stop(@Nullable Executor executor) throws SQLException {
    if (executor == null) {
      throw new AragoniteException(ErrorCode.INVALID_CALL, "abort needs an executor, not null.");
    }
    session.stop();
    executor.execute(() -> {
      try {
        end();
      } catch (SQLException | RuntimeException e) {
        LOG.warn("a connection that was aborted could not be closed", e);
      }
    });
  }

  private PreparedStatement prepare(@Nullable String sql) throws Throwable {
    if (sql == null) {
      throw new AragoniteException(ErrorCode.INVALID_CALL, "The text of the statement is null.");
    }
    Execution run = new Execution(session.options().timeout());
    run.describe();
    try {
      return DeepCalls.call(sql, () -> run.call(() -> newPrepared(sql)));
    } catch (Throwable e) {
      AragoniteException ended = run.ended();
      if (Execution.current() == null) {
        session.runs().notPrepared(sql, ended != null ? ended : e);
      }
      throw mapped(ended != null ? ended : e, sql);
    } finally {
      run.close();
    }
  }

  private PreparedStatement newPrepared(String sql) throws SQLException {
    PreparedStatement statement = target.prepareStatement(sql);
    return opened(statement, new PreparedStatementGuard(statement, session, this, sql));
  }

  /** Has the session know of a new statement. */
  private <G extends StatementGuard> G opened(Statement statement, G guard) throws SQLException {
    boolean done = false;
    try {
      session.opened(guard);
      done = true;
      return guard;
    } finally {
      if (!done) {
        statement.close();
      }
    }
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
  protected SQLException mapped(Throwable error) {
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
