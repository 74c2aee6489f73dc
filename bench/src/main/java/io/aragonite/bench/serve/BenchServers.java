package io.aragonite.bench.serve;

import io.aragonite.adapter.server.QueryServer;
import io.aragonite.adapter.server.RunningServer;
import io.aragonite.adapter.server.ServerOptions;
import io.aragonite.adapter.server.ServerProtocol;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * A server of Avatica, and one of each other protocol whose jar and JDBC driver are on the class
 * path.
 */
public final class BenchServers implements AutoCloseable {
  /** Of Apache's driver, which tells what it has set itself to. Kept, since loggers are forgotten. */
  private static final Logger DRIVER = Logger.getLogger("org.apache.arrow.driver.jdbc.shaded");

  static {
    DRIVER.setLevel(Level.OFF);
    // Where our log goes is set by then; the driver would look for the same in its own libraries.
    System.clearProperty("slf4j.provider");
  }

  private final Map<String, RunningServer> servers = new LinkedHashMap<>();

  private BenchServers() {}

  /** Starts them, on any free ports. */
  public static BenchServers start(ServerOptions options) throws SQLException {
    BenchServers all = new BenchServers();
    boolean done = false;
    try {
      all.servers.put("avatica", QueryServer.start(options));
      for (ServerProtocol protocol : ServiceLoader.load(ServerProtocol.class)) {
        RunningServer server = protocol.start(options);
        if (hasDriver(server.clientUrl())) {
          all.servers.put(protocol.name(), server);
        } else {
          server.close();
        }
      }
      done = true;
      return all;
    } finally {
      if (!done) {
        all.close();
      }
    }
  }

  private static boolean hasDriver(String url) {
    return DriverManager.drivers()
        .anyMatch(driver -> {
          try {
            return driver.acceptsURL(url);
          } catch (SQLException e) {
            return false;
          }
        });
  }

  /** The servers by the names of their protocols. */
  public Map<String, RunningServer> byName() {
    return Collections.unmodifiableMap(servers);
  }

  /** Stops all; the first error counts. */
  @Override
  public void close() throws SQLException {
    SQLException failed = null;
    for (Map.Entry<String, RunningServer> server : servers.entrySet()) {
      try {
        server.getValue().close();
      } catch (SQLException | RuntimeException e) {
        SQLException told =
            new SQLException("the server of %s did not end: %s".formatted(server.getKey(), e), e);
        failed = failed == null ? told : failed;
      }
    }
    if (failed != null) {
      throw failed;
    }
  }
}
