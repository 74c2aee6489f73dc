package io.aragonite.bench.cold;

import io.aragonite.bench.duckdb.DuckDbTables;
import io.aragonite.tpch.TpchTable;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * An engine that opens files.
 *
 * @param name as reports show it
 * @param options more properties of the connection, as {@code device=cuda;memory=8GB}; of no use
 *     for DuckDB
 */
public record ColdEngine(String name, String options) {
  /** The peer. */
  public static final ColdEngine DUCKDB = new ColdEngine("duckdb", "");

  boolean isDuckDb() {
    return name.equals(DUCKDB.name);
  }

  /** Whether DuckDB's driver is on the class path. */
  public static boolean hasDuckDb() {
    try {
      Class.forName("org.duckdb.DuckDBDriver", false, ColdEngine.class.getClassLoader());
      return true;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }

  /** Opens the files of a folder as tables. */
  Connection open(Path directory, ColdFormat format, int threads)
      throws SQLException, IOException {
    if (isDuckDb()) {
      return format == ColdFormat.ARROW
          ? DuckDbTables.open(directory, threads)
          : views(directory, format, threads);
    }
    String more = options.isEmpty() ? "" : ";" + options;
    return DriverManager.getConnection(
        "jdbc:aragonite:directory=" + directory + ";threads=" + threads + more);
  }

  private static Connection views(Path directory, ColdFormat format, int threads)
      throws SQLException {
    Connection connection = DriverManager.getConnection("jdbc:duckdb:");
    try (Statement statement = connection.createStatement()) {
      statement.execute("set threads = " + threads);
      for (TpchTable table : TpchTable.values()) {
        String file = ColdData.file(directory, table, format).toString().replace("'", "''");
        statement.execute(
            "create view " + table.tableName() + " as select * from '" + file + "'");
      }
      return connection;
    } catch (SQLException e) {
      connection.close();
      throw e;
    }
  }
}
