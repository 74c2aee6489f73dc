package io.aragonite.flight;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.adapter.server.ServerOptions;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightInfo;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.sql.FlightSqlClient;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** A server of Flight SQL for a test, and clients of it. */
abstract class FlightClients {
  static final String MANY = // some 94 million rows
      "select a.l_orderkey, a.l_extendedprice, a.l_comment from lineitem a, nation b, nation c,"
          + " nation d";

  static FlightSqlServer server;
  static BufferAllocator allocator;

  @BeforeAll
  static void start() throws SQLException {
    server = FlightSqlServer.start(ServerOptions.local("jdbc:aragonite:device=cpu;tpch=0.001"));
    allocator = new RootAllocator();
  }

  /** Closing fails if vectors are left, on either side. */
  @AfterAll
  static void stop() throws SQLException {
    allocator.close();
    server.close();
  }

  static FlightSqlClient connect() {
    return connect(server.port());
  }

  static FlightSqlClient connect(int port) {
    return new FlightSqlClient(
        FlightClient.builder(allocator, Location.forGrpcInsecure("127.0.0.1", port)).build());
  }

  static void eventually(String what, BooleanSupplier condition)
      throws InterruptedException {
    long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() < end, what);
      Thread.sleep(20);
    }
  }

  /** Rows as texts, lists of their values. */
  static List<String> read(FlightSqlClient client, FlightInfo info) throws Exception {
    List<String> rows = new ArrayList<>();
    try (FlightStream stream = client.getStream(info.getEndpoints().getFirst().getTicket())) {
      while (stream.next()) {
        VectorSchemaRoot root = stream.getRoot();
        for (int row = 0; row < root.getRowCount(); row++) {
          List<Object> values = new ArrayList<>();
          for (int i = 0; i < root.getFieldVectors().size(); i++) {
            values.add(root.getVector(i).getObject(row));
          }
          rows.add(values.toString());
        }
      }
    }
    return rows;
  }

  static void refused(
      FlightStatusCode status, String says, org.junit.jupiter.api.function.Executable call) {
    FlightRuntimeException error = assertThrows(FlightRuntimeException.class, call);
    assertTrue(error.getMessage().contains(says), error.getMessage());
    assertEquals(status, error.status().code(), error.getMessage());
  }
}
