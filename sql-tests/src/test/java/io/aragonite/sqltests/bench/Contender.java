package io.aragonite.sqltests.bench;

import java.sql.Connection;

/**
 * An engine to time.
 *
 * @param name as reports show it
 * @param connection to a database that has the eight tables; closed by whoever opened it
 * @param slow whether to run each query once only, timed, instead of a warm-up and repeats
 * @param timeoutSeconds when a query of a slow engine is cancelled; 0 for never
 */
public record Contender(String name, Connection connection, boolean slow, int timeoutSeconds) {
  /** An engine of usual speed. */
  public Contender(String name, Connection connection) {
    this(name, connection, false, 0);
  }
}
