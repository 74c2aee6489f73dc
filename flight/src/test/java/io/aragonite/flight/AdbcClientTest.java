package io.aragonite.flight;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.adapter.server.ServerOptions;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import org.apache.arrow.adbc.core.AdbcConnection;
import org.apache.arrow.adbc.core.AdbcDatabase;
import org.apache.arrow.adbc.core.AdbcDriver;
import org.apache.arrow.adbc.core.AdbcException;
import org.apache.arrow.adbc.core.AdbcStatement;
import org.apache.arrow.adbc.driver.flightsql.FlightSqlDriver;
import org.apache.arrow.flight.Location;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** ADBC's Java driver of Flight SQL as a client. */
class AdbcClientTest {
  private static FlightSqlServer server;
  private static BufferAllocator allocator;
  private static AdbcDatabase database;

  @BeforeAll
  static void start() throws Exception {
    server = FlightSqlServer.start(ServerOptions.local("jdbc:aragonite:device=cpu;tpch=0.001"));
    allocator = new RootAllocator();
    Map<String, Object> parameters = new HashMap<>();
    AdbcDriver.PARAM_URI.set(
        parameters,
        Location.forGrpcInsecure("127.0.0.1", server.port()).getUri().toString());
    database = new FlightSqlDriver(allocator).open(parameters);
  }

  @AfterAll
  static void stop() throws Exception {
    database.close();
    allocator.close(); // fails if vectors are left
    try {
      server.close();
    } catch (SQLException e) {
      throw new AssertionError("vectors are left in the server", e);
    }
  }

  /** Sums the first column of all batches. */
  private static long sum(ArrowReader rows) throws Exception {
    long sum = 0;
    while (rows.loadNextBatch()) {
      FieldVector first = rows.getVectorSchemaRoot().getVector(0);
      for (int row = 0; row < first.getValueCount(); row++) {
        sum += ((Number) first.getObject(row)).longValue();
      }
    }
    return sum;
  }

  private static long sum(AdbcConnection connection, String sql) throws Exception {
    try (AdbcStatement statement = connection.createStatement()) {
      statement.setSqlQuery(sql);
      try (AdbcStatement.QueryResult result = statement.executeQuery()) {
        return sum(result.getReader());
      }
    }
  }

  @Test
  void queriesOfManyBatches() throws Exception {
    try (AdbcConnection connection = database.connect()) {
      long rows = 300_000;
      assertEquals(
          rows * (rows + 1) / 2,
          sum(connection, "select g from generate_series(1, %d) as t(g)".formatted(rows)));
      assertEquals(24 * 25 / 2, sum(connection, "select n_nationkey from nation"));
    }
  }

  @Test
  void preparedStatements() throws Exception {
    try (AdbcConnection connection = database.connect();
        AdbcStatement statement = connection.createStatement();
        IntVector keys = new IntVector("key", allocator)) {
      statement.setSqlQuery("select n_regionkey + 100 * n_nationkey from nation where n_nationkey = ?");
      statement.prepare();
      keys.allocateNew(1);
      keys.set(0, 7); // GERMANY, in region 3
      keys.setValueCount(1);
      VectorSchemaRoot parameters = VectorSchemaRoot.of(keys);
      parameters.setRowCount(1);
      statement.bind(parameters);
      for (int run = 0; run < 2; run++) {
        try (AdbcStatement.QueryResult result = statement.executeQuery()) {
          assertEquals(703, sum(result.getReader()));
        }
      }
    }
  }

  @Test
  void ownTablesAndErrors() throws Exception {
    try (AdbcConnection connection = database.connect();
        AdbcStatement statement = connection.createStatement()) {
      statement.setSqlQuery("create table adbc (i bigint)");
      var _ = statement.executeUpdate();
      statement.setSqlQuery("insert into adbc values (1), (2), (40)");
      assertEquals(3, statement.executeUpdate().getAffectedRows());
      assertEquals(43, sum(connection, "select i from adbc"));
      AdbcException error =
          assertThrows(AdbcException.class, () -> sum(connection, "select wrong from adbc"));
      assertTrue(error.getMessage().contains("AR-103"), error.getMessage());
      assertEquals(43, sum(connection, "select i from adbc"), "the connection is usable");
    }
  }

  @Test
  void resultsMayBeLeft() throws Exception {
    try (AdbcConnection connection = database.connect();
        AdbcStatement statement = connection.createStatement()) {
      statement.setSqlQuery("select g from generate_series(1, 5000000) as t(g)");
      try (AdbcStatement.QueryResult result = statement.executeQuery()) {
        assertTrue(result.getReader().loadNextBatch());
        BigIntVector first =
            (BigIntVector) result.getReader().getVectorSchemaRoot().getVector(0);
        assertEquals(1, first.get(0));
      }
      assertEquals(10, sum(connection, "select g from generate_series(1, 4) as t(g)"));
    }
  }
}
