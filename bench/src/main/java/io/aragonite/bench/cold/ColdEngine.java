package io.aragonite.bench.cold;

import io.aragonite.adapter.AragoniteDriver;
import io.aragonite.bench.duckdb.DuckDbTables;
import io.aragonite.bench.duckdb.DuckDbTpcds;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Objects;
import java.util.Properties;

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
  Connection open(Path directory, ColdFiles files, int threads)
      throws SQLException, IOException {
    if (!isDuckDb()) {
      return open(directory, threads);
    }
    Connection connection =
        files.format() == ColdFormat.ARROW
            ? DuckDbTables.open(directory, threads)
            : connect("org.duckdb.DuckDBDriver", "jdbc:duckdb:");
    try (Statement statement = connection.createStatement()) {
      statement.execute("set threads = " + threads);
      if (files.workload() == ColdWorkload.TPCDS) {
        DuckDbTpcds.set(statement);
      }
      if (files.format() != ColdFormat.ARROW) {
        for (String view : files.views(directory)) {
          statement.execute(view);
        }
      }
      return connection;
    } catch (SQLException e) {
      connection.close();
      throw e;
    }
  }

  /** Opens the tables of a folder with Aragonite. */
  Connection open(Path directory, int threads) throws SQLException {
    String more = options.isEmpty() ? "" : ";" + options;
    return connect(
        AragoniteDriver.class.getName(),
        "jdbc:aragonite:directory=" + directory + ";threads=" + threads + more);
  }

  /** Without the driver manager, which begins by starting the other engine's driver, too. */
  private static Connection connect(String driver, String url) throws SQLException {
    try {
      Driver made =
          (Driver) Class.forName(driver).getDeclaredConstructor().newInstance();
      return Objects.requireNonNull(made.connect(url, new Properties()));
    } catch (ReflectiveOperationException e) {
      throw new SQLException(driver + " cannot be started", e);
    }
  }

  /** A statement as the engine takes it. */
  String text(ColdWorkload workload, String sql) {
    return isDuckDb() && workload == ColdWorkload.TPCDS ? DuckDbTpcds.text(sql) : sql;
  }

  /** An error with the SQLSTATE of the standard. */
  SQLException coded(SQLException error) {
    return isDuckDb() ? DuckDbTpcds.coded(error) : error;
  }
}
