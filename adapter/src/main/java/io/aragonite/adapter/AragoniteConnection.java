package io.aragonite.adapter;

import io.aragonite.adapter.statement.ConnectionMetrics;
import io.aragonite.rules.metadata.CardinalityProvider;
import org.apache.calcite.jdbc.CalciteConnection;
import org.jspecify.annotations.Nullable;

/**
 * A connection of {@link AragoniteDriver}. Reach it with {@code
 * connection.unwrap(AragoniteConnection.class)}.
 */
public interface AragoniteConnection extends CalciteConnection {
  /** What the connection has done since it was opened. */
  ConnectionMetrics metrics();

  /**
   * Sets whose cardinalities the planner takes in place of its estimates, for statements that are
   * prepared or run from now on. A prepared statement with parameters is planned again when it
   * runs. The connection keeps plans by the provider that they were made with: set another object
   * when answers have changed.
   *
   * @param provider null: the planner's own estimates
   */
  void setCardinalities(@Nullable CardinalityProvider provider);
}
