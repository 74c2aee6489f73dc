package io.aragonite.bench.fuzz;

import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * A way to the engine.
 *
 * @param name as reports show it
 * @param port of the server; 0: in this process
 * @param url of a JDBC client, with that port in it
 */
record SoakRoute(String name, int port, String url) {
  /**
   * A connection.
   *
   * @param wire between it and the server; null: there is none
   */
  record SoakConnection(Connection connection, @Nullable SoakWire wire) implements AutoCloseable {
    boolean isCut() {
      return wire != null && wire.isCut();
    }

    @Override
    public void close() throws SQLException {
      try (wire) {
        connection.close();
      } catch (SQLException | RuntimeException e) {
        if (!isCut()) {
          throw e;
        }
      }
    }
  }

  boolean isServed() {
    return port != 0;
  }

  /** Through Avatica's own driver, whose {@code cancel} does not reach the server. */
  boolean cancels() {
    return !name.equals("avatica");
  }

  SoakConnection open() throws SQLException {
    if (!isServed()) {
      return new SoakConnection(DriverManager.getConnection(url), null);
    }
    try {
      SoakWire wire = new SoakWire(port);
      boolean done = false;
      try {
        Connection connection = DriverManager.getConnection(url.replace(":" + port, ":" + wire.port()));
        done = true;
        return new SoakConnection(connection, wire);
      } finally {
        if (!done) {
          wire.close();
        }
      }
    } catch (IOException e) {
      throw new SQLException(e);
    }
  }
}
