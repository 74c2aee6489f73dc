package io.aragonite.bench.fuzz;

import io.aragonite.adapter.server.Admission;
import io.aragonite.adapter.server.AuditLog;
import io.aragonite.adapter.server.ServerOptions;
import io.aragonite.adapter.server.ServerRules;
import io.aragonite.bench.serve.BenchServers;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/** The servers of a soak: Avatica's, and Flight's where its jars are on the class path. */
final class SoakServers implements AutoCloseable {
  private static final Duration QUEUE = Duration.ofSeconds(30);

  /** Clients that vanish leave their connections and results; they are closed within a minute. */
  private static final Duration LONGEST = Duration.ofSeconds(30);

  private static final Duration IDLE = Duration.ofSeconds(20);

  private final AuditLog audit;
  private final Admission admission;
  private final BenchServers servers;

  /**
   * Starts them.
   *
   * @param url of each client's connection
   * @param clients of all servers; half as many statements run at once
   * @param directory of the audit log
   */
  SoakServers(String url, int clients, Path directory) throws SQLException {
    audit = AuditLog.open(directory.resolve("audit"));
    admission = new Admission(Math.max(2, clients / 2), QUEUE, IDLE);
    boolean done = false;
    try {
      servers =
          BenchServers.start(
              new ServerOptions(url, "127.0.0.1", 0, false, LONGEST, IDLE, null, null, null, new ServerRules(null, audit, admission)));
      done = true;
    } finally {
      if (!done) {
        audit.close();
      }
    }
  }

  List<SoakRoute> routes() {
    return servers.byName().entrySet().stream()
        .map(server -> new SoakRoute(server.getKey(), server.getValue().port(), server.getValue().clientUrl()))
        .toList();
  }

  /** Whether every statement is over, those of clients that have vanished, too. */
  boolean isQuiet() {
    return admission.isQuiet();
  }

  @Override
  public void close() throws SQLException {
    try {
      servers.close(); // Flight's fails if vectors are left
    } finally {
      audit.close();
    }
  }
}
