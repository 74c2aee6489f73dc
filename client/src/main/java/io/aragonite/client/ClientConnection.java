package io.aragonite.client;

import java.sql.BatchUpdateException;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.util.List;
import java.util.Properties;
import java.util.TimeZone;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.apache.calcite.avatica.AvaticaConnection;
import org.apache.calcite.avatica.AvaticaPreparedStatement;
import org.apache.calcite.avatica.AvaticaStatement;
import org.apache.calcite.avatica.ConnectionPropertiesImpl;
import org.apache.calcite.avatica.Meta;
import org.apache.calcite.avatica.NoSuchStatementException;
import org.apache.calcite.avatica.QueryState;
import org.apache.calcite.avatica.remote.Service;
import org.apache.calcite.avatica.remote.TypedValue;
import org.jspecify.annotations.Nullable;

/** A connection to a server. */
final class ClientConnection extends AvaticaConnection {
  /** A statement, behind spaces and comments, that sets the zone of the session. */
  private static final Pattern ZONE_CHANGE =
      Pattern.compile(
          "^(?:\\s|--[^\n]*\n|/\\*.*?\\*/)*(?:re)?set\\s+(?:(?:session|local|global)\\s+)?(?:time\\s*zone\\b|all\\b)",
          Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

  private volatile @Nullable TimeZone zone;

  ClientConnection(ClientDriver driver, ClientFactory factory, String url, Properties info) {
    super(driver, factory, url, info);
  }

  /** Of the server's session, once a statement may have changed it; before, as the URL says. */
  @Override
  public TimeZone getTimeZone() {
    TimeZone known = zone;
    return known == null ? super.getTimeZone() : known;
  }

  /** The zone that is set here is the one in which values are read and set from then on. */
  @Override
  protected Meta.ExecuteResult prepareAndExecuteInternal(
      AvaticaStatement statement, String sql, long maxRows)
      throws SQLException, NoSuchStatementException {
    try (RunLimit limit = RunLimit.of(statement)) {
      Meta.ExecuteResult result;
      try {
        result = super.prepareAndExecuteInternal(statement, sql, maxRows);
      } catch (SQLException | RuntimeException e) {
        limit.check(e);
        throw e;
      }
      if (result.resultSets.stream().anyMatch(rows -> rows.updateCount == -1)) {
        limit.checkRows();
      }
      learnZone(sql);
      return result;
    }
  }

  @Override
  protected Meta.ExecuteBatchResult prepareAndUpdateBatch(
      AvaticaStatement statement, List<String> texts)
      throws NoSuchStatementException, SQLException {
    Meta.ExecuteBatchResult result;
    try (RunLimit limit = RunLimit.of(statement)) {
      try {
        result = super.prepareAndUpdateBatch(statement, texts);
      } catch (RuntimeException e) {
        throw failed(limit, e, texts.size());
      }
    }
    for (String sql : texts) {
      learnZone(sql);
    }
    return result;
  }

  /** Avatica's own makes an SQLException of the error, without what the server said. */
  @Override
  protected long[] executeBatchUpdateInternal(AvaticaPreparedStatement statement)
      throws SQLException {
    List<List<TypedValue>> batch = ((ClientPreparedStatement) statement).batch();
    try (RunLimit limit = RunLimit.of(statement)) {
      try {
        return meta.executeBatch(statement.handle, batch).updateCounts;
      } catch (NoSuchStatementException e) {
        throw ClientErrors.user(
            406,
            "HY010",
            "There is no such statement: it was closed, or nobody used it for too long.");
      } catch (RuntimeException e) {
        throw failed(limit, e, batch.size());
      }
    }
  }

  private static BatchUpdateException failed(RunLimit limit, RuntimeException error, int size)
      throws BatchUpdateException {
    BatchUpdateException told = ClientErrors.ofBatch(error, size);
    limit.check(told);
    return told;
  }

  private void learnZone(@Nullable String sql) throws SQLException {
    if (sql != null && ZONE_CHANGE.matcher(sql).find()) {
      zone = askZone();
    }
  }

  private TimeZone askZone() throws SQLException {
    try (Statement asking = createStatement();
        ResultSet row = asking.executeQuery("show TimeZone")) {
      row.next();
      return TimeZone.getTimeZone(ZoneId.of(row.getString(1)));
    } catch (DateTimeException e) {
      throw ClientErrors.of(e, "The time zone of the session is not known here");
    }
  }

  /**
   * Asks the server to cancel what a statement runs. Avatica has no message for it: the server takes
   * closing the statement with the complement of the number for this. Nothing is locked, since the
   * thread that waits for the statement holds its lock.
   */
  void cancel(Meta.StatementHandle handle) throws SQLException {
    try {
      getService().apply(new Service.CloseStatementRequest(id, ~handle.id));
    } catch (RuntimeException e) {
      throw ClientErrors.of(e, "The statement could not be cancelled");
    }
  }

  /** Has the executor close the connection. */
  @Override
  public void abort(Executor executor) throws SQLException {
    executor.execute(
        () -> {
          try {
            close();
          } catch (SQLException e) {
            // the server ends connections that nobody uses
          }
        });
  }

  /** Asks the server, which may have closed the connection, and waits no longer than given. */
  @Override
  public boolean isValid(int timeout) throws SQLException {
    if (!super.isValid(timeout)) {
      return false;
    }
    if (timeout == 0) {
      return isAnswered();
    }
    CompletableFuture<Boolean> answer = new CompletableFuture<>();
    // Nothing ends the wait for an answer; a thread that nobody joins may wait on.
    Thread asking = new Thread(() -> answer.complete(isAnswered()), "aragonite-client-valid");
    asking.setDaemon(true);
    asking.start();
    try {
      return answer.completeOnTimeout(false, timeout, TimeUnit.SECONDS).get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } catch (ExecutionException e) {
      return false;
    }
  }

  /** Avatica's own message is sent only where there is something to tell the server. */
  private boolean isAnswered() {
    try {
      getService().apply(new Service.ConnectionSyncRequest(id, new ConnectionPropertiesImpl()));
      return true;
    } catch (RuntimeException e) {
      return false;
    }
  }

  @Override
  public String getSchema() throws SQLException {
    refresh();
    return super.getSchema();
  }

  /** Avatica would not tell the server of a schema that it takes for the one in use. */
  @Override
  public void setSchema(String schema) throws SQLException {
    refresh();
    super.setSchema(schema);
  }

  /** Asks the server for the properties, which USE may have changed. */
  private void refresh() throws SQLException {
    checkOpen();
    try {
      ConnectionPropertiesImpl none = new ConnectionPropertiesImpl();
      if (meta.connectionSync(handle, none) instanceof ConnectionPropertiesImpl known) {
        known.setDirty(true); // else Avatica answers of its own
        meta.connectionSync(handle, none);
      }
    } catch (RuntimeException e) {
      throw ClientErrors.of(e, "The properties of the connection could not be asked for");
    }
  }

  /** There are no generated keys. */
  ResultSet noKeys() throws SQLException {
    Statement empty = createStatement();
    empty.closeOnCompletion();
    return empty.executeQuery("select cast(null as bigint) as generated_key where false");
  }

  @Override
  public PreparedStatement prepareStatement(String sql, int keys) throws SQLException {
    return prepareStatement(sql);
  }

  @Override
  public PreparedStatement prepareStatement(String sql, int[] keys) throws SQLException {
    return prepareStatement(sql);
  }

  @Override
  public PreparedStatement prepareStatement(String sql, String[] keys) throws SQLException {
    return prepareStatement(sql);
  }

  @Override
  public PreparedStatement prepareStatement(
      String sql, int type, int concurrency, int holdability) throws SQLException {
    checkOpen();
    try {
      Meta.StatementHandle prepared = meta.prepare(handle, sql, -1);
      return factory.newPreparedStatement(
          this, prepared, prepared.signature, type, concurrency, holdability);
    } catch (RuntimeException e) {
      throw ClientErrors.of(e, "The statement could not be prepared");
    }
  }

  @Override
  protected ResultSet executeQueryInternal(
      AvaticaStatement statement,
      Meta.@Nullable Signature signature,
      Meta.@Nullable Frame firstFrame,
      @Nullable QueryState state,
      boolean isUpdate)
      throws SQLException {
    if (firstFrame == null && statement instanceof ClientPreparedStatement prepared) {
      prepared.requireValues();
    }
    ResultSet result;
    try (RunLimit limit = RunLimit.of(statement)) {
      try {
        result = super.executeQueryInternal(statement, signature, firstFrame, state, isUpdate);
      } catch (SQLException | RuntimeException e) {
        limit.check(e);
        throw e;
      }
      if (result != null && !isUpdate) {
        limit.checkRows();
      }
    } catch (SQLException e) {
      throw ClientErrors.asServerSaid(e);
    }
    if (statement instanceof PreparedStatement && signature != null) {
      learnZone(signature.sql);
    }
    return result;
  }

  @Override
  public void commit() throws SQLException {
    try {
      super.commit();
    } catch (RuntimeException e) {
      throw ClientErrors.of(e, "commit() failed");
    }
  }

  @Override
  public void rollback() throws SQLException {
    try {
      super.rollback();
    } catch (RuntimeException e) {
      throw ClientErrors.of(e, "rollback() failed");
    }
  }

  @Override
  public void close() throws SQLException {
    try {
      super.close();
    } catch (SQLException e) {
      throw ClientErrors.asServerSaid(e);
    }
  }
}
