package io.aragonite.client;

import java.sql.SQLException;
import org.apache.calcite.avatica.AvaticaStatement;
import org.apache.calcite.avatica.Meta;
import org.jspecify.annotations.Nullable;

/** A statement that a server runs. */
final class ClientStatement extends AvaticaStatement {
  private final ClientConnection client;

  ClientStatement(
      ClientConnection connection,
      Meta.@Nullable StatementHandle handle,
      int type,
      int concurrency,
      int holdability) {
    super(connection, handle, type, concurrency, holdability);
    this.client = connection;
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
}
