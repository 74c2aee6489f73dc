package io.aragonite.bench.serve;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/** DuckDB in this process with some of our tables, for clients with a connection each. */
final class DuckDbRoute implements AutoCloseable {
  private final Path folder;
  private final String url;

  /** Keeps the database open between clients. */
  private final Connection open;

  /**
   * Copies tables, with their types and no indexes.
   *
   * @param ours a connection that has them
   * @param threads that DuckDB may use
   */
  DuckDbRoute(String ours, List<String> tables, int threads) throws SQLException, IOException {
    folder = Files.createTempDirectory("aragonite-serve");
    url = "jdbc:duckdb:" + folder.resolve("tables.db");
    open = DriverManager.getConnection(url);
    try (Connection from = DriverManager.getConnection(ours);
        Statement copy = from.createStatement();
        Statement create = open.createStatement()) {
      create.execute("set threads = " + threads);
      for (String table : tables) {
        Path file = folder.resolve(table + ".parquet");
        copy.execute("copy %s to '%s'".formatted(table, file));
        create.execute("create table %s as select * from '%s'".formatted(table, file));
        Files.delete(file);
      }
    }
  }

  String url() {
    return url;
  }

  @Override
  public void close() throws SQLException, IOException {
    open.close();
    Files.delete(folder.resolve("tables.db"));
    Files.delete(folder);
  }
}
