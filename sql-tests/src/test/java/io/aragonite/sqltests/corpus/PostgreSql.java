package io.aragonite.sqltests.corpus;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/** A server of PostgreSQL to compare with, if there is one. DuckDB refuses more statements. */
final class PostgreSql implements AutoCloseable {
  private final @Nullable Connection connection;

  /** The server of {@code -Daragonite.subqueries.postgres=jdbc:postgresql://...}, or none. */
  PostgreSql() throws SQLException {
    String url = System.getProperty("aragonite.subqueries.postgres", "");
    connection = url.isEmpty() ? null : DriverManager.getConnection(url);
    execute("set statement_timeout = '60s'");
  }

  void execute(String sql) throws SQLException {
    if (connection != null) {
      try (Statement statement = connection.createStatement()) {
        statement.execute(sql);
      }
    }
  }

  /** The rows; null if there is no server. */
  @Nullable CorpusRows query(String sql) throws SQLException {
    if (connection == null) {
      return null;
    }
    try (Statement statement = connection.createStatement()) {
      return CorpusRows.read(statement.executeQuery(sql));
    }
  }

  @Override
  public void close() throws SQLException {
    if (connection != null) {
      connection.close();
    }
  }
}
