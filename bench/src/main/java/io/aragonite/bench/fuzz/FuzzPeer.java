package io.aragonite.bench.fuzz;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/** Tables in DuckDB and as Parquet files, which we read. */
final class FuzzPeer implements AutoCloseable {
  private final List<FuzzTable> tables;
  private final Path directory;
  private final Connection connection;

  /**
   * Makes them.
   *
   * @param directory an empty folder, which the caller deletes
   */
  FuzzPeer(List<FuzzTable> tables, Path directory) throws SQLException, IOException {
    this.tables = List.copyOf(tables);
    this.directory = Files.createDirectories(directory);
    connection = DriverManager.getConnection("jdbc:duckdb:");
    boolean made = false;
    try (Statement statement = connection.createStatement()) {
      statement.execute("set default_null_order = 'nulls_last_on_asc_first_on_desc'");
      statement.execute("set integer_division = true");
      statement.execute("set threads = 1");
      for (FuzzTable table : tables) {
        for (String sql : table.statements()) {
          statement.execute(sql);
        }
        if (table.files().size() > 1) {
          Files.createDirectory(directory.resolve(table.name()));
        }
        for (int file = 0; file < table.files().size(); file++) {
          statement.execute(table.copy(directory, file));
        }
      }
      made = true;
    } finally {
      if (!made) {
        close();
      }
    }
  }

  List<FuzzTable> tables() {
    return tables;
  }

  /** The folder of the files. */
  Path directory() {
    return directory;
  }

  Connection connection() {
    return connection;
  }

  /** Whether a defect of DuckDB has ended its database. */
  boolean isBroken() {
    try (Statement statement = connection.createStatement()) {
      statement.execute("select 1");
      return false;
    } catch (SQLException e) {
      return true;
    }
  }

  @Override
  public void close() {
    try {
      connection.close();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
