package io.aragonite.sqltests.bench;

import java.sql.Connection;
import java.util.function.UnaryOperator;

/**
 * An engine to time.
 *
 * @param name as reports show it
 * @param connection to a database that has the tables; closed by whoever opened it
 * @param slow whether to run each query once only, timed, instead of a warm-up and repeats
 * @param timeoutSeconds when a query of a slow engine is cancelled; 0 for never
 * @param dialect turns a statement into one that its parser takes
 */
public record Contender(
    String name,
    Connection connection,
    boolean slow,
    int timeoutSeconds,
    UnaryOperator<String> dialect) {
  /** An engine of usual speed. */
  public Contender(String name, Connection connection) {
    this(name, connection, false, 0, UnaryOperator.identity());
  }
}
