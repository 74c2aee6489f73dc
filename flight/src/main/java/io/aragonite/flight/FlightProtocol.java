package io.aragonite.flight;

import io.aragonite.adapter.server.RunningServer;
import io.aragonite.adapter.server.ServerOptions;
import io.aragonite.adapter.server.ServerProtocol;
import java.sql.SQLException;

/** {@code aragonite serve --flight}. */
public final class FlightProtocol implements ServerProtocol {
  @Override
  public String name() {
    return "flight";
  }

  @Override
  public RunningServer start(ServerOptions options) throws SQLException {
    return FlightSqlServer.start(options);
  }
}
