package io.aragonite.sqltests.bench;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** Queries that are timed or explained. */
public final class Queries {
  private Queries() {}

  /** Milliseconds from the call to the last row. */
  public static double millis(Connection connection, String sql) throws SQLException {
    long start = System.nanoTime();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        rows.getObject(1);
      }
    }
    return (System.nanoTime() - start) / 1e6;
  }

  /** What EXPLAIN ANALYZE says of a query; {@code as json} may stand before it. */
  public static String explain(Connection connection, String sql) throws SQLException {
    StringBuilder text = new StringBuilder();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("explain analyze " + sql)) {
      while (rows.next()) {
        text.append(rows.getString(1)).append('\n');
      }
    }
    return text.toString();
  }
}
