package io.aragonite.sqltests.corpus;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.aragonite.tpch.TpchRunner;
import io.aragonite.tpch.TpchRunner.Options;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** TPC-H on three devices of the tests together, whose tables are spread but for the smallest. */
class TogetherTpchTest {
  /** Memory that no other test asks for, since engines are shared by equal properties. */
  private static final String URL = "jdbc:aragonite:tpch=0.01;threads=1;memory=1014MB;fallback=off";

  private static final Map<String, String> SYSTEM =
      Map.of(
          "aragonite.test.device", "discrete",
          "aragonite.test.devices", "3",
          "aragonite.exchange.replicate", "100");

  @Test
  void allAnswersAreRight() throws SQLException {
    assumeTrue(System.getProperty("aragonite.test.device", "").isEmpty());
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    SYSTEM.forEach(System::setProperty);
    try (Connection connection = DriverManager.getConnection(URL);
        PrintStream out = new PrintStream(text, true, StandardCharsets.UTF_8)) {
      int status = TpchRunner.of(connection, Options.standard(0.01), out).run().exitStatus();
      assertEquals(0, status, () -> text.toString(StandardCharsets.UTF_8));
      String bySuppliers = "lineitem join partsupp on l_suppkey = ps_suppkey";
      String plan = plan(connection, "analyze", bySuppliers);
      assertTrue(plan.contains("on 3 devices"), plan);
      assertTrue(plan.contains("rows received"), plan);
      assertTrue(plan.contains("on the host, over 3 rows"), plan);
      String outer = "lineitem full join partsupp on l_suppkey = ps_suppkey";
      String expected = plan(connection, "plan for", outer);
      assertTrue(expected.contains("discrete, discrete:1, discrete:2"), expected);
      assertTrue(expected.contains("rows to the devices of their keys"), expected);
      String everywhere = plan(connection, "plan for", bySuppliers);
      assertTrue(everywhere.contains("side everywhere"), everywhere);
      // Both tables are in order of their orders' keys, whose ranges the devices have.
      String sorted =
          plan(connection, "plan for", "lineitem join orders on l_orderkey = o_orderkey");
      assertTrue(sorted.contains("both sides are on the devices of their keys"), sorted);
      assertFalse(sorted.contains("rows to"), sorted);
      hostMemory(connection);
    } finally {
      SYSTEM.keySet().forEach(System::clearProperty);
    }
  }

  /** Tables that lie in host memory, sorted and not, and an order that is wanted. */
  private static void hostMemory(Connection connection) throws SQLException {
    for (String query :
        List.of(
            "count(*), sum(l_extendedprice + o_totalprice) from lineitem join orders"
                + " on l_orderkey = o_orderkey",
            "c_custkey, o_orderkey from customer left join orders on c_custkey = o_custkey"
                + " order by 1, 2")) {
      assertEquals(
          rows(connection, "select /*+ NPHJ */ " + query),
          rows(connection, "select /*+ HSMJ */ " + query));
    }
  }

  private static List<String> rows(Connection connection, String sql) throws SQLException {
    List<String> all = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        all.add(rows.getString(1) + " " + rows.getString(2));
      }
    }
    return all;
  }

  private static String plan(Connection connection, String how, String from) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery("explain " + how + " select count(*) from " + from)) {
      StringBuilder plan = new StringBuilder();
      while (rows.next()) {
        plan.append(rows.getString(1)).append('\n');
      }
      return plan.toString();
    }
  }
}
