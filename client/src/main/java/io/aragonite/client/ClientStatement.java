package io.aragonite.client;

import java.sql.ResultSet;
import java.sql.SQLException;
import org.apache.calcite.avatica.AvaticaStatement;
import org.apache.calcite.avatica.Meta;
import org.jspecify.annotations.Nullable;

/** A statement that a server runs. Its results are read forwards, whatever was asked for. */
final class ClientStatement extends AvaticaStatement {
  private final ClientConnection client;

  ClientStatement(
      ClientConnection connection,
      Meta.@Nullable StatementHandle handle,
      int holdability) {
    super(
        connection,
        handle,
        ResultSet.TYPE_FORWARD_ONLY,
        ResultSet.CONCUR_READ_ONLY,
        holdability);
    this.client = connection;
  }

  /** Avatica gives up where the server does not know the statement: nothing was run. */
  @Override
  public long[] executeLargeBatch() throws SQLException {
    try {
      return super.executeLargeBatch();
    } catch (RuntimeException e) {
      throw ClientErrors.ofBatch(e, 0);
    }
  }

  @Override
  public boolean execute(String sql, int keys) throws SQLException {
    return execute(sql);
  }

  @Override
  public boolean execute(String sql, int[] keys) throws SQLException {
    return execute(sql);
  }

  @Override
  public boolean execute(String sql, String[] keys) throws SQLException {
    return execute(sql);
  }

  @Override
  public int executeUpdate(String sql, int keys) throws SQLException {
    return executeUpdate(sql);
  }

  @Override
  public int executeUpdate(String sql, int[] keys) throws SQLException {
    return executeUpdate(sql);
  }

  @Override
  public int executeUpdate(String sql, String[] keys) throws SQLException {
    return executeUpdate(sql);
  }

  @Override
  public ResultSet getGeneratedKeys() throws SQLException {
    checkOpen();
    return client.noKeys();
  }

  @Override
  @SuppressWarnings("UnsynchronizedOverridesSynchronized") // who waits for the statement has the lock
  public void cancel() throws SQLException {
    checkOpen();
    client.cancel(handle);
  }

  @Override
  protected void executeInternal(String sql) throws SQLException {
    try {
      super.executeInternal(sql);
    } catch (SQLException e) {
      throw ClientErrors.asServerSaid(e);
    }
  }

  @Override
  @SuppressWarnings("UnsynchronizedOverridesSynchronized") // what it calls has the lock
  public void close() throws SQLException {
    try {
      super.close();
    } catch (SQLException e) {
      throw ClientErrors.asServerSaid(e);
    }
  }
}
