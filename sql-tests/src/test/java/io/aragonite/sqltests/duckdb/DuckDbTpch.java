package io.aragonite.sqltests.duckdb;

import io.aragonite.tpch.TpchTable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import org.apache.arrow.c.ArrowArrayStream;
import org.apache.arrow.c.Data;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.ipc.ArrowFileReader;
import org.duckdb.DuckDBConnection;

/** An in-memory DuckDB with the TPC-H tables of a directory of Arrow files in it. */
public final class DuckDbTpch {
  private DuckDbTpch() {}

  /**
   * Opens a database and loads all tables, with their types and no indexes.
   *
   * @param directory what {@code TpchData.ensure} returned
   * @param threads threads that DuckDB may use, its caller's included
   */
  public static Connection open(Path directory, int threads) throws SQLException, IOException {
    Connection connection = DriverManager.getConnection("jdbc:duckdb:");
    try (Statement statement = connection.createStatement();
        BufferAllocator allocator = new RootAllocator()) {
      statement.execute("set threads = " + threads);
      for (TpchTable table : TpchTable.values()) {
        load(connection, statement, allocator, directory, table);
      }
      return connection;
    } catch (SQLException | IOException | RuntimeException e) {
      connection.close();
      throw e;
    }
  }

  private static void load(
      Connection connection,
      Statement statement,
      BufferAllocator allocator,
      Path directory,
      TpchTable table)
      throws SQLException, IOException {
    String name = table.tableName();
    try (FileChannel file = FileChannel.open(directory.resolve(table.fileName()));
        ArrowFileReader reader = new ArrowFileReader(file, allocator);
        ArrowArrayStream stream = ArrowArrayStream.allocateNew(allocator)) {
      Data.exportArrayStream(allocator, reader, stream);
      connection.unwrap(DuckDBConnection.class).registerArrowStream(name + "_stream", stream);
      statement.execute("create table " + name + " as select * from " + name + "_stream");
    }
  }
}
