package io.aragonite.adapter;

import io.aragonite.adapter.statement.ConnectionMetrics;
import org.apache.calcite.jdbc.CalciteConnection;

/**
 * A connection of {@link AragoniteDriver}. Reach it with {@code
 * connection.unwrap(AragoniteConnection.class)}.
 */
public interface AragoniteConnection extends CalciteConnection {
  /** What the connection has done since it was opened. */
  ConnectionMetrics metrics();
}
