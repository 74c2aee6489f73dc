package io.aragonite.adapter.server;

import java.sql.SQLException;

/**
 * A protocol that another jar adds to {@code aragonite serve}; found by {@link
 * java.util.ServiceLoader}.
 */
public interface ServerProtocol {
  /** Its name, for instance {@code flight}. */
  String name();

  /**
   * Begins to serve.
   *
   * @throws io.aragonite.exec.error.AragoniteException SERVER_REFUSED if the address needs
   *     protection that is not there, or cannot be listened on
   */
  RunningServer start(ServerOptions options) throws SQLException;
}
