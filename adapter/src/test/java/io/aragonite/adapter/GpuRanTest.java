package io.aragonite.adapter;

import static io.aragonite.adapter.TestConnections.query;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.aragonite.exec.device.cuda.CudaDriver;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Proof that {@code device=cuda} runs queries on a GPU. */
@Tag("gpu")
class GpuRanTest {
  private static final String QUERY =
      "select l_returnflag, sum(l_quantity), count(*) from lineitem where l_shipdate < date"
          + " '1997-01-01' group by l_returnflag order by 1";

  @BeforeAll
  static void needsGpu() {
    String missing =
        CudaDriver.kernelsVersion() == 0
            ? "this build has no GPU kernels"
            : CudaDriver.get().missing();
    assumeTrue(missing == null, () -> "no GPU: " + missing);
  }

  private static Connection open(String properties) throws Exception {
    return DriverManager.getConnection("jdbc:aragonite:tpch=0.01;" + properties);
  }

  private static JsonNode analyze(Connection connection, String sql) throws Exception {
    return new ObjectMapper()
        .readTree(String.join("\n", query(connection, "explain analyze as json " + sql)))
        .at("/devices/0");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        QUERY,
        "select n_name, count(*) from customer join nation on c_nationkey = n_nationkey group by"
            + " n_name",
        "select o_orderkey from orders order by o_totalprice desc limit 5"
      })
  void kernelsRanAndBytesMoved(String sql) throws Exception {
    try (Connection gpu = open("device=cuda;fallback=off");
        Connection cpu = open("device=cpu")) {
      JsonNode cold = analyze(gpu, sql);
      assertEquals("cuda:0", cold.get("device").asText());
      assertTrue(cold.get("kernels").asLong() > 0, cold.toString());
      assertTrue(cold.get("bytesToDevice").asLong() > 0, cold.toString());
      assertTrue(cold.get("bytesToHost").asLong() > 0, cold.toString());
      assertTrue(cold.get("deviceNanos").asLong() > 0, cold.toString());
      JsonNode hot = analyze(gpu, sql);
      assertTrue(hot.get("kernels").asLong() > 0, hot.toString());
      assertTrue(
          hot.get("bytesToDevice").asLong() < cold.get("bytesToDevice").asLong(),
          cold + " then " + hot);
      assertEquals(sorted(query(cpu, sql)), sorted(query(gpu, sql)));
    }
  }

  private static List<String> sorted(List<String> rows) {
    return rows.stream().sorted().toList();
  }

  @Test
  void smallQueriesStayOnTheCpu() throws Exception {
    assumeTrue(
        System.getProperty("aragonite.test.device", "").isEmpty(),
        "aragonite.test.device takes the place of device=auto");
    try (Connection connection = open("device=auto")) {
      assertEquals(
          "cpu", analyze(connection, "select count(*) from nation").get("device").asText());
    }
  }

  @Test
  void tooLittleMemoryIsAnErrorOrStreams() throws Exception {
    try (Connection cpu = open("device=cpu");
        Connection connection = open("device=cuda;gpuMemory=1MB")) {
      try {
        assertEquals(query(cpu, QUERY), query(connection, QUERY));
      } catch (SQLException e) {
        String message = e.getMessage();
        assertTrue(message.contains("AR-601") && message.contains("gpuMemory"), message);
      }
      assertEquals(25, query(connection, "select n_name from nation").size(), "the next is right");
    }
  }
}
