package io.aragonite.client;

import java.sql.SQLException;
import java.util.Properties;
import org.apache.calcite.avatica.AvaticaDatabaseMetaData;

/** What a server says of itself, and Avatica of servers. */
final class ClientMetaData extends AvaticaDatabaseMetaData {
  ClientMetaData(ClientConnection connection) {
    super(connection);
  }

  /** The URL as Avatica has it, with the server's user, but without the password. */
  @Override
  public String getURL() throws SQLException {
    String prefix = ClientDriver.PREFIX;
    return ClientUrl.shown(
        ClientUrl.properties(super.getURL().substring(prefix.length()), new Properties()));
  }
}
