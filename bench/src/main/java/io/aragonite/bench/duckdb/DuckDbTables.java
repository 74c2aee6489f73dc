package io.aragonite.bench.duckdb;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.stream.Stream;
import org.apache.arrow.c.ArrowArrayStream;
import org.apache.arrow.c.Data;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.ipc.ArrowFileReader;
import org.duckdb.DuckDBConnection;

/** DuckDB over the tables of a directory of Arrow files. */
public final class DuckDbTables {
  private DuckDbTables() {}

  /**
   * Opens a database in memory and loads all tables, with their types and no indexes.
   *
   * @param directory what {@code DatasetCache.ensure} returned
   * @param threads threads that DuckDB may use, its caller's included
   */
  public static Connection open(Path directory, int threads) throws SQLException, IOException {
    Connection connection = DriverManager.getConnection("jdbc:duckdb:");
    try {
      forEachTable(connection, directory, threads, "create table %1$s as select * from %1$s_stream");
      return connection;
    } catch (SQLException | IOException | RuntimeException e) {
      connection.close();
      throw e;
    }
  }

  private static List<Path> files(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(file -> file.toString().endsWith(".arrow")).sorted().toList();
    }
  }

  /** Runs a statement for each table; {@code %1$s} in it is the table's name. */
  private static void forEachTable(
      Connection connection, Path directory, int threads, String statement)
      throws SQLException, IOException {
    try (Statement run = connection.createStatement();
        BufferAllocator allocator = new RootAllocator()) {
      run.execute("set threads = " + threads);
      for (Path path : files(directory)) {
        String name = path.getFileName().toString().replace(".arrow", "");
        try (FileChannel file = FileChannel.open(path);
            ArrowFileReader reader = new ArrowFileReader(file, allocator);
            ArrowArrayStream stream = ArrowArrayStream.allocateNew(allocator)) {
          Data.exportArrayStream(allocator, reader, stream);
          connection.unwrap(DuckDBConnection.class).registerArrowStream(name + "_stream", stream);
          run.execute(statement.formatted(name));
        }
      }
    }
  }
}
