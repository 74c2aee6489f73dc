package io.aragonite.sqltests.operators;

import java.sql.Connection;
import java.util.Set;

/** Where the queries of one connection ran. */
interface QueryTrace {
  /** Why nodes did not run on the device; empty if all did. */
  Set<String> fallbacks();

  /** Whether a query used host functions. */
  boolean hostFunctions();

  static QueryTrace of(Connection connection) {
    return new QueryTrace() {
      @Override
      public Set<String> fallbacks() {
        return Set.of();
      }

      @Override
      public boolean hostFunctions() {
        return false;
      }
    };
  }
}
