package io.aragonite.client;

import org.apache.calcite.avatica.AvaticaDatabaseMetaData;

/** What a server says of itself, and Avatica of servers. */
final class ClientMetaData extends AvaticaDatabaseMetaData {
  ClientMetaData(ClientConnection connection) {
    super(connection);
  }
}
