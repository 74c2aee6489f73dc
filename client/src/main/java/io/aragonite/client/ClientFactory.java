package io.aragonite.client;

import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.Properties;
import java.util.TimeZone;
import org.apache.calcite.avatica.AvaticaConnection;
import org.apache.calcite.avatica.AvaticaFactory;
import org.apache.calcite.avatica.AvaticaPreparedStatement;
import org.apache.calcite.avatica.AvaticaResultSet;
import org.apache.calcite.avatica.AvaticaSpecificDatabaseMetaData;
import org.apache.calcite.avatica.AvaticaStatement;
import org.apache.calcite.avatica.Meta;
import org.apache.calcite.avatica.QueryState;
import org.apache.calcite.avatica.UnregisteredDriver;

/** Makes the client's connections and statements. */
public final class ClientFactory implements AvaticaFactory {
  /** For Avatica, which calls it by name. */
  public ClientFactory() {}

  @Override
  public int getJdbcMajorVersion() {
    return 4;
  }

  @Override
  public int getJdbcMinorVersion() {
    return 1;
  }

  @Override
  public AvaticaConnection newConnection(
      UnregisteredDriver driver, AvaticaFactory factory, String url, Properties info) {
    return new ClientConnection((ClientDriver) driver, this, url, info);
  }

  @Override
  public AvaticaStatement newStatement(
      AvaticaConnection connection,
      Meta.StatementHandle handle,
      int type,
      int concurrency,
      int holdability) {
    return new ClientStatement((ClientConnection) connection, handle, holdability);
  }

  @Override
  public AvaticaPreparedStatement newPreparedStatement(
      AvaticaConnection connection,
      Meta.StatementHandle handle,
      Meta.Signature signature,
      int type,
      int concurrency,
      int holdability)
      throws SQLException {
    return new ClientPreparedStatement(
        (ClientConnection) connection, handle, signature, holdability);
  }

  @Override
  public AvaticaResultSet newResultSet(
      AvaticaStatement statement,
      QueryState state,
      Meta.Signature signature,
      TimeZone timeZone,
      Meta.Frame firstFrame)
      throws SQLException {
    return new ClientResultSet(
        statement, state, signature, newResultSetMetaData(statement, signature), timeZone, firstFrame);
  }

  @Override
  public AvaticaSpecificDatabaseMetaData newDatabaseMetaData(AvaticaConnection connection) {
    return new ClientMetaData((ClientConnection) connection);
  }

  @Override
  public ResultSetMetaData newResultSetMetaData(
      AvaticaStatement statement, Meta.Signature signature) {
    return new ClientColumns(statement, signature);
  }
}
