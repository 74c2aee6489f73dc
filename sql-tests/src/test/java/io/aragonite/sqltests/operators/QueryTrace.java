package io.aragonite.sqltests.operators;

import io.aragonite.adapter.AragoniteConnection;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Where the queries of one connection ran.
 *
 * @param connection null if it is another driver's, of which nothing is known
 */
record QueryTrace(@Nullable AragoniteConnection connection) {
  static QueryTrace of(Connection connection) {
    try {
      return new QueryTrace(
          connection.isWrapperFor(AragoniteConnection.class)
              ? connection.unwrap(AragoniteConnection.class)
              : null);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Whether the engine, or Calcite in its place, was asked anything. */
  boolean asked() {
    return connection == null || connection.metrics().plannedStatements() > 0;
  }

  /** Why nodes did not run on the device; empty if all did. */
  Set<String> fallbacks() {
    return connection == null ? Set.of() : connection.metrics().fallbackReasons().keySet();
  }

  /** Host functions that queries used. */
  Set<String> hostFunctions() {
    return connection == null ? Set.of() : connection.metrics().hostFunctions().keySet();
  }
}
