package io.aragonite.sqltests.closing;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;

/** The table that queries of these tests read. */
final class Tables {
  /** How often a key comes. */
  static final int REPEATS = 1000;

  private Tables() {}

  /**
   * Writes {@code big} as Parquet: {@code k}, an integer that repeats; {@code t}, a text that says
   * which; {@code v}, the row's number.
   */
  static void write(Path directory, int rows) throws SQLException {
    try (Connection duckDb = DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = duckDb.createStatement()) {
      int keys = rows / REPEATS;
      statement.execute(
          """
          copy (select (i * 7919) %% %d as k, 'value ' || ((i * 7919) %% %d) as t, i as v
                from range(%d) r(i))
          to '%s' (format parquet, row_group_size 122880)
          """
              .formatted(keys, keys, rows, directory.resolve("big.parquet")));
    }
  }
}
