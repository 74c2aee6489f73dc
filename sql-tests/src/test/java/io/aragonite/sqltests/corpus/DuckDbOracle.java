package io.aragonite.sqltests.corpus;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** The engine to compare with, which also makes the tables. */
final class DuckDbOracle implements AutoCloseable {
  private final Connection connection;

  DuckDbOracle() throws SQLException {
    connection = DriverManager.getConnection("jdbc:duckdb:");
    execute("set default_null_order = 'nulls_last_on_asc_first_on_desc'");
  }

  void execute(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  CorpusRows query(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      return CorpusRows.read(statement.executeQuery(sql));
    }
  }

  /** Writes each table of the database to a Parquet file of its name. */
  void export(Path directory) throws SQLException {
    List<String> tables = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery("select table_name from duckdb_tables()")) {
      while (result.next()) {
        tables.add(result.getString(1));
      }
    }
    for (String table : tables) {
      execute(
          "copy \"%s\" to '%s' (format parquet)"
              .formatted(
                  table.replace("\"", "\"\""),
                  directory.resolve(table + ".parquet").toString().replace("'", "''")));
    }
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
