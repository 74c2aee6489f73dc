package io.aragonite.adapter.server;

import java.sql.SQLException;

/** A server that listens. */
public interface RunningServer extends AutoCloseable {
  int port();

  /** The URL by which a JDBC client connects. */
  String clientUrl();

  /** Stops listening, cancels what runs, and closes all connections. */
  @Override
  void close() throws SQLException;
}
