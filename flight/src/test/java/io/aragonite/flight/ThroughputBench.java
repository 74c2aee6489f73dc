package io.aragonite.flight;

import io.aragonite.adapter.server.QueryServer;
import io.aragonite.adapter.server.ServerOptions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.sql.FlightSqlClient;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;

/**
 * How fast a large result of three columns of 8 bytes comes through each server, to a client in the
 * same process: {@code ThroughputBench ROWS RUNS}.
 */
final class ThroughputBench {
  private static final String URL = "jdbc:aragonite:device=cpu";
  private static final int ROW_BYTES = 24;

  private ThroughputBench() {}

  /** Reads all rows, and returns the sum of the first column. */
  private interface Reader {
    long sum() throws Exception;
  }

  public static void main(String[] args) throws Exception {
    long rows = args.length > 0 ? Long.parseLong(args[0]) : 20_000_000;
    int runs = args.length > 1 ? Integer.parseInt(args[1]) : 3;
    String sql =
        "select i as a, i * 7 as b, i * 0.5e0 as c from"
            + " (select cast(g as bigint) as i from generate_series(1, %d) as t(g))"
                .formatted(rows);
    try (FlightSqlServer flight = FlightSqlServer.start(ServerOptions.local(URL));
        QueryServer avatica = QueryServer.start(ServerOptions.local(URL))) {
      for (int run = 0; run < runs; run++) {
        measure("in the process", rows, () -> jdbc(URL, sql));
        measure("Flight, vectors", rows, () -> vectors(flight.port(), sql));
        measure("Flight, JDBC", rows, () -> jdbc(flight.clientUrl(), sql));
        measure("Avatica, JDBC", rows, () -> jdbc(avatica.clientUrl(), sql));
      }
    }
  }

  private static void measure(String way, long rows, Reader reader) throws Exception {
    long begin = System.nanoTime();
    long sum = reader.sum();
    double seconds = (System.nanoTime() - begin) / 1e9;
    if (sum != rows * (rows + 1) / 2) {
      throw new IllegalStateException(way + ": the rows are wrong");
    }
    System.out.printf(
        "%-16s %6.2f s %8.1f million rows/s %6.3f GB/s%n",
        way, seconds, rows / seconds / 1e6, rows * ROW_BYTES / seconds / 1e9);
  }

  private static long jdbc(String url, String sql) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.setFetchSize(50_000); // what Avatica's server sends at most
      try (ResultSet rows = statement.executeQuery(sql)) {
        long sum = 0;
        while (rows.next()) {
          sum += rows.getLong(1);
          rows.getLong(2);
          rows.getDouble(3);
        }
        return sum;
      }
    }
  }

  private static long vectors(int port, String sql) throws Exception {
    try (BufferAllocator allocator = new RootAllocator();
        FlightSqlClient client =
            new FlightSqlClient(
                FlightClient.builder(allocator, Location.forGrpcInsecure("127.0.0.1", port))
                    .build());
        FlightStream stream =
            client.getStream(client.execute(sql).getEndpoints().getFirst().getTicket())) {
      long sum = 0;
      while (stream.next()) {
        BigIntVector first = (BigIntVector) stream.getRoot().getVector(0);
        for (int row = 0; row < first.getValueCount(); row++) {
          sum += first.get(row);
        }
      }
      return sum;
    }
  }
}
